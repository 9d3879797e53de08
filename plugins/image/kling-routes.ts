/** Pictures as Kling's clients ask for them. */
import { definedOnly, type Identified, type Route, type WireRecord } from "#core";
import {
	findKlingTask,
	klingAnswer,
	klingFields,
	klingPage,
	klingTask,
	noSuchTask,
	renderKlingDenial,
	type Task,
	type TaskOrder,
	type Tasks,
} from "../tasks/service.ts";
import { countOf, promptOf, withoutPartials } from "./kind.ts";

const orderOf = (body: WireRecord): TaskOrder => {
	const n = countOf(body.n);
	const { model, externalId, aspectRatio, input } = klingFields(body);
	return {
		kind: "image",
		action: "IMAGINE",
		model,
		prompt: promptOf(body.prompt, true),
		details: { n, ...definedOnly({ externalId, aspectRatio }) },
		input: withoutPartials(input),
		bound: { images: n },
	};
};

const dataOf = (task: Task): WireRecord =>
	klingTask(task, () => ({
		images: (task.result?.files ?? []).filter(({ role }) => role === "image").map(({ url }, index) => ({ index, url })),
	}));

export const klingRoutes = (tasks: Tasks): readonly Route[] => {
	const submit = async (call: Identified): Promise<Response> => {
		const body = await tasks.read(call);
		const task = await tasks.submit(call, { ...orderOf(body), callbackUrl: tasks.callbackUrlOf(body) });
		return klingAnswer(call, dataOf(task), task);
	};

	const show = async (call: Identified): Promise<Response> => {
		const task = await findKlingTask(tasks, call, "image");
		if (!task) throw noSuchTask();
		return klingAnswer(call, dataOf(task), task);
	};

	const list = async (call: Identified): Promise<Response> => {
		const { data } = await tasks.list(call, { kind: "image", ...klingPage(call) });
		return klingAnswer(call, data.map(dataOf));
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
