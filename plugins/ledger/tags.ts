/** Tags: what a client says of its calls for reports, by names that the config allows, or what its token is pinned to. */
import { definedOnly, isRecord, type Policy, type TokenSetting, t } from "#core";

export type Tags = Readonly<Record<string, string>>;

export const tagName = "^[a-z][a-z0-9_-]{0,31}$";
const tagValue = /^[A-Za-z0-9._-]{1,64}$/;
const mostTags = 8;

export const isTagGroup = (word: string): boolean => word.startsWith("tag:") && new RegExp(tagName).test(word.slice(4));

/** The path of a tag in the JSON of a row. */
export const tagOf = (group: string): string => `$."${group.slice(4)}"`;

/** `app=web,env=prod`; what is not allowed or not well formed is left out, for tags must never stop a call. */
export const readTags = (header: string | null, allowed: ReadonlySet<string>): Tags =>
	Object.fromEntries(
		(header ?? "")
			.split(",")
			.map((pair) => pair.trim().split("="))
			.filter(([name = "", value = "", ...more]) => allowed.has(name) && tagValue.test(value) && more.length === 0)
			.slice(0, mostTags)
			.map(([name = "", value = ""]) => [name, value]),
	);

const setting: TokenSetting<Tags> = {
	key: "tags",
	schema: t.Record(t.String({ pattern: tagName }), t.String({ pattern: tagValue.source }), {
		maxProperties: mostTags,
		description: "Tags of every call of the token, for reports; a client cannot change them.",
	}),
	compile(value) {
		if (!isRecord(value)) throw new TypeError("tags must be an object");
		return definedOnly(Object.fromEntries(Object.entries(value).map(([name, tag]) => [name, String(tag)])));
	},
};

/** Marks calls with their tags; refuses nothing. */
export const tagPolicy = (name: string, allowed: ReadonlySet<string>): Policy<Tags> => ({
	name: `${name}.tags`,
	setting,
	check(call, pinned) {
		const header = call.request.headers.get("x-portico-tags");
		if (header === null && pinned === undefined) return undefined;
		const said = readTags(header, allowed);
		const tags = { ...said, ...pinned };
		return Object.keys(tags).length === 0 ? undefined : { tags };
	},
});

/** As a row keeps them: in one order, so that the same tags are the same text. */
export const tagText = (tags: Tags | undefined): string | null =>
	(tags && JSON.stringify(Object.fromEntries(Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1))))) || null;
