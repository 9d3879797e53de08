/** The demo's speech and transcripts: a tone for each text, and for each file a sentence that says it is the demo's. */
import {
	asRecord,
	asText,
	deny,
	Fault,
	type FormBody,
	formText,
	lookup,
	parseJson,
	readForm,
	type UpstreamMessage,
	type WireRecord,
} from "#core";
import { secondsOf } from "../audio/service.ts";
import { wordsOf } from "./answer.ts";
import { encodeTune } from "./tune.ts";
import { tuneMp3 } from "./tune-mp3.ts";

/** The tone lasts as long as a person would speak, up to this. */
const charactersPerSecond = 15;
const mostSeconds = 30;
/** What it counts a second of sound as. */
const tokensPerSecond = 20;
/** Bytes of the tone in one event. */
const pieceBytes = 48 * 1024;

const bytesOf = ({ body }: UpstreamMessage): Uint8Array =>
	typeof body === "string" ? new TextEncoder().encode(body) : body;

const events = (all: readonly WireRecord[]): Response =>
	new Response(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
		headers: { "content-type": "text/event-stream; charset=utf-8" },
	});

interface Sound {
	readonly type: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
}

const wavHeaderBytes = 44;

/** What it can make, by the formats of OpenAI's speech. */
const formats = lookup<(text: string, seconds: number) => Sound>({
	mp3: (text, seconds) => ({ type: "audio/mpeg", bytes: tuneMp3(text, seconds) }),
	wav: (text, seconds) => ({ type: "audio/wav", bytes: encodeTune(text, seconds) }),
	pcm: (text, seconds) => ({ type: "audio/pcm", bytes: encodeTune(text, seconds).subarray(wavHeaderBytes) }),
});

/** Throws `Fault` for a format that it does not make: it does not pretend to. */
const soundOf = (text: string, seconds: number, format: string): Sound => {
	const make = formats[format];
	if (make) return make(text, seconds);
	const message = `The demo model speaks as mp3, wav or pcm, not as ${JSON.stringify(format.slice(0, 32))}; ask for one of those.`;
	throw new Fault(deny("unsupported", message, { parameter: "response_format" }));
};

const speech = (message: UpstreamMessage): Response => {
	const fields = asRecord(parseJson(new TextDecoder().decode(bytesOf(message))));
	const text = asText(fields["input"]) ?? "";
	const seconds = Math.min(mostSeconds, Math.max(1, text.length / charactersPerSecond));
	const { type, bytes } = soundOf(text, seconds, asText(fields["response_format"]) ?? "mp3");
	if (fields["stream_format"] !== "sse") return new Response(bytes, { headers: { "content-type": type } });
	const pieces: WireRecord[] = [];
	for (let at = 0; at < bytes.length; at += pieceBytes) {
		const audio = Buffer.from(bytes.subarray(at, at + pieceBytes)).toString("base64");
		pieces.push({ type: "speech.audio.delta", audio });
	}
	const [input_tokens, output_tokens] = [wordsOf(text).length, Math.ceil(seconds * tokensPerSecond)];
	const usage = { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
	return events([...pieces, { type: "speech.audio.done", usage }]);
};

const clock = (seconds: number, mark: string): string => {
	const whole = Math.floor(seconds);
	const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
	const two = (value: number): string => String(value).padStart(2, "0");
	const thousandths = String(Math.floor((seconds - whole) * 1000)).padStart(3, "0");
	return `${two(hours)}:${two(minutes)}:${two(whole % 60)}${mark}${thousandths}`;
};

const plain = (text: string): Response =>
	new Response(`${text}\n`, { headers: { "content-type": "text/plain; charset=utf-8" } });

/** A stream counts in tokens, never in seconds: SDKs of typed languages know no other usage there. */
const told = (text: string, seconds: number): Response => {
	const words = wordsOf(text).map((delta) => ({ type: "transcript.text.delta", delta }));
	const [input_tokens, output_tokens] = [Math.ceil(seconds * tokensPerSecond), words.length];
	const usage = { type: "tokens", input_tokens, output_tokens, total_tokens: input_tokens + output_tokens };
	return events([...words, { type: "transcript.text.done", text, usage }]);
};

/** Each word with its share of the time. */
const timedWords = (text: string, seconds: number): readonly WireRecord[] => {
	const words = wordsOf(text);
	const each = seconds / words.length;
	return words.map((word, at) => ({ word: word.trim(), start: at * each, end: (at + 1) * each }));
};

/** The answer in the format that was asked for. */
const written = (task: string, text: string, seconds: number, format: string, words: boolean): Response => {
	const usage = { type: "duration", seconds: Math.ceil(seconds) };
	switch (format) {
		case "text":
			return plain(text);
		case "srt":
			return plain(`1\n${clock(0, ",")} --> ${clock(seconds, ",")}\n${text}\n`);
		case "vtt":
			return plain(`WEBVTT\n\n${clock(0, ".")} --> ${clock(seconds, ".")}\n${text}\n`);
		case "json":
			return Response.json({ text, usage });
		case "diarized_json": {
			const segment = { type: "transcript.text.segment", id: "seg_0", start: 0, end: seconds, text, speaker: "A" };
			return Response.json({ task, duration: seconds, text, segments: [segment], usage });
		}
		case "verbose_json": {
			const segment = { id: 0, seek: 0, start: 0, end: seconds, text, tokens: [], temperature: 0 };
			const numbers = { avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 };
			const segments = [{ ...segment, ...numbers }];
			const whole = { task, language: "english", duration: seconds, text, segments, usage };
			return Response.json(words ? { ...whole, words: timedWords(text, seconds) } : whole);
		}
		default:
			throw new Fault(
				deny(
					"unsupported",
					`The demo model writes json, verbose_json, diarized_json, text, srt or vtt, not ${JSON.stringify(format.slice(0, 32))}; ask for one of those.`,
					{ parameter: "response_format" },
				),
			);
	}
};

/** Whether words with their times are wanted; forms name a list's items with or without brackets. */
const wantsWords = ({ bytes, parts }: FormBody): boolean =>
	parts.some(
		({ name, start, end }) =>
			/^timestamp_granularities(?:\[\d*\])?$/.test(name) &&
			Buffer.from(bytes.subarray(start, end)).toString() === "word",
	);

const soundIn = ({ bytes, parts }: FormBody): Uint8Array => {
	const file = parts.find(({ name }) => name === "file");
	return file ? bytes.subarray(file.start, file.end) : new Uint8Array(0);
};

const transcript = (task: "transcribe" | "translate", message: UpstreamMessage): Response => {
	const form = readForm(bytesOf(message), message.headers["content-type"] ?? "");
	const seconds = Math.round(secondsOf(soundIn(form)) * 1000) / 1000;
	const text = `This is the demo model of Portico: it got ${seconds} seconds of sound and did not listen to them.`;
	if (formText(form, "stream") === "true") return told(text, seconds);
	return written(task, text, seconds, formText(form, "response_format") ?? "json", wantsWords(form));
};

/** Endpoints of sound, in the dialect of OpenAI. */
export const sounds: Readonly<Record<string, (message: UpstreamMessage) => Response>> = {
	speech,
	transcriptions: (message) => transcript("transcribe", message),
	translations: (message) => transcript("translate", message),
};
