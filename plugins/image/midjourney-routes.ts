/** The routes that clients of midjourney-proxy call, under each of the paths they call them by. */
import { asList, asRecord, asText, Fault, type Identified, notServed, type Route } from "#core";
import { noSuchTask, type Task, type Tasks } from "../tasks/service.ts";
import { midjourneyModes } from "./kind.ts";
import { midjourneyOrder } from "./midjourney-orders.ts";
import { envelope, midjourneyView, renderMidjourneyDenial } from "./midjourney-views.ts";

/** `/:mode/mj` is what some clients make of a base address that names the mode; `/v1/mj` of one that ends in `/v1`. */
const prefixes = ["/mj", "/mj-fast", "/mj-relax", "/mj-turbo", "/:mode/mj"];

/** The mode in the path; undefined where there is none. */
const modeOf = (call: Identified): string | undefined => {
	const [, first = ""] = call.route.split("/");
	const word = (first === ":mode" ? (call.params.mode ?? "") : first).replace(/^mj-?/, "");
	if (word === "" || (first === ":mode" && word === "v1")) return undefined;
	if (!midjourneyModes.has(word)) throw new Fault(notServed(call.request));
	return word;
};

const listed = 100;

export const midjourneyRoutes = (tasks: Tasks): readonly Route[] => {
	const known = async (call: Identified): Promise<Task> => {
		modeOf(call);
		const task = await tasks.find(call, call.params.id ?? "");
		if (task?.kind !== "image") throw noSuchTask();
		return task;
	};

	const submitAs = async (call: Identified, path: string): Promise<Response> => {
		const mode = modeOf(call);
		const body = await tasks.read(call);
		const order = midjourneyOrder(path, body, mode);
		const parent = order.follows === undefined ? undefined : await tasks.find(call, order.follows);
		const inherited = parent && { model: parent.model, prompt: order.prompt || parent.prompt };
		const task = await tasks.submit(call, { ...order, ...inherited, callbackUrl: tasks.callbackUrlOf(body) });
		return envelope(task.id);
	};

	const submit = (call: Identified): Promise<Response> => submitAs(call, call.params.action ?? "");
	const swap = (call: Identified): Promise<Response> => submitAs(call, "swap");
	const fetchOne = async (call: Identified): Promise<Response> => Response.json(midjourneyView(await known(call)));

	const byIds = async (call: Identified): Promise<Response> => {
		modeOf(call);
		const ids = asList((await tasks.readQuestion(call)).ids).flatMap((id) => asText(id) ?? []);
		const found = new Map((await tasks.findAll(call, ids)).map((task) => [task.id, task]));
		const ordered = ids.flatMap((id) => found.get(id) ?? []).filter(({ kind }) => kind === "image");
		return Response.json(ordered.map(midjourneyView));
	};

	const list = async (call: Identified): Promise<Response> => {
		modeOf(call);
		const { data } = await tasks.list(call, { kind: "image", limit: listed });
		return Response.json(data.map(midjourneyView));
	};

	const queue = async (call: Identified): Promise<Response> => {
		modeOf(call);
		const waiting = await tasks.list(call, { kind: "image", status: "NOT_START", limit: listed, order: "asc" });
		const running = await tasks.list(call, { kind: "image", status: "IN_PROGRESS", limit: listed, order: "asc" });
		return Response.json([...running.data, ...waiting.data].map(midjourneyView));
	};

	const seed = async (call: Identified): Promise<Response> => {
		const found = asText(asRecord((await known(call)).result?.extra).seed);
		if (found === undefined)
			throw new Fault({
				kind: "unsupported",
				message: "The upstream did not say with which seed this picture was made.",
			});
		return envelope(found, "Found");
	};

	const cancel = async (call: Identified): Promise<Response> => {
		const task = await tasks.cancel(call, (await known(call)).id);
		return envelope(task.id, "Cancelled");
	};

	const content = async (call: Identified): Promise<Response> => tasks.content(call, await known(call), "image", 0);

	const at = (prefix: string): readonly Route[] => {
		const shared = { access: "token", renderDenial: renderMidjourneyDenial } as const;
		const get = { ...shared, method: "GET" } as const;
		const post = { ...shared, method: "POST" } as const;
		return [
			{
				...post,
				path: `${prefix}/submit/:action`,
				summary: "Submits an image task as clients of midjourney-proxy do.",
				handle: submit,
			},
			{ ...post, path: `${prefix}/insight-face/swap`, summary: "Submits an exchange of faces.", handle: swap },
			{ ...get, path: `${prefix}/task/:id/fetch`, summary: "Shows an image task.", handle: fetchOne },
			{ ...post, path: `${prefix}/task/list-by-condition`, summary: "Shows image tasks by their ids.", handle: byIds },
			{ ...post, path: `${prefix}/task/list-by-ids`, summary: "Shows image tasks by their ids.", handle: byIds },
			{ ...get, path: `${prefix}/task/list`, summary: "Lists the newest image tasks.", handle: list },
			{ ...get, path: `${prefix}/task/queue`, summary: "Lists image tasks that have not ended.", handle: queue },
			{
				...get,
				path: `${prefix}/task/:id/image-seed`,
				summary: "Says with which seed a picture was made.",
				handle: seed,
			},
			{ ...post, path: `${prefix}/task/:id/cancel`, summary: "Cancels an image task.", handle: cancel },
			{ ...get, path: `${prefix}/image/:id`, summary: "Gives the picture itself.", handle: content },
		];
	};
	return prefixes.flatMap(at);
};
