/** The routes of operators: tasks over all tokens, with the reasons of those that failed. */
import { type SQL, sql } from "drizzle-orm";
import {
	asNumber,
	asText,
	definedOnly,
	deny,
	Fault,
	ownerOf,
	type PersonRoute,
	pageLimit,
	type Route,
	type Store,
	type WireRecord,
} from "#core";
import { narrowedTo, type TokenOwnership, tokenAsked } from "../tokens/service.ts";
import { adviceOnTask } from "./advice.ts";
import { statusOf } from "./routes.ts";
import { taskOf } from "./row.ts";
import { taskView } from "./views.ts";

const mostTasks = 500;
const filters = {
	token: sql`token_id`,
	kind: sql`kind`,
	status: sql`status`,
	model: sql`model`,
	upstream: sql`upstream`,
};

/** What an upstream calls the job, and where it stands, is for those who run this server. */
const viewFor = (owner: string | undefined, row: WireRecord, standing: Standing) => {
	const task = taskOf(row);
	return {
		...taskView(task),
		token: asText(row.token_id),
		...definedOnly({ tokenName: asText(row.token_name) }),
		...(owner === undefined && {
			...definedOnly({ advice: task.failure && adviceOnTask(task.failure), standing: standing(row) }),
			upstream: asText(row.upstream),
			upstreamId: asText(row.upstream_id) ?? null,
			submissions: asNumber(row.submissions),
			polls: asNumber(row.polls),
		}),
	};
};

/** In words, where an open task stands. */
type Standing = (row: WireRecord) => string | undefined;

export const adminTaskRoutes = (
	store: Store,
	tokens: TokenOwnership | undefined,
	standing: Standing,
	/** What a first task may ask for. */
	example: () => WireRecord | undefined,
): readonly Route[] => {
	const whose = (owner: string | undefined): SQL => narrowedTo(tokens, owner, sql`token_id`);

	/** Beside the row, the name of its token. */
	const named = tokens
		? sql`, (SELECT n.name FROM (${tokens.directory()}) n WHERE n.id = tasks.token_id) AS token_name`
		: sql``;

	const list: PersonRoute["handle"] = async ({ url, operator }) => {
		const owner = ownerOf(operator);
		const query = url.searchParams;
		const limit = pageLimit(query, 50, mostTasks);
		statusOf(query);
		const after = query.get("after");
		const asked = query.get("token");
		const token =
			asked === null
				? null
				: await tokenAsked(store, tokens, asked, owner, sql`SELECT 1 FROM tasks WHERE token_id = ${asked} LIMIT 1`);
		const kept = Object.entries(filters).flatMap(([name, column]): SQL[] => {
			const value = name === "token" ? token : query.get(name);
			return value === null ? [] : [sql` AND ${column} = ${value}`];
		});
		// Rows are added in the order of time, so the order of rows needs no index of its own.
		if (after) kept.push(sql` AND rowid < (SELECT rowid FROM tasks WHERE id = ${after})`);
		const rows = await store.all(
			sql`SELECT *${named} FROM tasks WHERE expires_at > 0${whose(owner)}${sql.join(kept)} ORDER BY rowid DESC LIMIT ${limit + 1}`,
		);
		const data = rows.slice(0, limit).map((row) => viewFor(owner, row, standing));
		const first = data.length === 0 ? { example: example() } : {};
		return Response.json({ data, hasMore: rows.length > limit, ...first });
	};

	const show: PersonRoute["handle"] = async ({ params, operator }) => {
		const owner = ownerOf(operator);
		const id = params["id"] ?? "";
		const [row] = await store.all(sql`SELECT *${named} FROM tasks WHERE id = ${id} AND expires_at > 0${whose(owner)}`);
		if (!row) throw new Fault(deny("not_found", `There is no task "${id.slice(0, 64)}".`));
		return Response.json(viewFor(owner, row, standing));
	};

	return [
		{
			method: "GET",
			path: "/admin/tasks",
			access: "person",
			query: [...Object.keys(filters), "limit", "after"],
			summary: "Tasks of all tokens, newest first: token, kind, status, model, upstream, limit, after (an id).",
			handle: list,
		},
		{ method: "GET", path: "/admin/tasks/:id", access: "person", summary: "Shows one task.", handle: show },
	];
};
