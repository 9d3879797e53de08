/** `POST /v1/images/generations` and `/v1/images/edits`: a task that the client waits for, or does not. */
import { asText, type Identified, type Route, type TSchema, t, type WireRecord } from "#core";
import type { ResultFile, Task, Tasks } from "../tasks/service.ts";
import { failedTask, stillRunning } from "./failed.ts";
import { editOrder, imagineOrder, type ReadOrder } from "./openai-orders.ts";

export interface OpenAiRouteOptions {
	readonly tasks: Tasks;
	/** How long a client is let wait, in seconds. */
	readonly waitSeconds: number;
	readonly defaultModel: string;
}

/** A route's address after `/images`, how its body is read, and what its streams call each picture. */
interface Door {
	readonly path: string;
	readonly summary: string;
	readonly body: TSchema;
	readonly event: string;
	readonly read: ReadOrder;
}

const shared = { prompt: t.String(), model: t.Optional(t.String()), n: t.Optional(t.Integer()) };
const reference = t.Object({ image_url: t.String() });

const doors: readonly Door[] = [
	{
		path: "/generations",
		summary: "Makes pictures and answers when they are done; `Prefer: respond-async` gives the task instead.",
		body: t.Object(shared),
		event: "image_generation.completed",
		read: imagineOrder,
	},
	{
		path: "/edits",
		summary: "Changes pictures, sent in a form or as addresses, and answers as `/v1/images/generations` does.",
		body: t.Object({ ...shared, images: t.Array(reference), mask: t.Optional(reference) }),
		event: "image_edit.completed",
		read: editOrder,
	},
];

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

	const make = async (call: Identified, { read, event }: Door): Promise<Response> => {
		const body = await tasks.read(call);
		const callbackUrl = tasks.callbackUrlOf(body);
		const submitted = await tasks.submit(call, { ...(await read(body, defaultModel)), callbackUrl });
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
		return streamed(event, whole);
	};

	return doors.flatMap((door) =>
		["/v1/images", "/images"].map((root) => ({
			method: "POST" as const,
			path: root + door.path,
			access: "token" as const,
			summary: door.summary,
			body: door.body,
			handle: (call: Identified) => make(call, door),
		})),
	);
};

/** Clients that ask for a stream get its last event for each picture: there are no partial ones. */
const streamed = (type: string, whole: Readonly<Record<string, unknown>>): Response => {
	const { data, created, ...rest } = whole;
	const events = (Array.isArray(data) ? (data as readonly WireRecord[]) : []).map((image) => {
		const event = { type, ...image, created_at: created, ...rest };
		return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
	});
	return new Response(events.join(""), {
		headers: { "content-type": "text/event-stream", "cache-control": "no-cache" },
	});
};
