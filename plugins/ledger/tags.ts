/** Tags: what a client says of its calls for reports, by names that the config allows, or what its token is pinned to. */
import { type SQL, sql } from "drizzle-orm";
import {
	definedOnly,
	invalidParameter,
	isFault,
	isRecord,
	type Permit,
	type Policy,
	type Routed,
	remembering,
	type TokenSetting,
	t,
} from "#core";

type Tags = Readonly<Record<string, string>>;

export const tagName = "^[a-z][a-z0-9_-]{0,31}$";
const tagValue = /^[A-Za-z0-9._-]{1,64}$/;
const mostTags = 8;

const isTagName = (word: string): boolean => new RegExp(tagName).test(word);

export const isTagGroup = (word: string): boolean => word.startsWith("tag:") && isTagName(word.slice(4));

/** What a row or a sum has as that tag; null for none. */
const tagValueOf = (name: string): SQL => sql`nullif(tags, '')->>${`$."${name}"`}`;

/** The value of the tag that a group is named by. */
export const tagOf = (group: string): SQL => tagValueOf(group.slice(4));

/** A query with every tag of `--tag`. */
export const withTags = (query: URLSearchParams, tags: readonly string[] = []): URLSearchParams => {
	for (const tag of tags) query.append("tag", tag);
	return query;
};

/** Keeps to what has the tags that are asked for, `tag=app=web&tag=env=prod`: ` AND …`. */
export const taggedAs = (url: URL): SQL =>
	sql.join(
		url.searchParams.getAll("tag").map((words) => {
			const [name = "", ...rest] = words.split("=");
			const value = rest.join("=");
			if (isTagName(name) && value !== "") return sql` AND ${tagValueOf(name)} = ${value}`;
			throw invalidParameter("tag", `tag must be a name and a value, such as app=web, not "${words.slice(0, 64)}".`);
		}),
	);

/** `app=web,env=prod`; what is not allowed or not well formed is left out, for tags must never stop a call. */
const readTags = (header: string, allowed: ReadonlySet<string>): Tags =>
	Object.fromEntries(
		header
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
		description: 'Tags of every call of the token, for reports, such as {"app":"web"}; a client cannot change them.',
	}),
	compile(value) {
		if (!isRecord(value)) throw new TypeError("tags must be an object");
		return definedOnly(Object.fromEntries(Object.entries(value).map(([name, tag]) => [name, String(tag)])));
	},
};

/** The tag that holds the client's own user. */
const endUserTag = "end_user";
const longestUser = 128;

/** Whom a conversation is had for, as its protocol has a field for it. What cannot be read is refused elsewhere, in its own words. */
const endUserOf = (call: Routed): Tags => {
	if (call.surface !== "model") return {};
	try {
		const { identity } = call.prompt();
		const user = identity?.safetyId ?? identity?.user;
		return user === undefined || user === "" ? {} : { [endUserTag]: user.slice(0, longestUser).toWellFormed() };
	} catch (error) {
		if (isFault(error)) return {};
		throw error;
	}
};

interface TagOptions {
	/** Names that clients may use. */
	readonly allowed: ReadonlySet<string>;
	/** The client's own user is a tag too. */
	readonly endUser: boolean;
}

/** A header is as long as a client likes; of the usual ones the same few come again and again. */
const longestRemembered = 256;

/** By what its header says. */
type PermitFor = (header: string) => Permit | undefined;

const permitWith = (tags: Tags): Permit | undefined => (tagText(tags) === null ? undefined : { tags });

/** Marks calls with their tags; refuses nothing. */
export const tagPolicy = (name: string, { allowed, endUser }: TagOptions): Policy<Tags> => {
	const unpinned: Tags = {};
	const permitOf = (header: string, pinned: Tags): Permit | undefined =>
		permitWith({ ...readTags(header, allowed), ...pinned });
	const known = new WeakMap<Tags, PermitFor>();
	const remember = (pinned: Tags): PermitFor => {
		const permits = remembering((header) => permitOf(header, pinned), 100);
		known.set(pinned, permits);
		return permits;
	};
	return {
		name: `${name}.tags`,
		setting,
		check(call, pinned = unpinned) {
			const header = call.request.headers.get("x-portico-tags") ?? "";
			if (header === "" && pinned === unpinned && !endUser) return undefined;
			const permits = known.get(pinned) ?? remember(pinned);
			const said = header.length > longestRemembered ? permitOf(header, pinned) : permits(header);
			return endUser ? permitWith({ ...said?.tags, ...endUserOf(call), ...pinned }) : said;
		},
	};
};

const texts = new WeakMap<Tags, string | null>();

/** As a row keeps them: in one order, so that the same tags are the same text; null for none. */
export const tagText = (tags: Tags): string | null => {
	const known = texts.get(tags);
	if (known !== undefined) return known;
	const inOrder = Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1));
	const text = inOrder.length === 0 ? null : JSON.stringify(Object.fromEntries(inOrder));
	texts.set(tags, text);
	return text;
};
