/** `GET /admin/usage`: sums of the ledger, as JSON or as CSV. */
import { sql } from "drizzle-orm";
import { asList, asText, invalidParameter, ownerOf, parseJson, type Route, type Store, toDollars } from "#core";
import { narrowedTo, type TokenOwnership, tokenAsked } from "../tokens/service.ts";
import { csvLines } from "./csv.ts";
import { checkEnding, timeOf } from "./queries.ts";
import { regroup } from "./regroup.ts";
import { anyOf } from "./search.ts";
import { createLines, inTurns } from "./slices.ts";
import { groupNames, isGroup, type Kept, type Sum, sumRows } from "./sums.ts";
import { taggedAs } from "./tags.ts";
import { percentile } from "./time-taken.ts";
import { type Top, topAsked, topOf } from "./top.ts";
import { startOfDay, zoneOf } from "./zones.ts";

const groupedBy = (url: URL): readonly string[] =>
	(url.searchParams.get("by") ?? "model")
		.split(",")
		.filter((word) => word !== "")
		.map((word) => {
			if (isGroup(word) || word === "owner") return word;
			throw invalidParameter(
				"by",
				`by takes ${groupNames.join(", ")}, owner and tag:NAME, not "${word.slice(0, 32)}".`,
			);
		});

const filters = ["token", "model", "upstream", "protocol", "ending"] as const satisfies readonly Kept[];

const keptTo = (url: URL): Map<Kept, string> =>
	new Map(
		filters.flatMap((name) => {
			const value = url.searchParams.get(name);
			return value === null ? [] : [[name, name === "ending" ? checkEnding(value) : value] as const];
		}),
	);

interface KnownToken {
	readonly name: string;
	readonly owner: string | null;
}

/** Names and owners of tokens, deleted ones too; none where nobody issues tokens. */
const knownTokens = async (
	store: Store,
	tokens: TokenOwnership | undefined,
): Promise<ReadonlyMap<unknown, KnownToken>> => {
	if (!tokens) return new Map();
	const [answer] = await store.all(
		sql`SELECT json_group_array(json_array(id, name, owner)) AS rows FROM (${tokens.directory()})`,
	);
	const rows = asList(parseJson(asText(answer?.["rows"]) ?? "")).map(asList);
	return new Map(rows.map(([id, name, owner]) => [id, { name: asText(name) ?? "", owner: asText(owner) ?? null }]));
};

/** With the name beside each token's id, and owners where they are asked for. */
const named = async (
	sums: readonly Sum[],
	by: readonly string[],
	tokens: ReadonlyMap<unknown, KnownToken>,
): Promise<readonly Sum[]> => {
	const renamed = (of: Sum["of"]): Sum["of"] => {
		const known = tokens.get(of["token"]);
		return Object.fromEntries(
			by.flatMap((name): [string, unknown][] => {
				if (name === "owner") return [["owner", known?.owner ?? null]];
				if (name !== "token") return [[name, of[name]]];
				return [
					["token", of["token"]],
					["tokenName", known?.name ?? null],
				];
			}),
		);
	};
	// Only owners are of several tokens.
	if (!by.includes("token")) return await regroup(sums, renamed);
	return (await inTurns(sums, (some) => some.map((sum) => ({ ...sum, of: renamed(sum.of) })))).flat();
};

/** Dollars that caches saved, at the prices of today; where sums are by model. */
export type Saved = (cachedTokens: number, model: string, upstream: string | undefined) => number;

type View = Readonly<Record<string, unknown>>;

const viewOf = (sum: Sum, savedBy: Saved | undefined, told: boolean): View => {
	const { of, took, microDollars, excessMicroDollars, ...figures } = sum;
	const model = asText(of["model"]);
	const saved = model === undefined ? 0 : savedBy?.(sum.cachedTokens, model, asText(of["upstream"]));
	return {
		...of,
		...figures,
		cost: toDollars(microDollars),
		excess: toDollars(excessMicroDollars),
		...(savedBy && "model" in of && { saved }),
		...(told && {
			p50Ms: percentile(took, 0.5) ?? null,
			p95Ms: percentile(took, 0.95) ?? null,
			p99Ms: percentile(took, 0.99) ?? null,
		}),
	};
};

const asCsv = async (sums: readonly Sum[], view: (sum: Sum) => View): Promise<Response> => {
	const columns = sums[0] ? Object.keys(view(sums[0])) : [];
	const lines = await inTurns(sums, (some) => csvLines(columns, some.map(view)));
	return new Response([csvLines(columns, [], true), ...lines].join(""), {
		headers: { "content-type": "text/csv; charset=utf-8" },
	});
};

const asJson = async (sums: readonly Sum[], view: (sum: Sum) => View): Promise<Response> => {
	const lists = await inTurns(sums, (some) => JSON.stringify(some.map(view)).slice(1, -1));
	return new Response(`{"data":[${lists.join(",")}]}`, { headers: { "content-type": "application/json" } });
};

const topAsJson = ({ sums, others, count }: Top, view: (sum: Sum) => View): Response =>
	Response.json({ data: sums.map(view), others: { count, data: others.map(view) } });

interface UsageRouteParts {
	readonly store: Store;
	readonly tokens: TokenOwnership | undefined;
	/** Undefined where nobody knows prices. */
	readonly saved: Saved | undefined;
	flush(): Promise<void>;
}

export const usageRoute = ({ store, tokens, saved, flush }: UsageRouteParts): Route => {
	const inLine = createLines(store);
	return {
		method: "GET",
		path: "/admin/usage",
		access: "person",
		query: ["by", "from", "to", "zone", ...filters, "owner", "tag", "percentiles", "top", "format"],
		summary:
			"Sums of calls, model tokens and cost: by=token,owner,model,upstream,protocol,ending,day,hour,tag:NAME; from, to; zone (whose days they are, such as Europe/Berlin; UTC unless said); token, model, upstream, protocol, ending, owner, tag (app=web); percentiles=false; top=N of the first of by, the others together; format=csv.",
		async handle({ url, operator }) {
			const by = groupedBy(url);
			const ofTokens = by.includes("token") || by.includes("owner");
			const owner = ownerOf(operator);
			const only = keptTo(url);
			const top = topAsked(url);
			const zone = zoneOf(url);
			const startOf = (date: number): number => startOfDay(date, zone);
			const token = only.get("token");
			if (token !== undefined) only.set("token", await tokenAsked(store, tokens, token, owner, anyOf(token)));
			const question = {
				// Owners are found by their tokens.
				by: [...new Set(by.map((name) => (name === "owner" ? "token" : name)))],
				from: timeOf(url, "from", startOf) ?? 0,
				to: timeOf(url, "to", startOf) ?? Number.MAX_SAFE_INTEGER,
				zone,
				only,
				took: url.searchParams.get("percentiles") !== "false",
				whose: sql`${narrowedTo(tokens, owner ?? url.searchParams.get("owner") ?? undefined)}${taggedAs(url)}`,
			};
			await flush();
			const sums = await inLine(operator.id, () => sumRows(store, question));
			const shown = ofTokens ? await named(sums, by, await knownTokens(store, tokens)) : sums;
			const view = (sum: Sum): View => viewOf(sum, saved, question.took);
			if (top !== undefined) return topAsJson(await topOf(shown, by, top), view);
			return await (url.searchParams.get("format") === "csv" ? asCsv(shown, view) : asJson(shown, view));
		},
	};
};
