/** What Kling's clients find alike whatever is made for them: fields, pages, the envelope, and errors with numbers. */
import { asText, type Denial, type Identified, type RenderDenial, renderOwnDenial, type WireRecord } from "#core";
import { fieldsBeside } from "./fields-beside.ts";
import type { Task } from "./task.ts";
import type { Tasks } from "./tasks.ts";

/** What Kling calls the states. */
export const klingWords = {
	NOT_START: "submitted",
	IN_PROGRESS: "processing",
	SUCCESS: "succeed",
	FAILURE: "failed",
} as const;

const ownFields = new Set(["model_name", "external_task_id"]);

/** What its bodies say whatever is to be made; `input` is what only the upstream needs. */
export const klingFields = (body: WireRecord) => ({
	model: asText(body["model_name"]) ?? asText(body["model"]) ?? "kling-v1",
	externalId: asText(body["external_task_id"]),
	aspectRatio: asText(body["aspect_ratio"]),
	input: fieldsBeside(body, ownFields),
});

/** A task as it shows it; `result` tells what was made, and is asked once something was. */
export const klingTask = (task: Task, result: () => WireRecord): WireRecord => ({
	task_id: task.id,
	task_status: klingWords[task.status],
	task_status_msg: task.failure?.reason ?? "",
	task_info: { external_task_id: asText(task.details["externalId"]) ?? "" },
	created_at: task.submittedAt,
	updated_at: task.updatedAt,
	...(task.result && { task_result: result() }),
});

/** The task of the path's id, which may be the client's own `external_task_id`: of several the newest. */
export const findKlingTask = async (tasks: Tasks, call: Identified, kind: string): Promise<Task | undefined> => {
	const { id = "" } = call.params;
	const task = (await tasks.find(call, id)) ?? (await tasks.list(call, { kind, externalId: id, limit: 1 })).data[0];
	return task?.kind === kind ? task : undefined;
};

/** The envelope; around one task with its id where clients of other gateways read it. */
export const klingAnswer = (call: Identified, data: unknown, task?: Task): Response =>
	Response.json({
		code: 0,
		message: "SUCCEED",
		request_id: call.requestId,
		data,
		...(task && { id: task.id, task_id: task.id }),
	});

const wholeOf = (text: string | null, fallback: number, most: number): number => {
	const value = Math.trunc(Number(text ?? fallback));
	return value >= 1 ? Math.min(most, value) : fallback;
};

/** Which part of a list the query asks for. */
export const klingPage = ({ url: { searchParams } }: Identified): { readonly limit: number; readonly skip: number } => {
	const limit = wholeOf(searchParams.get("pageSize"), 30, 500);
	return { limit, skip: limit * (wholeOf(searchParams.get("pageNum"), 1, 1000) - 1) };
};

/** HTTP status and Kling's own number. */
const codes: Readonly<Partial<Record<Denial["kind"], readonly [number, number]>>> = {
	authentication: [401, 1000],
	permission: [403, 1103],
	quota_exhausted: [429, 1102],
	quota_held: [429, 1303],
	rate_limited: [429, 1302],
	content_policy: [400, 1301],
	not_found: [404, 1203],
	model_not_found: [404, 1202],
	internal: [500, 5000],
	overloaded: [503, 5001],
	upstream: [502, 5000],
	upstream_timeout: [504, 5002],
};

/** Refusals that Kling has no number for go by the status they have everywhere. */
export const renderKlingDenial: RenderDenial = (denial, requestId) => {
	const own = renderOwnDenial(denial);
	const [status, code] = codes[denial.kind] ?? [own.status, 1200];
	return { status, headers: own.headers, body: { code, message: denial.message, request_id: requestId } };
};
