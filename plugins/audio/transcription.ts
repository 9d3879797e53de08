/** What was said in a file of sound, in its own language or in English: OpenAI's forms, which all vendors here take. */
import {
	asCount,
	asNumber,
	asRecord,
	type Bound,
	bearer,
	type Dialect,
	type EndpointAsk,
	type EndpointRequest,
	fieldReaders,
	formFile,
	formOf,
	formText,
	openAiFailure,
	openAiPaths,
	refuseField,
	renderOwnDenial,
	textBytes,
	type Usage,
	type WireRecord,
} from "#core";
import { secondsOf } from "./duration/seconds.ts";
import { endObserver } from "./end-observer.ts";

/** No model counts a second of sound as more tokens, nor writes more for it. */
const tokensPerSecondIn = 25;
const tokensPerSecondOut = 10;
/** Tokens of what a provider says to the model besides, and of an answer to no sound at all. */
const besides = 64;

const { model } = fieldReaders(refuseField);

const boundFor = (sound: Uint8Array, prompt: string): Bound => {
	const seconds = secondsOf(sound);
	return {
		inputTokens: Math.ceil(seconds * tokensPerSecondIn) + textBytes(prompt) + besides,
		outputTokens: Math.ceil(seconds * tokensPerSecondOut) + besides,
		units: { audioSecondsIn: seconds },
	};
};

const read = (request: EndpointRequest) => {
	const form = formOf(request);
	const name = model(formText(form, "model"));
	// What an upstream fetches itself cannot be measured; some take its address in the place of the file.
	const elsewhere = form.parts.find(({ name }) => /(?:url|uri)s?$|^(?:file|audio|upload)[_-]?ids?$/i.test(name));
	if (elsewhere) throw refuseField(elsewhere.name, "an address", "send the sound itself as `file`.");
	const { bytes, filename } = formFile(form, "file");
	// Without a name of the file, or with an empty one, it is a text for some of them.
	if (!filename || /^\s*[a-z\d]+:\/\//i.test(Buffer.from(bytes.subarray(0, 64)).toString("latin1")))
		throw refuseField("file", "a text", "send the sound itself, as a file whose part of the form has a `filename`.");
	const prompt = formText(form, "prompt") ?? "";
	return {
		model: name,
		stream: formText(form, "stream")?.trim().toLowerCase() === "true",
		bound: boundFor(bytes, prompt),
		texts: prompt === "" ? [] : [prompt],
	};
};

/** All that the file can be billed as, where the answer does not say. */
const mostUsed = ({ call: { bound } }: EndpointAsk): Usage => ({
	input: { total: bound.inputTokens, audio: bound.inputTokens },
	output: { total: bound.outputTokens },
	...(bound.units && { units: bound.units }),
	estimated: true,
});

/** What `usage` tells, by tokens or by seconds; undefined where it tells neither. */
const toldUsage = (value: unknown, ask: EndpointAsk): Usage | undefined => {
	const usage = asRecord(value);
	// Zero is no count: a file that lasts no time is measured as such.
	const seconds = asNumber(usage["seconds"]) || undefined;
	const units = { audioSecondsIn: seconds ?? ask.call.bound.units?.audioSecondsIn ?? 0 };
	if (usage["type"] === "duration" && seconds !== undefined)
		return { input: { total: 0 }, output: { total: 0 }, units };
	// Mistral's bills the sound by its length, and tells the tokens of the words around it.
	const heard = asNumber(usage["prompt_audio_seconds"]) || undefined;
	if (heard !== undefined)
		return {
			input: { total: asCount(usage["prompt_tokens"]) ?? 0 },
			output: { total: asCount(usage["completion_tokens"]) ?? 0 },
			units: { audioSecondsIn: heard },
		};
	const [input, output] = [asCount(usage["input_tokens"]), asCount(usage["output_tokens"])];
	// Nothing is heard in no tokens.
	if (!input || output === undefined) return undefined;
	const audio = asCount(asRecord(usage["input_token_details"])["audio_tokens"]);
	return { input: { total: input, ...(audio !== undefined && { audio }) }, output: { total: output }, units };
};

const usageOf = (answer: WireRecord, ask: EndpointAsk): Usage => {
	const told = toldUsage(answer["usage"], ask);
	const duration = Number(answer["duration"] ?? Number.NaN);
	if (told || !(duration > 0)) return told ?? mostUsed(ask);
	return { ...mostUsed(ask), units: { audioSecondsIn: duration } };
};

/** `name`: the last part of the path. */
export const transcription = (name: "transcriptions" | "translations"): Dialect => ({
	name: "openai",
	paths: openAiPaths(`/audio/${name}`),
	body: "form",
	fields: ["file", "prompt", "stream"],
	renderDenial: renderOwnDenial,
	read,
	path: () => `/audio/${name}`,
	headers: bearer,
	decodeError: openAiFailure,
	observe: (body, ask) => usageOf(asRecord(body), ask),
	observer: (ask) => endObserver("transcript.text.done", (event) => usageOf(event, ask)),
});
