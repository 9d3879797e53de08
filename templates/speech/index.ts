/** A plugin that adds a kind of task: texts read aloud, as beeps. It imports `#core` and the service of tasks, nothing else. */
import { add, asText, definePlugin, Fault, type Identified, routes, t, type WireRecord } from "#core";
import {
	type Task,
	type TaskKind,
	type TaskOrder,
	type Tasks,
	taskKinds,
	tasks,
	taskUpstreams,
} from "#core/plugins/tasks";
import { beeps } from "./beeps.ts";

const read = (body: WireRecord): TaskOrder => {
	const prompt = asText(body["prompt"]) ?? "";
	if (prompt === "")
		throw new Fault({ kind: "invalid_request", parameter: "prompt", message: "Send the text to be read." });
	return {
		kind: "speech",
		action: "READ",
		model: asText(body["model"]) ?? "beeper",
		prompt,
		details: {},
		input: {},
		bound: { seconds: prompt.length },
	};
};

const kind: TaskKind = {
	name: "speech",
	words: { NOT_START: "waiting", IN_PROGRESS: "reading", SUCCESS: "read", FAILURE: "silent" },
	defaultModel: "beeper",
	timeoutMinutes: 1,
	read,
	callback: (task: Task) =>
		JSON.stringify({ id: task.id, state: kind.words[task.status], sound: task.result?.files[0]?.url ?? "" }),
	units: (task) => ({ seconds: Math.ceil(task.result?.duration ?? 0) }),
};

const say =
	(service: Tasks) =>
	async (call: Identified): Promise<Response> => {
		const body = await service.read(call);
		const task = await service.submit(call, { ...read(body), callbackUrl: service.callbackUrlOf(body) });
		return Response.json({ id: task.id, state: kind.words[task.status] });
	};

export default definePlugin({
	name: "speech",
	summary: "Reads texts aloud, by beeps.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { tasks },
	gives: [taskKinds, taskUpstreams, routes],
	setup: ({ needs }) => ({
		offers: [
			add(taskKinds, kind),
			add(taskUpstreams, {
				name: "beeper",
				kind: "speech",
				models: ["beeper"],
				concurrency: 2,
				pollDelaysMs: [1000],
				submit: async (job) => ({
					outcome: "done",
					made: {
						files: [{ role: "audio", mediaType: "audio/wav", bytes: beeps(job.prompt) }],
						duration: job.prompt.length / 4,
					},
				}),
			}),
			add(routes, {
				method: "POST",
				path: "/speech/say",
				access: "token",
				summary: "Reads a text aloud.",
				handle: say(needs.tasks),
			}),
		],
	}),
});
