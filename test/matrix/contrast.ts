/** In what two spellings of one thing differ: the places, without the numbers of list items. */
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "#core";

export interface Contrast {
	/** `messages[].content[].text` */
	readonly path: string;
	readonly sort: "only ours" | "only theirs" | "other";
	readonly ours: unknown;
	readonly theirs: unknown;
}

const sketchOf = (item: unknown): string => {
	if (!isRecord(item)) return typeof item;
	const kind = item["role"] ?? item["type"] ?? Object.keys(item).join("+");
	return String(kind);
};

/** All places where they differ. */
export const contrasts = (ours: unknown, theirs: unknown, path = ""): readonly Contrast[] => {
	if (isDeepStrictEqual(ours, theirs)) return [];
	if (ours === undefined) return [{ path, sort: "only theirs", ours, theirs }];
	if (theirs === undefined) return [{ path, sort: "only ours", ours, theirs }];
	if (isRecord(ours) && isRecord(theirs)) {
		const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
		return [...keys].flatMap((key) => contrasts(ours[key], theirs[key], path === "" ? key : `${path}.${key}`));
	}
	if (Array.isArray(ours) && Array.isArray(theirs)) {
		const [one, other] = [ours.map(sketchOf), theirs.map(sketchOf)];
		if (isDeepStrictEqual(one, other)) return ours.flatMap((item, at) => contrasts(item, theirs[at], `${path}[]`));
		return [{ path: `${path}[]`, sort: "other", ours, theirs }];
	}
	return [{ path, sort: "other", ours, theirs }];
};
