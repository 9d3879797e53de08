/** The demo's work on tasks: pictures, clips and tunes of its own making, at a pace one can watch, without an account. */
import { setImmediate as turn } from "node:timers/promises";
import { asNumber, asText, type Clock, definedOnly, type WireRecord } from "#core";
import type { JobState, Made, MadeFile, Show, TaskJob, TaskUpstream } from "../tasks/service.ts";
import { wordsOf } from "./answer.ts";
import { film } from "./film.ts";
import { drawnSoFar, drawPicture, pngOf } from "./picture.ts";
import { encodeTune } from "./tune.ts";

interface DemoTaskOptions {
	readonly clock: Clock;
	/** Seconds from submission to the end. The first quarter is spent waiting. */
	readonly seconds: number;
	/** Models it does besides `demo*`. */
	readonly models: readonly string[];
}

const caption = "PORTICO DEMO";

/** `/fail` as the last words of a prompt asks for a failure, `/fail out of paint` for one with a reason. */
const failure = /(?:^|\s)\/fail\b(.*)$/is;

/** The job's name says when it began, so that nothing need be remembered over a restart. */
const nameOf = (job: TaskJob, at: number): string => `demo-${at}-${job.id}`;

const beganAt = (job: TaskJob): number => Number(/^demo-(\d+)-/.exec(job.upstreamId ?? "")?.[1] ?? job.submittedAt);

const whole = (value: unknown, least: number, most: number, fallback: number): number => {
	const number = asNumber(value) ?? Number(asText(value) ?? Number.NaN);
	return Number.isFinite(number) ? Math.min(most, Math.max(least, Math.round(number))) : fallback;
};

/** `1024x768` or `16:9`, as two sides of at most `longest` that are multiples of 16. */
const sidesOf = (details: TaskJob["details"], longest: number): readonly [number, number] => {
	const match = /^(\d{1,5})\s*[x:]\s*(\d{1,5})$/i.exec(asText(details.size) ?? asText(details.aspectRatio) ?? "");
	const [width, height] = match ? [Number(match[1]), Number(match[2])] : [1, 1];
	const scale = longest / Math.max(width, height, 1);
	const side = (length: number): number => Math.max(64, Math.round((length * scale) / 16) * 16);
	return [side(width), side(height)];
};

const captionFor = (job: TaskJob): string =>
	["IMAGINE", "GENERATE", "TEXT_TO_VIDEO", "IMAGE_TO_VIDEO"].includes(job.action)
		? caption
		: `${caption}: ${job.action}`;

const pictureOf = (job: TaskJob, index: number) => {
	const [width, height] = sidesOf(job.details, 512);
	return drawPicture(captionFor(job), job.prompt, width, height, index * 7);
};

const image = (job: TaskJob): Made => {
	const count = whole(job.details.n, 1, 10, 1);
	const files = Array.from({ length: count }, (_, index): MadeFile => {
		return { role: "image", mediaType: "image/png", bytes: pngOf(pictureOf(job, index)) };
	});
	const described = job.action === "DESCRIBE" ? { prompt: "A picture that somebody showed to a demo." } : {};
	return { files, extra: { ...described, usage: usageOf(job.prompt) } };
};

/** As OpenAI's models of pictures tell it: what was read, in words, and what was drawn, which is no tokens. */
const usageOf = (prompt: string): WireRecord => {
	const text_tokens = wordsOf(prompt).length;
	const input_tokens_details = { text_tokens, image_tokens: 0 };
	return { input_tokens: text_tokens, output_tokens: 0, total_tokens: text_tokens, input_tokens_details };
};

/** A picture on its way, as OpenAI's events tell of it; `share` of it is drawn. */
const previewOf = (job: TaskJob, index: number, share: number): WireRecord => ({
	b64_json: Buffer.from(pngOf(drawnSoFar(pictureOf(job, 0), share))).toString("base64"),
	partial_image_index: index,
	created_at: Math.floor(job.submittedAt / 1000),
	...definedOnly({ size: job.details.size, quality: job.details.quality, background: job.details.background }),
	output_format: "png",
});

const video = (job: TaskJob): Made => {
	const [width, height] = sidesOf({ size: job.details.size ?? "16:9", aspectRatio: job.details.aspectRatio }, 320);
	const seconds = whole(job.details.seconds, 1, 12, 5);
	const cover = pngOf(drawPicture(captionFor(job), job.prompt, width, height));
	return {
		files: [
			{ role: "video", mediaType: "video/mp4", bytes: film(seconds) },
			{ role: "cover", mediaType: "image/png", bytes: cover },
		],
		duration: seconds,
	};
};

/** Two variants, as the services whose clients come here give. */
const music = (job: TaskJob): Made => {
	const title = asText(job.details.title) ?? job.prompt.slice(0, 40);
	if (job.action === "LYRICS") return { files: [], title, extra: { text: lyricsOf(job.prompt) } };
	const seconds = whole(job.details.seconds, 1, 30, 8);
	const files = [0, 1].flatMap((variant): MadeFile[] => [
		{ role: "audio", mediaType: "audio/wav", bytes: encodeTune(job.prompt, seconds, variant) },
		{ role: "cover", mediaType: "image/png", bytes: pngOf(drawPicture(captionFor(job), title, 256, 256, variant * 9)) },
	]);
	return { files, title, duration: seconds, extra: { clips: [{ duration: seconds }, { duration: seconds }] } };
};

const lyricsOf = (prompt: string): string =>
	`[Verse]\nThis is the demo, it cannot sing,\nYou asked for ${prompt.slice(0, 200)},\nIt made you this thing.\n\n[Chorus]\nAdd an upstream, then ask again.`;

export const demoTaskUpstreams = ({ clock, seconds, models }: DemoTaskOptions): readonly TaskUpstream[] => {
	const total = Math.max(0.1, seconds) * 1000;

	const stateOf = (job: TaskJob, now: number, make: (job: TaskJob) => Made): JobState => {
		const done = (now - beganAt(job)) / total;
		if (done < 0.25) return { state: "waiting" };
		if (done < 1) return { state: "running", percent: done * 100 };
		const asked = failure.exec(job.prompt);
		if (!asked) return { state: "done", made: make(job) };
		return {
			state: "failed",
			failure: { code: "demo_failure", reason: asked[1]?.trim() || "The prompt asked for a failure." },
		};
	};

	/** How many previews of each running job have been shown. */
	const shown = new Map<string, number>();

	/** The pictures on their way that are due by now: those asked for, at even steps. */
	const showDue = (job: TaskJob, now: number, show: Show): void => {
		const wanted = whole(job.memo.partialImages, 0, 3, 0);
		const done = (now - beganAt(job)) / total;
		const due = Math.min(wanted, Math.floor(done * (wanted + 1)));
		for (let index = shown.get(job.id) ?? 0; index < due; index++)
			show(job, previewOf(job, index, (index + 1) / (wanted + 1)));
		if (done < 1) shown.set(job.id, due);
		else shown.delete(job.id);
	};

	const upstream = (kind: string, make: (job: TaskJob) => Made): TaskUpstream => ({
		name: `demo-${kind}`,
		kind,
		models: ["demo*", ...models],
		free: true,
		concurrency: 16,
		pollDelaysMs: [total / 4, total / 8],
		pollsTogether: 50,
		submit: async (job) => {
			const memo = definedOnly({ partialImages: job.input.partial_images });
			return { outcome: "accepted", upstreamId: nameOf(job, clock.now()), memo };
		},
		async poll(jobs, _signal, show) {
			// Drawing takes time: a job that was not done when its previews were counted is not done here either.
			const now = clock.now();
			for (const job of jobs) if (job.memo.partialImages !== undefined) showDue(job, now, show);
			const states: JobState[] = [];
			for (const job of jobs) {
				const state = stateOf(job, now, make);
				states.push(state);
				// What was drawn took milliseconds: whoever waits for something else comes first.
				if (state.state === "done") await turn();
			}
			return states;
		},
		find: async (job) => nameOf(job, job.submittedAt),
		async cancel(job) {
			shown.delete(job.id);
			return "unbilled";
		},
	});

	return [upstream("image", image), upstream("video", video), upstream("music", music)];
};
