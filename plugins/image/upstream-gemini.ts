/** Google's picture models as an upstream: those that answer in a conversation, and Imagen. */
import { asList, asRecord, asText, definedOnly, type WireRecord } from "#core";
import {
	bySetting,
	type Made,
	type MadeFile,
	pictureData,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import { edit, picturesOf } from "./edit-pictures.ts";
import type { UpstreamSetting } from "./settings.ts";

const longestMs = 5 * 60_000;

const shapes: readonly (readonly [name: string, ratio: number])[] = [
	["1:1", 1],
	["3:4", 3 / 4],
	["4:3", 4 / 3],
	["9:16", 9 / 16],
	["16:9", 16 / 9],
];

/** The nearest shape there is to `1024x1536`; a shape that is named is kept. */
const shapeOf = (job: TaskJob): string | undefined => {
	const given = asText(job.input.aspect_ratio) ?? asText(job.input.aspectRatio);
	const size = /^(\d+)x(\d+)$/.exec(asText(job.details.size) ?? "");
	if (given !== undefined || !size) return given;
	const ratio = Math.log(Number(size[1]) / Number(size[2]));
	const distance = (shape: readonly [string, number]): number => Math.abs(Math.log(shape[1]) - ratio);
	return [...shapes].sort((a, b) => distance(a) - distance(b))[0]?.[0];
};

const file = (data: unknown, mediaType: unknown): readonly MadeFile[] =>
	typeof data === "string" && data !== ""
		? [
				{
					role: "image",
					mediaType: asText(mediaType) ?? "image/png",
					bytes: Uint8Array.from(Buffer.from(data, "base64")),
				},
			]
		: [];

/** The pictures that the model answers with; those that it thought in are drafts of them. */
const filesOf = (body: unknown): readonly MadeFile[] => {
	const { candidates, predictions } = asRecord(body);
	const inline = asList(candidates)
		.flatMap((candidate) => asList(asRecord(asRecord(candidate).content).parts))
		.map(asRecord)
		.filter(({ thought }) => thought !== true)
		.map(({ inlineData }) => asRecord(inlineData));
	return [
		...inline.flatMap(({ data, mimeType }) => file(data, mimeType)),
		...asList(predictions)
			.map(asRecord)
			.flatMap(({ bytesBase64Encoded, mimeType }) => file(bytesBase64Encoded, mimeType)),
	];
};

/** Why there is no picture: the prompt or the picture was found unfit, or nothing is said. */
const refusalOf = (body: unknown): Submission => {
	const { promptFeedback, candidates } = asRecord(body);
	const reasons = [
		asRecord(promptFeedback).blockReason,
		...asList(candidates).map((candidate) => asRecord(candidate).finishReason),
	];
	const reason = reasons.map(asText).find((word) => word !== undefined && word !== "STOP");
	if (reason === undefined) return { outcome: "done", made: { files: [] } };
	return {
		outcome: "refused",
		failure: { code: "content_policy_violation", reason: `The upstream declined to make the picture (${reason}).` },
	};
};

const isImagen = ({ model }: TaskJob): boolean => /^imagen/.test(model);

/** What it cannot do, said before anything is asked of it. */
const unableTo = (job: TaskJob): Submission | undefined => {
	const refused = (code: string, reason: string): Submission => ({ outcome: "refused", failure: { code, reason } });
	if (job.action === edit && isImagen(job))
		return refused("edit_unsupported", "This model makes pictures and changes none; ask another model for the edit.");
	if (picturesOf(job).mask !== undefined)
		return refused(
			"mask_unsupported",
			"This model takes no mask; say in the prompt which part of the picture to change.",
		);
	return undefined;
};

const partOf = (picture: string): WireRecord => {
	const data = pictureData(picture);
	return data ? { inlineData: { mimeType: data.mediaType, data: data.base64 } } : { fileData: { fileUri: picture } };
};

const requestOf = (job: TaskJob, count: number): { readonly verb: string; readonly body: unknown } => {
	const aspectRatio = shapeOf(job);
	if (isImagen(job)) {
		const parameters = { sampleCount: count, ...(aspectRatio !== undefined && { aspectRatio }) };
		return { verb: "predict", body: { instances: [{ prompt: job.prompt }], parameters } };
	}
	const generationConfig = {
		responseModalities: ["TEXT", "IMAGE"],
		...(aspectRatio !== undefined && { imageConfig: { aspectRatio } }),
	};
	const parts = [...picturesOf(job).images.map(partOf), { text: job.prompt }];
	return { verb: "generateContent", body: { contents: [{ role: "user", parts }], generationConfig } };
};

/**
 * What came before a request that gave no picture. Of one whose answer was lost, or holds none and no reason, nobody knows
 * what it is billed: it counts as a picture.
 */
const upTo = (files: readonly MadeFile[], last: Submission): Made => {
	const mayBeBilled = last.outcome === "done" || (last.outcome === "unknown" && last.saidFailed !== true);
	return mayBeBilled ? { files, told: { n: files.length + 1 } } : { files };
};

export const geminiUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => definedOnly({ "x-goog-api-key": key }) });
	return {
		...bySetting(setting),
		kind: "image",
		actions: ["IMAGINE", edit],
		pollDelaysMs: [5000],
		async submit(job, signal): Promise<Submission> {
			const unable = unableTo(job);
			if (unable) return unable;
			const count = Number(job.details.n ?? 1);
			const { verb, body } = requestOf(job, count);
			const path = `/models/${encodeURIComponent(job.model)}:${verb}`;
			const ask = async (): Promise<readonly MadeFile[] | Submission> => {
				const answer = await connection.ask(path, { body, signal, timeoutMs: longestMs });
				if (answer.sent !== "answered" || answer.status !== 200) return connection.refusal(answer);
				const made = filesOf(answer.body);
				return made.length > 0 ? made : refusalOf(answer.body);
			};
			const files: MadeFile[] = [];
			// A conversation gives one picture; several are asked for one after the other, and what came before a failure counts.
			while (files.length < count) {
				const made = await ask();
				if ("outcome" in made) return files.length > 0 ? { outcome: "done", made: upTo(files, made) } : made;
				files.push(...made);
			}
			return { outcome: "done", made: { files } };
		},
	};
};
