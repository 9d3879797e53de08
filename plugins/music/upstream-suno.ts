/** Suno-API and whatever speaks as it does, as an upstream. */
import { asList, asNumber, asRecord, asText, bearer, definedOnly, isRecord, type WireRecord } from "#core";
import {
	type Answer,
	bySetting,
	type Connection,
	type JobState,
	leadingNumber,
	type Made,
	type MadeFile,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import type { UpstreamSetting } from "./settings.ts";

const bodyOf = (job: TaskJob): WireRecord => {
	const { described, title, tags, instrumental } = job.details;
	const text = described === true ? { gpt_description_prompt: job.prompt } : { prompt: job.prompt };
	const parent = job.parent && { task_id: job.parent.upstreamId };
	return {
		...job.input,
		mv: job.model,
		...text,
		...definedOnly({ title, tags, make_instrumental: instrumental }),
		...parent,
	};
};

const submissionOf = (answer: Answer, connection: Connection, tasks: Tasks): Submission => {
	if (answer.sent !== "answered" || !isRecord(answer.body)) return connection.refusal(answer);
	const { code, data, message } = answer.body;
	const id = asText(data) ?? asText(asRecord(data).task_id);
	if ((code === "success" || code === 1 || code === 200) && id) return { outcome: "accepted", upstreamId: id };
	return connection.refusal(answer, tasks.publicReason(asText(message) ?? ""));
};

const filesOf = (connection: Connection, clip: WireRecord): readonly MadeFile[] => [
	...connection.files("audio", "audio/mpeg", clip.audio_url),
	...connection.files("cover", "image/jpeg", clip.image_large_url ?? clip.image_url),
	...connection.files("video", "video/mp4", clip.video_url),
];

/** The first clip that is complete comes first: it is the one that callbacks are about. */
const songOf = (connection: Connection, clips: readonly WireRecord[]): Made => {
	const files = (clip: WireRecord): readonly MadeFile[] => filesOf(connection, clip);
	const complete = clips.filter((clip) => clip.status === undefined || clip.status === "complete");
	const usable = complete.filter((clip) => files(clip).some(({ role }) => role === "audio"));
	const about = usable.map((clip) => {
		const metadata = asRecord(clip.metadata);
		return definedOnly({
			id: asText(clip.id),
			title: asText(clip.title),
			duration: asNumber(clip.duration) ?? asNumber(metadata.duration),
			tags: asText(clip.tags) ?? asText(metadata.tags),
			prompt: asText(metadata.prompt),
		});
	});
	const [first] = about;
	return {
		files: usable.flatMap(files),
		...definedOnly({ title: first?.title, duration: first?.duration }),
		extra: { clips: about },
	};
};

const madeOf = (connection: Connection, job: TaskJob, data: unknown): Made => {
	if (job.action === "LYRICS") {
		const { text, title } = asRecord(Array.isArray(data) ? data[0] : data);
		const words = asText(text);
		return {
			files: [],
			...definedOnly({ title: asText(title), extra: words === undefined ? undefined : { text: words } }),
		};
	}
	const made = songOf(connection, asList(data).map(asRecord));
	return made.files.length > 0 ? made : { files: [] };
};

/** Some services call a task done while its clips are still being streamed. */
const stillSinging = (job: TaskJob, data: unknown): boolean => {
	const states = asList(data).map((clip) => asText(asRecord(clip).status) ?? "complete");
	return job.action === "MUSIC" && !states.includes("complete") && states.some((state) => state !== "error");
};

/** What the upstream says of one task. */
const sunoState = (
	connection: Connection,
	job: TaskJob,
	task: unknown,
	publicReason: (reason: string) => string,
): JobState => {
	if (!isRecord(task)) return { state: "missing" };
	const status = asText(task.status)?.toUpperCase();
	switch (status) {
		case "NOT_START":
		case "SUBMITTED":
		case "QUEUED":
		case "UNKNOWN":
			return { state: "waiting" };
		case "IN_PROGRESS":
		case "PROCESSING":
			return { state: "running", ...definedOnly({ percent: leadingNumber(task.progress) }) };
		case "FAILURE":
		case "ERROR": {
			const reason = publicReason(asText(task.fail_reason) ?? "") || "The upstream could not make the song.";
			return {
				state: "failed",
				failure: {
					code: /moderation|policy|copyright/i.test(reason) ? "content_policy_violation" : "upstream_failed",
					reason,
				},
			};
		}
		case "SUCCESS":
		case "COMPLETE":
			return stillSinging(job, task.data)
				? { state: "running" }
				: { state: "done", made: madeOf(connection, job, task.data) };
		default:
			return { state: "strange", word: status ?? typeof task.status };
	}
};

export const sunoUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => bearer(key) });
	return {
		...bySetting(setting),
		kind: "music",
		pollDelaysMs: [5000],
		pollsTogether: 50,
		async submit(job, signal) {
			const path = job.action === "LYRICS" ? "/suno/submit/lyrics" : "/suno/submit/music";
			return submissionOf(await connection.ask(path, { body: bodyOf(job), signal }), connection, tasks);
		},
		async poll(jobs, signal) {
			const ids = jobs.map(({ upstreamId }) => upstreamId);
			const answer = await connection.ask("/suno/fetch", { body: { ids }, signal });
			const data = answer.sent === "answered" && answer.status === 200 ? asRecord(answer.body).data : undefined;
			if (!Array.isArray(data)) return jobs.map((): JobState => ({ state: "unanswered" }));
			const found = new Map(data.map((task) => [asText(asRecord(task).task_id), task]));
			return jobs.map((job) => sunoState(connection, job, found.get(job.upstreamId), tasks.publicReason));
		},
	};
};
