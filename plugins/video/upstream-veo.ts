/** Google's Veo as an upstream. Its clips are only given to the holder of the key, so they are fetched and kept. */
import { asList, asNumber, asRecord, asText, definedOnly, isRecord, type WireRecord } from "#core";
import {
	bySetting,
	type JobState,
	type MadeFile,
	pictureData,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import { type UpstreamSetting, videoPollDelaysMs } from "./settings.ts";

/** How long its clips are when nothing is said. */
const usualSeconds = 8;

/** Parameters it knows; what other dialects send besides is left out. */
const parameterNames = ["negativePrompt", "personGeneration", "resolution", "seed", "generateAudio", "enhancePrompt"];

const shapeOf = (job: TaskJob): string | undefined => {
	const [, width, height] = /^(\d+)x(\d+)$/.exec(asText(job.details.size) ?? "") ?? [];
	if (width === undefined || height === undefined) return asText(job.details.aspectRatio);
	return Number(width) >= Number(height) ? "16:9" : "9:16";
};

const bodyOf = (job: TaskJob): WireRecord => {
	const picture = pictureData(asText(job.input.image) ?? "");
	const image = picture && { bytesBase64Encoded: picture.base64, mimeType: picture.mediaType };
	const { lastFrame, referenceImages, video } = job.input;
	const known = Object.fromEntries(parameterNames.map((name) => [name, job.input[name]]));
	const parameters = definedOnly({
		...known,
		aspectRatio: shapeOf(job),
		durationSeconds: asNumber(job.details.seconds),
	});
	return { instances: [definedOnly({ prompt: job.prompt, image, lastFrame, referenceImages, video })], parameters };
};

const needsBytes: Submission = {
	outcome: "refused",
	failure: {
		code: "upstream_refused",
		reason: "This model takes pictures as bytes only: send a file or base64, not an address.",
	},
};

const unfit = (reason: string): JobState => ({
	state: "failed",
	failure: { code: "content_policy_violation", reason },
});

export const veoUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => definedOnly({ "x-goog-api-key": key }) });

	const fileOf = (entry: unknown): readonly MadeFile[] => {
		const { uri, encodedVideo, bytesBase64Encoded } = asRecord(asRecord(entry).video ?? entry);
		const data = asText(encodedVideo) ?? asText(bytesBase64Encoded);
		const shared = { role: "video", mediaType: "video/mp4" };
		if (data !== undefined) return [{ ...shared, bytes: Uint8Array.from(Buffer.from(data, "base64")) }];
		return typeof uri === "string"
			? [{ ...shared, fetch: (signal: AbortSignal) => connection.fetchFile(uri, signal) }]
			: [];
	};

	const stateOf = (job: TaskJob, operation: WireRecord): JobState => {
		if (operation.done !== true) {
			const percent = asNumber(asRecord(operation.metadata).progressPercent);
			return { state: "running", ...definedOnly({ percent }) };
		}
		const { code, message } = asRecord(operation.error);
		if (code !== undefined || message !== undefined) {
			const reason = tasks.publicReason(asText(message) ?? "") || "The upstream could not make the clip.";
			return { state: "failed", failure: { code: "upstream_failed", reason } };
		}
		const response = asRecord(asRecord(operation.response).generateVideoResponse ?? operation.response);
		const samples = asList(response.generatedSamples ?? response.generatedVideos ?? response.videos);
		const files = samples.flatMap(fileOf);
		if (files.length === 0 && asNumber(response.raiMediaFilteredCount)) {
			const [why] = asList(response.raiMediaFilteredReasons);
			return unfit(tasks.publicReason(asText(why) ?? "") || "The upstream declined to give the clip.");
		}
		return { state: "done", made: { files, duration: asNumber(job.details.seconds) ?? usualSeconds } };
	};

	return {
		...bySetting(setting),
		kind: "video",
		actions: ["TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"],
		pollDelaysMs: videoPollDelaysMs,
		async submit(job, signal): Promise<Submission> {
			const image = asText(job.input.image);
			if (image !== undefined && !pictureData(image)) return needsBytes;
			const answer = await connection.ask(`/models/${encodeURIComponent(job.model)}:predictLongRunning`, {
				body: bodyOf(job),
				signal,
			});
			const id = answer.sent === "answered" && answer.status === 200 ? asText(asRecord(answer.body).name) : undefined;
			return id === undefined ? connection.refusal(answer) : { outcome: "accepted", upstreamId: id };
		},
		async cancel(job, signal) {
			const answer = await connection.ask(`/${job.upstreamId}:cancel`, { method: "POST", signal });
			// Google's way to say that its operations cannot be cancelled.
			if (answer.sent === "answered" && answer.status === 501) return "told";
			return connection.cancellation(answer);
		},
		async poll([job], signal) {
			if (!job) return [];
			const answer = await connection.ask(`/${job.upstreamId}`, { signal });
			return [
				answer.sent === "answered" && answer.status === 200 && isRecord(answer.body)
					? stateOf(job, answer.body)
					: connection.noState(answer),
			];
		},
	};
};
