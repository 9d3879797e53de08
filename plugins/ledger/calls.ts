/** `GET /admin/calls` and `/admin/calls/:id`: the rows themselves, those of refused calls among them. */
import { type SQL, sql } from "drizzle-orm";
import {
	asList,
	asNumber,
	asRecord,
	deny,
	Fault,
	invalidParameter,
	normaliseAddress,
	ownerOf,
	pageLimit,
	type Route,
	type Store,
	type WireRecord,
} from "#core";
import type { Prices } from "../prices/service.ts";
import { narrowedTo, type TokenOwnership, tokenAsked } from "../tokens/service.ts";
import { adviceOn } from "./advice.ts";
import { callView } from "./call-view.ts";
import { arithmeticOf } from "./pricing.ts";
import { checkEnding, notCompleted, timeOf } from "./queries.ts";
import { alike, anyOf, type Filter, filters, findRow, type Search, searchRows } from "./search.ts";
import { createLines } from "./slices.ts";
import { taggedAs } from "./tags.ts";
import { withTokenNames } from "./token-names.ts";

const mostCalls = 500;

/** As rows have it. */
const addressOf = (words: string): string => {
	const address = normaliseAddress(words);
	if (address !== undefined) return address;
	throw invalidParameter("address", "address must be an IP address such as 192.0.2.7 or 2001:db8::7, without a port.");
};

const keptTo = (url: URL): Map<Filter, string | number> =>
	new Map(
		filters.flatMap((name): [Filter, string | number][] => {
			const value = url.searchParams.get(name);
			if (value === null) return [];
			if (name === "ending") return [[name, checkEnding(value, notCompleted)]];
			if (name === "address") return [[name, addressOf(value)]];
			if (name !== "status") return [[name, value]];
			if (/^\d{3}$/.test(value)) return [[name, Number(value)]];
			throw invalidParameter("status", "status must be an HTTP status such as 429.");
		}),
	);

/** Only calls that have none of something: ` AND token IS NULL`. */
const lacking = (url: URL, tokens: TokenOwnership | undefined): SQL => {
	const conditions: Readonly<Record<string, SQL>> = {
		token: sql` AND token IS NULL`,
		model: sql` AND model IS NULL`,
		upstream: sql` AND upstream IS NULL`,
		owner: tokens
			? sql` AND (token IS NULL OR token NOT IN (SELECT id FROM (${tokens.directory()}) WHERE owner IS NOT NULL))`
			: sql``,
	};
	const words = url.searchParams.get("without")?.split(",") ?? [];
	return sql.join(
		words.map((word) => {
			const condition = Object.hasOwn(conditions, word) ? conditions[word] : undefined;
			if (condition) return condition;
			throw invalidParameter(
				"without",
				`without takes ${Object.keys(conditions).join(", ")}, not "${word.slice(0, 32)}".`,
			);
		}),
	);
};

/** Ids of tasks begin so. */
const isTask = (id: string): boolean => /^task_\w+$/.test(id);

const absent = (id: string): Fault => {
	const more = isTask(id)
		? `A task is here once it has ended; where it stands until then is told by "portico tasks ${id.slice(0, 128)}".`
		: 'Send the x-request-id of an answer; a call appears when it is over. Where calls of a model would go is told by "portico explain --model NAME".';
	return new Fault(deny("not_found", `There is no call "${id.slice(0, 128)}" here. ${more}`));
};

/** What an upstream said itself is for those who run this server. */
const shownTo = (owner: string | undefined, row: Parameters<typeof callView>[0]): WireRecord => {
	const view = callView(row);
	if (owner === undefined) return view;
	const attempts = asList(view["attempts"]).map((attempt) => ({ ...asRecord(attempt), message: undefined }));
	return { ...view, attempts };
};

interface CallRouteParts {
	readonly store: Store;
	readonly tokens: TokenOwnership | undefined;
	readonly prices: Prices | undefined;
	flush(): Promise<void>;
}

export const callRoutes = ({ store, tokens, prices, flush }: CallRouteParts): readonly Route[] => {
	const named = (views: readonly WireRecord[]) => withTokenNames(store, tokens, views);
	const inLine = createLines(store);
	return [
		{
			method: "GET",
			path: "/admin/calls",
			access: "person",
			query: [...filters, "tag", "id", "from", "to", "limit", "after", "owner", "without"],
			summary: `Calls, newest first: ${filters.join(", ")}, tag (app=web), id, from, to, limit, after (an id), owner; without=token,model,upstream,owner; ending=${notCompleted} for any but completed.`,
			async handle({ url, operator }) {
				const owner = ownerOf(operator);
				const whose = narrowedTo(tokens, owner ?? url.searchParams.get("owner") ?? undefined);
				const after = url.searchParams.get("after");
				const id = url.searchParams.get("id");
				const only = keptTo(url);
				const token = url.searchParams.get("token");
				if (token !== null) only.set("token", await tokenAsked(store, tokens, token, owner, anyOf(token)));
				const search: Search = {
					only,
					from: timeOf(url, "from") ?? 0,
					to: timeOf(url, "to") ?? Number.MAX_SAFE_INTEGER,
					limit: pageLimit(url.searchParams, 50, mostCalls),
					whose: sql`${whose}${lacking(url, tokens)}${taggedAs(url)}`,
					...(after !== null && { after }),
				};
				await flush();
				if (id !== null) {
					const row = await findRow(store, id, whose);
					return Response.json({ data: await named(row ? [shownTo(owner, row)] : []), hasMore: false });
				}
				const rows = await inLine(operator.id, () => searchRows(store, search));
				const data = await named(rows.map((row) => shownTo(owner, row)));
				return Response.json({ data, hasMore: rows.length === search.limit });
			},
		},
		{
			method: "GET",
			path: "/admin/calls/:id",
			access: "person",
			summary: "One call by its id or x-request-id: every attempt, what was passed over, what can be done.",
			async handle({ params, operator }) {
				const owner = ownerOf(operator);
				const id = params["id"] ?? "";
				await flush();
				const row = await findRow(store, id, narrowedTo(tokens, owner));
				if (!row) throw absent(id);
				const [view = {}] = await named([shownTo(owner, row)]);
				const arithmetic = arithmeticOf(prices, view);
				if (owner !== undefined) return Response.json({ ...view, arithmetic });
				const advice = adviceOn(view);
				const same = advice === undefined ? undefined : await alike(store, row);
				return Response.json({
					...view,
					arithmetic,
					...(advice !== undefined && { advice }),
					...(same && { alike: { calls: same.calls, since: new Date(asNumber(same.since) ?? 0).toISOString() } }),
				});
			},
		},
	];
};
