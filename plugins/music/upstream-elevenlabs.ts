/** ElevenLabs' music as an upstream: it answers with the song itself, so the song is kept and handed out by Portico. */
import { asNumber, asText, definedOnly } from "#core";
import { bySetting, type Submission, type TaskJob, type Tasks, type TaskUpstream } from "../tasks/service.ts";
import type { UpstreamSetting } from "./settings.ts";

const longestMs = 8 * 60_000;
const [shortest, longest] = [10_000, 300_000];

/** Constant bit rate of the format asked for, in bits a second. */
const bitRate = 128_000;
const format = "mp3_44100_128";

const bodyOf = (job: TaskJob): Readonly<Record<string, unknown>> => {
	const { seconds, instrumental, tags } = job.details;
	const style = asText(tags);
	const length = asNumber(seconds);
	return definedOnly({
		prompt: job.input.composition_plan === undefined ? [job.prompt, style].filter(Boolean).join("\n") : undefined,
		composition_plan: job.input.composition_plan,
		music_length_ms:
			length === undefined ? undefined : Math.min(longest, Math.max(shortest, Math.round(length * 1000))),
		force_instrumental: instrumental === true ? true : undefined,
		model_id: job.model,
	});
};

export const elevenLabsUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => definedOnly({ "xi-api-key": key }) });
	return {
		...bySetting(setting),
		kind: "music",
		actions: ["MUSIC"],
		pollDelaysMs: [5000],
		async submit(job, signal): Promise<Submission> {
			const answer = await connection.ask(`/v1/music?output_format=${format}`, {
				body: bodyOf(job),
				signal,
				timeoutMs: longestMs,
			});
			// What is JSON is no song.
			if (answer.sent !== "answered" || answer.status !== 200 || answer.bytes.length === 0 || answer.body !== undefined)
				return connection.refusal(answer);
			const duration = (answer.bytes.length * 8) / bitRate;
			const title = asText(job.details.title) ?? job.prompt.slice(0, 60);
			return {
				outcome: "done",
				made: { files: [{ role: "audio", mediaType: "audio/mpeg", bytes: answer.bytes }], title, duration },
			};
		},
	};
};
