/** The uniform routes: every kind by the same addresses, beside the dialects that existing clients speak. */
import { type Admitted, asText, Fault, type Identified, invalidParameter, type Route, t } from "#core";
import type { Webhooks } from "../webhooks/service.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Files } from "./files.ts";
import { refuseFiles } from "./input.ts";
import { noSuchTask } from "./no-such-task.ts";
import type { Task, TaskStatus, Tasks } from "./service.ts";
import type { Links } from "./signed-links.ts";
import { gone } from "./tasks-service.ts";
import { taskView } from "./views.ts";

interface RouteOptions {
	readonly tasks: Tasks;
	readonly files: Files;
	readonly links: Links;
	readonly webhooks: Webhooks | undefined;
	readonly catalogue: Catalogue;
	now(): number;
}

const statuses: readonly TaskStatus[] = ["NOT_START", "IN_PROGRESS", "SUCCESS", "FAILURE"];
const longestPage = 100;

/** The status that tasks are to have. Throws `Fault` for a word that is none. */
export const statusOf = (query: URLSearchParams): TaskStatus | undefined => {
	const given = query.get("status");
	const status = statuses.find((known) => known === given);
	if (given !== null && !status) throw invalidParameter("status", `The status must be one of ${statuses.join(", ")}.`);
	return status;
};

const wholeNumber = (query: URLSearchParams, name: string, fallback: number, least: number, most: number): number => {
	const value = Number(query.get(name) ?? fallback);
	if (!Number.isInteger(value) || value < least || value > most)
		throw invalidParameter(name, `"${name}" must be a whole number from ${least} to ${most}.`);
	return value;
};

export const createRoutes = (options: RouteOptions): readonly Route[] => {
	const { tasks, files, links, webhooks } = options;

	const known = async (call: Identified): Promise<Task> => {
		const task = await tasks.find(call, call.params.id ?? "");
		if (!task) throw noSuchTask();
		return task;
	};

	const submit = async (call: Identified): Promise<Response> => {
		const body = await tasks.read(call);
		refuseFiles(body);
		const kinds = options.catalogue.kinds;
		const kind = kinds.find(({ name }) => name === body.kind);
		if (!kind)
			throw invalidParameter(
				"kind",
				`Send the kind of task as "kind": one of ${kinds.map(({ name }) => name).join(", ")}.`,
			);
		const state = asText(body.state);
		const task = await tasks.submit(call, {
			...(await kind.read(body)),
			callbackUrl: tasks.callbackUrlOf(body),
			...(state !== undefined && { state }),
		});
		return Response.json(taskView(task), { status: 202, headers: { location: `/v1/tasks/${task.id}` } });
	};

	const list = async (call: Identified): Promise<Response> => {
		const query = call.url.searchParams;
		const [kind, after, status] = [query.get("kind"), query.get("after"), statusOf(query)];
		const { data, more } = await tasks.list(call, {
			limit: wholeNumber(query, "limit", 20, 1, longestPage),
			order: query.get("order") === "asc" ? "asc" : "desc",
			...(kind !== null && { kind }),
			...(status !== undefined && { status }),
			...(after && { after }),
		});
		const page = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: more };
		return Response.json({ object: "list", data: data.map(taskView), ...page });
	};

	const show = async (call: Identified): Promise<Response> => Response.json(taskView(await known(call)));

	const cancel = async (call: Identified): Promise<Response> =>
		Response.json(taskView(await tasks.cancel(call, call.params.id ?? "")));

	const content = async (call: Identified): Promise<Response> => {
		const query = call.url.searchParams;
		const role = query.get("variant") ?? query.get("role") ?? undefined;
		return await tasks.content(call, await known(call), role, wholeNumber(query, "index", 0, 0, 99));
	};

	const deliveries = async (call: Identified): Promise<Response> => {
		const task = await known(call);
		const data = (await webhooks?.deliveries(call.token.id, task.id)) ?? [];
		return Response.json({ object: "list", data, has_more: false });
	};

	const file = async (call: Admitted): Promise<Response> => {
		const { id = "", file: name = "" } = call.params;
		if (!links.allows(id, name, call.url.searchParams, options.now()))
			throw new Fault({
				kind: "not_found",
				message: "This link is not valid, or not any more; ask for the task to get a new one.",
			});
		const kept = await files.open(id, name, call.request.headers.get("range"));
		// Another link would lead no further.
		if (!kept) throw gone();
		return kept;
	};

	const token = { access: "token" } as const;
	return [
		{
			...token,
			method: "POST",
			path: "/v1/tasks",
			summary: "Submits a task of any kind.",
			body: t.Object({
				kind: t.String(),
				prompt: t.Optional(t.String()),
				model: t.Optional(t.String()),
				notifyHook: t.Optional(t.String()),
			}),
			handle: submit,
		},
		{ ...token, method: "GET", path: "/v1/tasks", summary: "Lists the token's tasks, newest first.", handle: list },
		{
			...token,
			method: "GET",
			path: "/v1/tasks/:id",
			summary: "Shows a task.",
			handle: show,
		},
		{ ...token, method: "POST", path: "/v1/tasks/:id/cancel", summary: "Cancels an open task.", handle: cancel },
		{
			...token,
			method: "GET",
			path: "/v1/tasks/:id/content",
			summary: "Gives a file of the task's result.",
			handle: content,
		},
		{
			...token,
			method: "GET",
			path: "/v1/tasks/:id/deliveries",
			summary: "Shows what became of the task's callbacks.",
			handle: deliveries,
		},
		{
			access: "public",
			method: "GET",
			path: "/v1/tasks/:id/files/:file",
			summary: "Gives a result file by its signed link.",
			handle: file,
		},
	];
};
