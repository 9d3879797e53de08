/** OpenAI's speech: bytes, or events that tell what was used at their end. */
import {
	asCount,
	asRecord,
	asText,
	bearer,
	type Dialect,
	deny,
	type EndpointAsk,
	editJsonBody,
	Fault,
	openAiFailure,
	openAiPaths,
	parseJson,
	renderOwnDenial,
	type StreamEvent,
	type Usage,
	type WireRecord,
} from "#core";
import { endObserver } from "./end-observer.ts";
import {
	type AskedSpeech,
	askedSpeech,
	charactersOf,
	mediaTypeOf,
	readSpeech,
	secondsOfAnswer,
	speechBound,
	tokensPerSecond,
} from "./speech-request.ts";
import { type Spoken, soundOf } from "./spoken.ts";

/** Models that bill tokens: only their events tell how many, so events are asked for, and their sound goes on as bytes. */
const billsTokens = (model: string): boolean => /(?:^|\/)gpt-[^/]*tts/.test(model);

const isDelta = (event: WireRecord): boolean => event["type"] === "speech.audio.delta";

/** What `speech.audio.done` tells. */
const toldUsage = (event: WireRecord, ask: EndpointAsk): Usage | undefined => {
	const usage = asRecord(event["usage"]);
	const [input, output] = [asCount(usage["input_tokens"]), asCount(usage["output_tokens"])];
	// No sound is made of nothing.
	if (input === undefined || !output) return undefined;
	const characters = charactersOf(askedSpeech(ask).text);
	return { input: { total: input }, output: { total: output, audio: output }, units: { characters } };
};

const soundWithin = ({ data }: StreamEvent): Uint8Array | undefined => {
	if (!data.includes("speech.audio.delta")) return undefined;
	const event = asRecord(parseJson(data));
	return isDelta(event) ? Buffer.from(asText(event["audio"]) ?? "", "base64") : undefined;
};

const events = (sound: Uint8Array, { input, output }: Usage): string => {
	const write = (event: WireRecord): string => `data: ${JSON.stringify(event)}\n\n`;
	const usage = { input_tokens: input.total, output_tokens: output.total, total_tokens: input.total + output.total };
	return (
		write({ type: "speech.audio.delta", audio: Buffer.from(sound).toString("base64") }) +
		write({ type: "speech.audio.done", usage })
	);
};

export const openaiSpeech: Dialect<AskedSpeech, Spoken> = {
	name: "openai",
	paths: openAiPaths("/audio/speech"),
	body: "json",
	fields: ["input", "instructions", "voice", "response_format", "stream_format", "speed"],
	renderDenial: renderOwnDenial,
	read: readSpeech,
	path: () => "/audio/speech",
	headers: bearer,
	decodeError: openAiFailure,
	observe(_body, ask, bytes) {
		const asked = askedSpeech(ask);
		const seconds = secondsOfAnswer(asked, bytes);
		const output = Math.ceil(seconds * tokensPerSecond);
		return {
			input: { total: speechBound(asked).inputTokens },
			output: { total: output, audio: output },
			units: { characters: charactersOf(asked.text), audioSecondsOut: seconds },
			estimated: true,
		};
	},
	observer: (ask) => endObserver("speech.audio.done", (event) => toldUsage(event, ask)),
	recast: (ask) => (ask.call.stream ? undefined : { type: mediaTypeOf(askedSpeech(ask).format), event: soundWithin }),
	passthrough({ body, call }, model) {
		if (body.type !== "json") throw new Fault(deny("invalid_request", "Speech is asked for with JSON."));
		const edits = {
			...(body.json.value["model"] !== model && { model }),
			...(billsTokens(model) && !call.stream && { stream_format: "sse" }),
		};
		const headers = { "content-type": "application/json" };
		return { path: "/audio/speech", headers, body: editJsonBody(body.json, edits) };
	},
	decodeRequest: askedSpeech,
	encodeAnswer(answer, ask, usage) {
		const { format } = askedSpeech(ask);
		const { bytes, type } = soundOf(answer, format);
		if (!ask.call.stream) return { body: bytes, headers: { "content-type": type } };
		return { body: events(bytes, usage), headers: { "content-type": "text/event-stream; charset=utf-8" } };
	},
};
