/** Names with `*`: matched by hand in linear time, because a list comes from people and a name from anybody. */

/** Whether `name` matches `pattern`, in which `*` stands for any text, also none. Case matters. */
export const matchesPattern = (pattern: string, name: string): boolean => {
	const parts = pattern.split("*");
	const first = parts[0] ?? "";
	if (parts.length === 1) return name === pattern;
	const last = parts[parts.length - 1] ?? "";
	if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
	const end = name.length - last.length;
	let at = first.length;
	for (const part of parts.slice(1, -1)) {
		const found = name.indexOf(part, at);
		if (found === -1 || found + part.length > end) return false;
		at = found + part.length;
	}
	return true;
};

/**
 * Looks a name up in what is written for names and patterns: the very name goes before all patterns, and of those the first
 * that matches counts.
 *
 * @example
 * const priceOf = patternLookup(Object.entries({ "lark-2": 3, "lark-*": 2 }));
 * priceOf("lark-mini"); // 2
 */
export const patternLookup = <Value>(
	written: readonly (readonly [pattern: string, value: Value])[],
): ((name: string) => Value | undefined) => {
	const exact = new Map(written.filter(([pattern]) => !pattern.includes("*")));
	const patterns = written.filter(([pattern]) => pattern.includes("*"));
	return (name) => {
		const value = exact.get(name);
		if (value !== undefined) return value;
		for (const [pattern, shared] of patterns) if (matchesPattern(pattern, name)) return shared;
		return undefined;
	};
};
