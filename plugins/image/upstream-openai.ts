/** OpenAI's images and whatever speaks as they do, as an upstream: it answers when the pictures are done. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	bearer,
	definedOnly,
	isRecord,
	lookup,
	pictureType,
	type WireRecord,
} from "#core";
import {
	type Answer,
	bySetting,
	type Connection,
	type Made,
	type MadeFile,
	type PictureData,
	pictureData,
	type Submission,
	type TaskJob,
	type Tasks,
	type TaskUpstream,
} from "../tasks/service.ts";
import { edit, picturesOf } from "./edit-pictures.ts";
import type { UpstreamSetting } from "./settings.ts";

/** One request takes this long at most. */
const longestMs = 10 * 60_000;

const mediaTypes = lookup<string>({ jpeg: "image/jpeg", webp: "image/webp", png: "image/png" });

/** Fields by which its prices differ, where it answers what became of them. */
const toldOf = ({ quality, size, partial_images: shown }: WireRecord): WireRecord =>
	definedOnly({ quality: asText(quality), size: asText(size), partial_images: asCount(shown) });

const madeOf = (connection: Connection, body: unknown, format: unknown): Made => {
	const { data, usage, output_format: answered } = asRecord(body);
	const told = mediaTypes[asText(answered) ?? asText(format) ?? "png"] ?? "image/png";
	const entries = asList(data).map(asRecord);
	const files = entries.flatMap((entry): readonly MadeFile[] => {
		const encoded = asText(entry.b64_json) ?? "";
		if (encoded === "") return connection.files("image", told, entry.url);
		const mediaType = pictureType(encoded) ?? told;
		return [{ role: "image", mediaType, bytes: Uint8Array.from(Buffer.from(encoded, "base64")) }];
	});
	if (files.length === 0) return { files };
	const revisedPrompts = entries.map((entry) => asText(entry.revised_prompt) ?? null);
	const revised = revisedPrompts.some((prompt) => prompt !== null) ? revisedPrompts : undefined;
	return { files, extra: definedOnly({ usage, revisedPrompts: revised }), told: toldOf(asRecord(body)) };
};

const bodyOf = (job: TaskJob): Readonly<Record<string, unknown>> => ({
	...job.input,
	model: job.model,
	prompt: job.prompt,
	...(job.details.n !== 1 && { n: job.details.n }),
	...(job.input.partial_images !== undefined && { stream: true }),
});

/** Such servers tell a picture's type by the end of its name too. */
const putFile = (form: FormData, field: string, name: string, { mediaType, base64 }: PictureData): void => {
	const file = new Blob([Buffer.from(base64, "base64")], { type: mediaType });
	form.append(field, file, `${name}.${mediaType.replace(/^image\//, "")}`);
};

/**
 * A form with files where all pictures are bytes: every server that speaks as OpenAI's takes that, and some models take
 * nothing else. Forms have no place for an address, so with one among them it is JSON, where bytes are `data:` URLs.
 */
const editOf = (job: TaskJob): FormData | Readonly<Record<string, unknown>> => {
	const { images, mask } = picturesOf(job);
	const { images: _images, mask: _mask, ...fields } = bodyOf(job);
	const files = images.flatMap((picture) => pictureData(picture) ?? []);
	const maskFile = pictureData(mask ?? "");
	if (files.length < images.length || (mask !== undefined && !maskFile)) {
		const references = images.map((picture) => ({ image_url: picture }));
		return { ...fields, images: references, ...(mask !== undefined && { mask: { image_url: mask } }) };
	}
	const form = new FormData();
	for (const [name, value] of Object.entries(fields))
		if (value !== undefined && value !== null)
			form.set(name, typeof value === "string" ? value : JSON.stringify(value));
	const name = files.length === 1 ? "image" : "image[]";
	for (const [index, file] of files.entries()) putFile(form, name, `picture-${index + 1}`, file);
	if (maskFile) putFile(form, "mask", "mask", maskFile);
	return form;
};

/** The events of a stream as what a whole answer would have said: pictures on their way are shown and forgotten. */
class PictureEvents {
	private readonly show: (preview: WireRecord) => void;
	private readonly made: WireRecord[] = [];
	private error: string | undefined;
	private shown = 0;

	constructor(show: (preview: WireRecord) => void) {
		this.show = show;
	}

	readonly take = (event: WireRecord): void => {
		const type = asText(event.type) ?? "";
		if (type.endsWith(".partial_image")) {
			this.shown++;
			this.show(event);
		} else if (type.endsWith(".completed")) this.made.push(event);
		else if (isRecord(event.error)) this.error = asText(event.error.message) ?? "The upstream failed.";
	};

	/** Undefined where no events came. */
	submission(answer: Answer, connection: Connection): Submission | undefined {
		const [first] = this.made;
		const { usage, output_format, quality, size } = this.made.at(-1) ?? {};
		const alike = this.made.every((event) => event.quality === quality && event.size === size);
		const whole = {
			data: this.made,
			usage,
			output_format,
			partial_images: this.shown,
			...(alike && { quality, size }),
		};
		if (first) return { outcome: "done", made: madeOf(connection, whole, undefined) };
		return this.error === undefined ? undefined : connection.refusal(answer, this.error);
	}
}

export const openAiUpstream = (setting: UpstreamSetting, tasks: Tasks): TaskUpstream => {
	const { name, url, key } = setting;
	const connection = tasks.connect({ name, url, headers: () => bearer(key) });
	return {
		...bySetting(setting),
		kind: "image",
		actions: ["IMAGINE", edit],
		pollDelaysMs: [5000],
		async submit(job, signal, show): Promise<Submission> {
			const [path, body] = job.action === edit ? ["/images/edits", editOf(job)] : ["/images/generations", bodyOf(job)];
			const events = new PictureEvents((preview) => show(job, preview));
			const answer = await connection.ask(path, { body, signal, timeoutMs: longestMs, event: events.take });
			const streamed = events.submission(answer, connection);
			if (streamed) return streamed;
			if (answer.sent !== "answered" || answer.status !== 200) return connection.refusal(answer);
			const made = madeOf(connection, answer.body, job.input.output_format);
			const refused = made.files.length === 0 ? connection.refusal(answer) : undefined;
			return refused?.outcome === "refused" ? refused : { outcome: "done", made };
		},
	};
};
