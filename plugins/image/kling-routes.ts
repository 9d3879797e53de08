/** Pictures as Kling's clients ask for them. */
import {
	asNumber,
	asText,
	type Denial,
	Fault,
	type Identified,
	type RenderDenial,
	type Route,
	renderOwnDenial,
	type WireRecord,
} from "#core";
import type { Task, TaskOrder, Tasks } from "../tasks/service.ts";
import { countOf, promptOf } from "./kind.ts";

const words = { NOT_START: "submitted", IN_PROGRESS: "processing", SUCCESS: "succeed", FAILURE: "failed" } as const;

const ownFields = new Set([
	"callback_url",
	"notifyHook",
	"notify_hook",
	"model_name",
	"model",
	"prompt",
	"external_task_id",
]);

const orderOf = (body: WireRecord): TaskOrder => {
	const n = countOf(body.n);
	const externalId = asText(body.external_task_id);
	const aspectRatio = asText(body.aspect_ratio);
	return {
		kind: "image",
		action: "IMAGINE",
		model: asText(body.model_name) ?? asText(body.model) ?? "kling-v1",
		prompt: promptOf(body.prompt, true),
		details: { n, ...(externalId !== undefined && { externalId }), ...(aspectRatio !== undefined && { aspectRatio }) },
		input: Object.fromEntries(Object.entries(body).filter(([name]) => !ownFields.has(name))),
		bound: { images: n },
	};
};

const dataOf = (task: Task): WireRecord => ({
	task_id: task.id,
	task_status: words[task.status],
	task_status_msg: task.failure?.reason ?? "",
	task_info: { external_task_id: asText(task.details.externalId) ?? "" },
	created_at: task.submittedAt,
	updated_at: task.updatedAt,
	...(task.result && {
		task_result: {
			images: task.result.files.filter(({ role }) => role === "image").map(({ url }, index) => ({ index, url })),
		},
	}),
});

const envelope = (call: Identified, data: unknown, more: WireRecord = {}): Response =>
	Response.json({ code: 0, message: "SUCCEED", request_id: call.requestId, data, ...more });

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
const renderKlingDenial: RenderDenial = (denial, requestId) => {
	const own = renderOwnDenial(denial);
	const [status, code] = codes[denial.kind] ?? [own.status, 1200];
	return { status, headers: own.headers, body: { code, message: denial.message, request_id: requestId } };
};

const page = (query: URLSearchParams, name: string, fallback: number, most: number): number =>
	Math.min(most, Math.max(1, Math.trunc(asNumber(Number(query.get(name) ?? fallback)) ?? fallback)));

export const klingRoutes = (tasks: Tasks): readonly Route[] => {
	const submit = async (call: Identified): Promise<Response> => {
		const body = await tasks.read(call);
		const task = await tasks.submit(call, { ...orderOf(body), callbackUrl: tasks.callbackUrlOf(body) });
		return envelope(call, dataOf(task), { id: task.id, task_id: task.id });
	};

	const show = async (call: Identified): Promise<Response> => {
		const task = await tasks.find(call, call.params.id ?? "");
		if (task?.kind !== "image")
			throw new Fault({
				kind: "not_found",
				code: "task_not_found",
				message: "There is no task of that id under this token.",
			});
		return envelope(call, dataOf(task), { id: task.id, task_id: task.id });
	};

	const list = async (call: Identified): Promise<Response> => {
		const query = call.url.searchParams;
		const [size, number] = [page(query, "pageSize", 30, 500), page(query, "pageNum", 1, 1000)];
		const { data } = await tasks.list(call, { kind: "image", limit: size, skip: size * (number - 1) });
		return envelope(call, data.map(dataOf));
	};

	const path = "/kling/v1/images/generations";
	const shared = { access: "token", renderDenial: renderKlingDenial } as const;
	return [
		{ ...shared, method: "POST", path, summary: "Submits an image task as Kling's clients do.", handle: submit },
		{
			...shared,
			method: "GET",
			path: `${path}/:id`,
			summary: "Shows an image task as Kling's clients read it.",
			handle: show,
		},
		{ ...shared, method: "GET", path, summary: "Lists image tasks as Kling's clients read them.", handle: list },
	];
};
