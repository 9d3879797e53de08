/** midjourney-proxy and whatever speaks as it does, as an upstream. */
import { asList, asRecord, asText, definedOnly, isRecord, lookup, type WireRecord } from "#core";
import {
	bySetting,
	type Connection,
	type JobState,
	leadingNumber,
	type MadeFile,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import { midjourneyModes } from "./kind.ts";
import type { UpstreamSetting } from "./settings.ts";

/** The last part of the path for each action; what is not here is a button's. */
const paths = lookup<string>({
	IMAGINE: "submit/imagine",
	UPSCALE: "submit/change",
	VARIATION: "submit/change",
	REROLL: "submit/change",
	BLEND: "submit/blend",
	DESCRIBE: "submit/describe",
	MODAL: "submit/modal",
	SHORTEN: "submit/shorten",
	EDITS: "submit/edits",
	RETEXTURE: "submit/retexture",
	SHOW: "submit/show",
	VIDEO: "submit/video",
	SWAP_FACE: "insight-face/swap",
});

/** What its buttons do besides; an edit of pictures as OpenAI's clients mean it is none of them. */
const actions = [...Object.keys(paths), "ZOOM", "PAN", "INPAINT", "ACTION"];

/** Clients of other dialects have a field for the mode, and what it says must be what is done: prices go by it. */
const pathOf = (job: TaskJob): string => {
	const mode = job.details.mode ?? job.input.mode;
	const last = asText(job.input.customId) !== undefined ? "submit/action" : (paths[job.action] ?? "submit/action");
	return `${midjourneyModes.has(mode) ? `/mj-${mode}` : ""}/mj/${last}`;
};

const bodyOf = (job: TaskJob): WireRecord => {
	const { parent, prompt } = job;
	const changes = paths[job.action] === "submit/change" && { action: job.action };
	return {
		...job.input,
		...changes,
		...(prompt !== "" && { prompt }),
		...(parent && { taskId: parent.upstreamId }),
	};
};

/** 1 submitted, 21 known already, 22 queued. */
const accepted: ReadonlySet<unknown> = new Set([1, 21, 22]);
const queueFull = 23;
const bannedPrompt = 24;

const submissionOf = (
	answer: Awaited<ReturnType<Connection["ask"]>>,
	connection: Connection,
	tasks: Tasks,
): Submission => {
	if (answer.sent !== "answered" || !isRecord(answer.body) || answer.status === 429) return connection.refusal(answer);
	const { code, result, description } = answer.body;
	const id = typeof result === "number" ? String(result) : asText(result);
	if (accepted.has(code) && id) return { outcome: "accepted", upstreamId: id };
	if (code === queueFull) return { outcome: "busy" };
	if (answer.status >= 400 && answer.status !== 400) return connection.refusal(answer);
	const reason = tasks.publicReason(asText(description) ?? "") || "The upstream refused the task.";
	if (code === bannedPrompt) return { outcome: "refused", failure: { code: "content_policy_violation", reason } };
	return typeof code === "number"
		? { outcome: "refused", failure: { code: "upstream_refused", reason } }
		: connection.refusal(answer);
};

const filesOf = (connection: Connection, task: WireRecord): readonly MadeFile[] => {
	const videos = asList(task.videoUrls).map((entry) => asRecord(entry).url ?? entry);
	return [
		...connection.files("image", "image/png", task.imageUrl),
		...(videos.length > 0 ? videos : [task.videoUrl]).flatMap((url) => connection.files("video", "video/mp4", url)),
	];
};

/** What the upstream says of one task. */
const midjourneyState = (connection: Connection, task: unknown, publicReason: (reason: string) => string): JobState => {
	if (!isRecord(task)) return { state: "missing" };
	const { status, failReason, buttons, properties, promptEn, description, prompt, action } = task;
	switch (status) {
		case "NOT_START":
		case "SUBMITTED":
		case "MODAL":
			return { state: "waiting" };
		case "IN_PROGRESS":
			return { state: "running", ...definedOnly({ percent: leadingNumber(task.progress) }) };
		case "FAILURE":
		case "CANCEL": {
			const reason = publicReason(asText(failReason) ?? "") || "The upstream could not make the picture.";
			const code = /banned|moderat|sensitive|policy/i.test(reason) ? "content_policy_violation" : "upstream_failed";
			return { state: "failed", failure: { code, reason } };
		}
		case "SUCCESS": {
			const described = action === "DESCRIBE" ? { prompt: asText(prompt) ?? asText(promptEn) } : {};
			const texts = { promptEn: asText(promptEn), description: asText(description), ...described };
			const extra = definedOnly({ ...texts, buttons: asList(buttons), properties: asRecord(properties) });
			const files = filesOf(connection, task);
			return {
				state: "done",
				made: files.length === 0 && described.prompt === undefined ? { files } : { files, extra },
			};
		}
		default:
			return { state: "strange", word: asText(status) ?? typeof status };
	}
};

export const midjourneyUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => definedOnly({ "mj-api-secret": key }) });

	/** Of a service that does not know the list. */
	const stateOf = async (id: string, signal: AbortSignal): Promise<JobState> => {
		const answer = await connection.ask(`/mj/task/${encodeURIComponent(id)}/fetch`, { signal });
		if (answer.sent !== "answered" || answer.status !== 200) return connection.noState(answer);
		// It answers with nothing where it does not know the task; what is no JSON is not its answer.
		if (answer.body === undefined && answer.bytes.length > 0) return connection.noState(answer);
		return midjourneyState(connection, answer.body, tasks.publicReason);
	};

	return {
		...bySetting(setting),
		kind: "image",
		actions,
		pollDelaysMs: [3000, 3000, 3000, 5000],
		pollsTogether: 50,
		async submit(job, signal) {
			return submissionOf(await connection.ask(pathOf(job), { body: bodyOf(job), signal }), connection, tasks);
		},
		async poll(jobs, signal) {
			const ids = jobs.map(({ upstreamId }) => upstreamId ?? "");
			const answer = await connection.ask("/mj/task/list-by-condition", { body: { ids }, signal });
			if (answer.sent === "answered" && Array.isArray(answer.body)) {
				const found = new Map(answer.body.map((task) => [String(asRecord(task).id), task]));
				return ids.map((id) => midjourneyState(connection, found.get(id), tasks.publicReason));
			}
			if (answer.sent === "answered" && (answer.status === 404 || answer.status === 405))
				return await Promise.all(ids.map((id) => stateOf(id, signal)));
			return jobs.map(() => connection.noState(answer));
		},
		// The window that a button opens belongs to that button's job: what is filled in there goes on with it, and makes no other.
		find: ({ action, parent }) => Promise.resolve(action === "MODAL" ? parent?.upstreamId : undefined),
		async cancel(job, signal) {
			const path = `/mj/task/${encodeURIComponent(job.upstreamId ?? "")}/cancel`;
			return connection.cancellation(await connection.ask(path, { method: "POST", signal }));
		},
	};
};
