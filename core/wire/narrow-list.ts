/**
 * `TokenSetting.narrow` for a list of what is allowed, where an empty list allows everything: what both lists allow.
 * `within` says whether all that an entry allows is allowed by a list.
 *
 * @example
 * narrow: (value, limit) => narrowList(namesOf(value), namesOf(limit), (name, list) => list.includes(name)),
 */
export const narrowList = (
	value: readonly string[],
	limit: readonly string[],
	within: (entry: string, list: readonly string[]) => boolean,
): readonly string[] | undefined => {
	if (limit.length === 0) return value;
	if (value.length === 0) return limit;
	const kept = value.filter((entry) => within(entry, limit));
	if (kept.length === value.length) return value;
	const shared = [...kept, ...limit.filter((entry) => !kept.includes(entry) && within(entry, value))];
	return shared.length > 0 ? shared : undefined;
};
