/** `POST /v1/images/generations` and `/v1/images/edits`: a task that the client waits for, or does not. */
import {
	asText,
	type Identified,
	invalidParameter,
	isFault,
	openAiPaths,
	type Route,
	type TSchema,
	t,
	type WireRecord,
} from "#core";
import type { ResultFile, Task, TaskOrder, Tasks } from "../tasks/service.ts";
import { edit } from "./edit-pictures.ts";
import { failedTask, stillRunning } from "./failed.ts";
import { editOrder, imagineOrder, type ReadOrder } from "./openai-orders.ts";
import { pictureStream } from "./picture-stream.ts";

interface OpenAiRouteOptions {
	readonly tasks: Tasks;
	/** How long a client is let wait, in seconds. */
	readonly waitSeconds: number;
	readonly defaultModel: string;
}

/** A route's address after `/images`, how its body is read, and what its streams call each picture. */
interface ImageRoute {
	readonly path: string;
	readonly summary: string;
	readonly body: TSchema;
	readonly event: string;
	readonly read: ReadOrder;
}

const shared = { prompt: t.String(), model: t.Optional(t.String()), n: t.Optional(t.Integer()) };
const reference = t.Object({ image_url: t.String() });

const imageRoutes: readonly ImageRoute[] = [
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

/** Azure's addresses name the model; it goes before the one of the body. */
const withDeployment = (body: WireRecord, { params: { deployment } }: Identified): WireRecord =>
	deployment === undefined ? body : { ...body, model: deployment };

const mostPartials = 3;

/** How many pictures on their way the client wants of each. Forms send it as text. */
const partialsOf = ({ partial_images: value }: WireRecord): number => {
	if (value === undefined || value === null) return 0;
	const count = typeof value === "string" && value !== "" ? Number(value) : value;
	if (typeof count !== "number" || !Number.isInteger(count) || count < 0 || count > mostPartials)
		throw invalidParameter("partial_images", `"partial_images" must be a whole number from 0 to ${mostPartials}.`);
	return count;
};

/** The same order with pictures on their way, which cost something too. */
const showing = (order: TaskOrder, count: number): TaskOrder => {
	const { bound, input } = order;
	if (count === 0) return order;
	const partialImages = count * (bound.images ?? 1);
	return { ...order, input: { ...input, partial_images: count }, bound: { ...bound, partialImages } };
};

/** How a picture is handed over: as bytes, as an address, or as both. */
interface Handing {
	readonly bytes: boolean;
	readonly address: boolean;
}

const asBytes: Handing = { bytes: true, address: false };
const asAddress: Handing = { bytes: false, address: true };
const asBoth: Handing = { bytes: true, address: true };

/**
 * Models that only ever answer with bytes do so; others with an address unless told otherwise. A changed picture has both:
 * those who cannot say what they want, for these models take no word of it at `/edits`, read its bytes.
 */
const handingOf = (body: WireRecord, { model, action }: Task): Handing => {
	const format = asText(body.response_format);
	if (format !== undefined) return format === "b64_json" ? asBytes : asAddress;
	if (/^(?:gpt-image|chatgpt-image)/.test(model)) return asBytes;
	return action === edit ? asBoth : asAddress;
};

const imagesOf = (task: Task): readonly ResultFile[] =>
	(task.result?.files ?? []).filter(({ role }) => role === "image");

export const openAiRoutes = ({ tasks, waitSeconds, defaultModel }: OpenAiRouteOptions): readonly Route[] => {
	/** Where the address is handed over too, a file that cannot be had fails nothing. */
	const bytesOf = async (task: Task, file: ResultFile, { address }: Handing): Promise<Uint8Array | undefined> => {
		try {
			return await tasks.bytes(task, file);
		} catch (error) {
			if (address && isFault(error)) return undefined;
			throw error;
		}
	};

	const answer = async (task: Task, handing: Handing, streams: boolean): Promise<Readonly<Record<string, unknown>>> => {
		const extra = task.result?.extra ?? {};
		const prompts = Array.isArray(extra.revisedPrompts) ? (extra.revisedPrompts as readonly unknown[]) : [];
		const data = await Promise.all(
			imagesOf(task).map(async (file, index) => {
				const revised = asText(prompts[index]);
				const bytes = handing.bytes ? await bytesOf(task, file, handing) : undefined;
				return {
					...(bytes && { b64_json: Buffer.from(bytes).toString("base64") }),
					...(handing.address && { url: file.url }),
					...(revised !== undefined && { revised_prompt: revised }),
				};
			}),
		);
		const { n: _n, output_format: asked, ...details } = task.details;
		const made = imagesOf(task)[0]?.mediaType.replace(/^image\//, "");
		return {
			created: Math.floor(task.finishedAt / 1000),
			data,
			...details,
			// What came, which may be another than was asked for.
			...((streams || asked !== undefined) && { output_format: made ?? asked }),
			...(extra.usage !== undefined && { usage: extra.usage }),
		};
	};

	const make = async (call: Identified, { read, event }: ImageRoute): Promise<Response> => {
		const body = withDeployment(await tasks.read(call), call);
		const callbackUrl = tasks.callbackUrlOf(body);
		const waits = !prefersAsync(call, body, callbackUrl);
		const streams = waits && isTrue(body.stream);
		const order = await read(body, defaultModel);
		const shown = streams ? showing(order, partialsOf(body)) : order;
		const submitted = await tasks.submit(call, { ...shown, callbackUrl });
		if (!waits)
			return Response.json(tasks.view(submitted), {
				status: 202,
				headers: { location: `/v1/tasks/${submitted.id}`, "preference-applied": "respond-async" },
			});
		const whole = async (): Promise<WireRecord> => {
			const task = await tasks.ended(call, submitted.id, waitSeconds * 1000);
			if (task.status === "FAILURE") throw failedTask(task);
			if (task.status !== "SUCCESS") throw stillRunning(task, waitSeconds);
			return await answer(task, streams ? asBytes : handingOf(body, task), streams);
		};
		if (!streams) return Response.json(await whole());
		const watch = (told: (preview: WireRecord) => void) => tasks.watch(submitted.id, told);
		return await pictureStream({ event, watch, whole: whole(), answered: call.answered });
	};

	return imageRoutes.flatMap((route) =>
		openAiPaths(`/images${route.path}`).map((path) => ({
			method: "POST" as const,
			path,
			access: "token" as const,
			summary: route.summary,
			body: route.body,
			handle: (call: Identified) => make(call, route),
		})),
	);
};
