/** `POST /v1/images/generations`: a task that the client waits for, or does not. */
import { asText, type Identified, type Route, t, type WireRecord } from "#core";
import type { ResultFile, Task, TaskOrder, Tasks } from "../tasks/service.ts";
import { failedTask, stillRunning } from "./failed.ts";
import { countOf, promptOf } from "./kind.ts";

export interface OpenAiRouteOptions {
	readonly tasks: Tasks;
	/** How long a client is let wait, in seconds. */
	readonly waitSeconds: number;
	readonly defaultModel: string;
}

/** Fields that say how to answer, not what to make. */
const ownFields = new Set([
	"notifyHook",
	"notify_hook",
	"callback_url",
	"webhook_url",
	"async",
	"stream",
	"partial_images",
	"response_format",
	"model",
	"prompt",
]);

const orderOf = (body: WireRecord, defaultModel: string): TaskOrder => {
	const n = countOf(body.n);
	const kept = Object.entries(body).filter(
		([name, value]) => !ownFields.has(name) && value !== undefined && value !== null,
	);
	const shown = kept.filter(([name]) => ["size", "quality", "background", "output_format"].includes(name));
	return {
		kind: "image",
		action: "IMAGINE",
		model: asText(body.model) ?? defaultModel,
		prompt: promptOf(body.prompt, true),
		details: { n, ...Object.fromEntries(shown) },
		input: Object.fromEntries(kept),
		bound: { images: n },
	};
};

/** Forms send it as text. */
const isTrue = (value: unknown): boolean => value === true || value === "true";

const prefersAsync = (call: Identified, body: WireRecord, callbackUrl: string): boolean =>
	callbackUrl !== "" || isTrue(body.async) || /\brespond-async\b/i.test(call.request.headers.get("prefer") ?? "");

/** Models that only ever answer with bytes; the others answer with an address unless told otherwise. */
const answersBytes = (body: WireRecord, model: string): boolean => {
	const format = asText(body.response_format);
	return format === undefined ? /^(?:gpt-image|chatgpt-image)/.test(model) : format === "b64_json";
};

const imagesOf = (task: Task): readonly ResultFile[] =>
	(task.result?.files ?? []).filter(({ role }) => role === "image");

export const openAiRoutes = ({ tasks, waitSeconds, defaultModel }: OpenAiRouteOptions): readonly Route[] => {
	const answer = async (task: Task, asBytes: boolean): Promise<Readonly<Record<string, unknown>>> => {
		const extra = task.result?.extra ?? {};
		const prompts = Array.isArray(extra.revisedPrompts) ? (extra.revisedPrompts as readonly unknown[]) : [];
		const data = await Promise.all(
			imagesOf(task).map(async (file, index) => {
				const revised = asText(prompts[index]);
				const image = asBytes
					? { b64_json: Buffer.from(await tasks.bytes(task, file)).toString("base64") }
					: { url: file.url };
				return { ...image, ...(revised !== undefined && { revised_prompt: revised }) };
			}),
		);
		const { n: _n, ...details } = task.details;
		return {
			created: Math.floor(task.finishedAt / 1000),
			data,
			...details,
			...(extra.usage !== undefined && { usage: extra.usage }),
		};
	};

	const generate = async (call: Identified): Promise<Response> => {
		const body = await tasks.read(call);
		const callbackUrl = tasks.callbackUrlOf(body);
		const submitted = await tasks.submit(call, { ...orderOf(body, defaultModel), callbackUrl });
		if (prefersAsync(call, body, callbackUrl))
			return Response.json(tasks.view(submitted), {
				status: 202,
				headers: { location: `/v1/tasks/${submitted.id}`, "preference-applied": "respond-async" },
			});
		const task = await tasks.ended(call, submitted.id, waitSeconds * 1000);
		if (task.status === "FAILURE") throw failedTask(task);
		if (task.status !== "SUCCESS") throw stillRunning(task, waitSeconds);
		const whole = await answer(task, answersBytes(body, task.model));
		if (!isTrue(body.stream)) return Response.json(whole);
		call.answered?.();
		return streamed(whole);
	};

	return ["/v1/images/generations", "/images/generations"].map((path) => ({
		method: "POST",
		path,
		access: "token",
		summary: "Makes pictures and answers when they are done; `Prefer: respond-async` gives the task instead.",
		body: t.Object({ prompt: t.String(), model: t.Optional(t.String()), n: t.Optional(t.Integer()) }),
		handle: generate,
	}));
};

/** Clients that ask for a stream get its last event for each picture: there are no partial ones. */
const streamed = (whole: Readonly<Record<string, unknown>>): Response => {
	const { data, created, ...rest } = whole;
	const events = (Array.isArray(data) ? (data as readonly WireRecord[]) : []).map((image) => {
		const event = { type: "image_generation.completed", ...image, created_at: created, ...rest };
		return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
	});
	return new Response(events.join(""), {
		headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
	});
};
