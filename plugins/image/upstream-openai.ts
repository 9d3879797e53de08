/** OpenAI's images and whatever speaks as they do, as an upstream: it answers when the pictures are done. */
import { asList, asRecord, asText, definedOnly, lookup } from "#core";
import type { Made, MadeFile, Submission, TaskJob, Tasks, TaskUpstream } from "../tasks/service.ts";
import type { UpstreamSetting } from "./settings.ts";

/** One request takes this long at most. */
const longestMs = 10 * 60_000;

const mediaTypes = lookup<string>({ jpeg: "image/jpeg", webp: "image/webp", png: "image/png" });

const madeOf = (body: unknown, format: unknown): Made => {
	const { data, usage, output_format: answered } = asRecord(body);
	const mediaType = mediaTypes[asText(answered) ?? asText(format) ?? "png"] ?? "image/png";
	const entries = asList(data).map(asRecord);
	const files = entries.flatMap((entry): MadeFile[] => {
		const [encoded, url] = [asText(entry.b64_json), asText(entry.url)];
		if (encoded !== undefined)
			return [{ role: "image", mediaType, bytes: Uint8Array.from(Buffer.from(encoded, "base64")) }];
		return url !== undefined && URL.canParse(url) ? [{ role: "image", mediaType, url }] : [];
	});
	if (files.length === 0) return { files };
	const revisedPrompts = entries.map((entry) => asText(entry.revised_prompt) ?? null);
	const revised = revisedPrompts.some((prompt) => prompt !== null) ? revisedPrompts : undefined;
	return { files, extra: definedOnly({ usage, revisedPrompts: revised }) };
};

const bodyOf = (job: TaskJob): Readonly<Record<string, unknown>> => ({
	...job.input,
	model: job.model,
	prompt: job.prompt,
	...(job.details.n !== 1 && { n: job.details.n }),
});

export const openAiUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key, models, concurrency = 8, timeoutMinutes = 15 } = setting;
	const connection = tasks.connect({
		url,
		headers: (): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
	});
	return {
		name,
		kind: "image",
		models,
		actions: ["IMAGINE"],
		concurrency,
		pollDelaysMs: [5000],
		timeoutMinutes,
		async submit(job, signal): Promise<Submission> {
			const answer = await connection.ask("/images/generations", { body: bodyOf(job), signal, timeoutMs: longestMs });
			if (answer.sent !== "answered" || answer.status !== 200) return connection.refusal(answer);
			return { outcome: "done", made: madeOf(answer.body, job.input.output_format) };
		},
	};
};
