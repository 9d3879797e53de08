/** Upstreams that serve `/v1/videos` as OpenAI published it. */
import { asNumber, asRecord, asText, bearer, definedOnly, isRecord, type WireRecord } from "#core";
import {
	bySetting,
	type Cancellation,
	type JobState,
	leadingNumber,
	type MadeFile,
	pictureData,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import { type UpstreamSetting, videoPollDelaysMs } from "./settings.ts";

/** What decides how much is made, and so what it costs, goes in the one field that was counted. */
const counted = new Set(["seconds", "duration", "durationSeconds", "sampleCount", "n", "image"]);

/** Always a form: it is what OpenAI's own clients send, so it is what every such server takes. */
const formOf = (job: TaskJob): FormData => {
	const form = new FormData();
	form.set("model", job.model);
	form.set("prompt", job.prompt);
	const { seconds, size } = job.details;
	if (asNumber(seconds) !== undefined) form.set("seconds", String(seconds));
	if (asText(size) !== undefined) form.set("size", String(size));
	for (const [name, value] of Object.entries(job.input)) {
		if (counted.has(name) || form.has(name) || value === null || value === undefined) continue;
		form.set(name, typeof value === "string" ? value : JSON.stringify(value));
	}
	const image = asText(job.input.image);
	const picture = image === undefined ? undefined : pictureData(image);
	if (image !== undefined && !picture) form.set("input_reference[image_url]", image);
	if (picture)
		form.set(
			"input_reference",
			new Blob([Buffer.from(picture.base64, "base64")], { type: picture.mediaType }),
			"reference",
		);
	return form;
};

/** Answers that a video cannot be deleted, at all or not while it is being made. */
const notToDelete: ReadonlySet<number> = new Set([400, 404, 405, 409, 422, 501]);

export const openAiUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => bearer(key) });

	/** An address of its own where it gives one; else the bytes, which need the key. */
	const filesOf = (id: string, video: WireRecord): readonly MadeFile[] => {
		const named = [video.video_url, video.url, asRecord(video.metadata).url];
		const [clip] = named.flatMap((address) => connection.files("video", "video/mp4", address));
		const content = `/videos/${encodeURIComponent(id)}/content`;
		return [
			clip ?? { role: "video", mediaType: "video/mp4", fetch: (signal) => connection.fetchFile(content, signal) },
			...connection.files("cover", "image/png", video.thumbnail_url),
		];
	};

	const stateOf = (job: TaskJob, video: WireRecord): JobState => {
		switch (video.status) {
			case "queued":
			case "pending":
			case "submitted":
				return { state: "waiting" };
			case "in_progress":
			case "processing":
			case "running":
				return { state: "running", ...definedOnly({ percent: leadingNumber(video.progress) }) };
			case "completed":
			case "succeeded": {
				const duration = leadingNumber(video.seconds);
				const told = definedOnly({ size: asText(video.size) || undefined, quality: asText(video.quality) });
				return {
					state: "done",
					made: { files: filesOf(job.upstreamId ?? "", video), told, ...definedOnly({ duration }) },
				};
			}
			case "failed":
			case "cancelled": {
				const { code, message } = asRecord(video.error);
				const reason = tasks.publicReason(asText(message) ?? "") || "The upstream could not make the clip.";
				const unfit = /moderation|policy|safety/i.test(asText(code) ?? "");
				return { state: "failed", failure: { code: unfit ? "content_policy_violation" : "upstream_failed", reason } };
			}
			default:
				return { state: "strange", word: asText(video.status) ?? typeof video.status };
		}
	};

	const pathOf = (job: TaskJob): string =>
		job.action === "REMIX" && job.parent ? `/videos/${encodeURIComponent(job.parent.upstreamId)}/remix` : "/videos";

	/** OpenAI's has no other word for it than to delete the video; some that speak as it does take a cancel. */
	const cancel = async (job: TaskJob, signal: AbortSignal): Promise<Cancellation> => {
		const path = `/videos/${encodeURIComponent(job.upstreamId ?? "")}`;
		const deleted = await connection.ask(path, { method: "DELETE", signal });
		if (deleted.sent !== "answered" || !notToDelete.has(deleted.status)) return connection.cancellation(deleted);
		return connection.cancellation(await connection.ask(`${path}/cancel`, { method: "POST", signal }));
	};

	return {
		...bySetting(setting),
		kind: "video",
		actions: ["TEXT_TO_VIDEO", "IMAGE_TO_VIDEO", "REMIX"],
		pollDelaysMs: videoPollDelaysMs,
		async submit(job, signal): Promise<Submission> {
			const body = job.action === "REMIX" ? { prompt: job.prompt } : formOf(job);
			const answer = await connection.ask(pathOf(job), { body, signal, timeoutMs: 120_000 });
			const accepted = answer.sent === "answered" && answer.status >= 200 && answer.status < 300;
			const { id, task_id: taskId } = accepted ? asRecord(answer.body) : {};
			const upstreamId = asText(id) ?? asText(taskId);
			return upstreamId === undefined ? connection.refusal(answer) : { outcome: "accepted", upstreamId };
		},
		cancel,
		async poll([job], signal) {
			if (!job) return [];
			const answer = await connection.ask(`/videos/${encodeURIComponent(job.upstreamId ?? "")}`, { signal });
			return [
				answer.sent === "answered" && answer.status === 200 && isRecord(answer.body)
					? stateOf(job, answer.body)
					: connection.noState(answer),
			];
		},
	};
};
