/** What is read of a request for speech, and the most that it can cost. */
import {
	asNumber,
	asText,
	type Bound,
	definedOnly,
	type EndpointCall,
	type EndpointRequest,
	fieldReaders,
	isRecord,
	jsonOf,
	refuseField,
	textBytes,
	voiceDenial,
} from "#core";

/** Speech in any dialect. */
export interface AskedSpeech {
	readonly text: string;
	readonly instructions: string | undefined;
	readonly voice: string | undefined;
	/** A voice made for the provider's account is asked for by its id. */
	readonly ownVoice: boolean;
	readonly format: string | undefined;
	readonly speed: number | undefined;
}

/** Nobody speaks slower than this, in any script. */
const secondsPerCharacter = 0.4;
/** Silence before and after. */
const restSeconds = 2;
/** No model counts a second of sound as more. */
export const tokensPerSecond = 25;
/** Bytes of what a provider says to the model besides. */
const besides = 64;

const { model, checkNumber } = fieldReaders(refuseField);

/** More than a whole book has, and than any model speaks at once: who counts it stops everybody else meanwhile. */
const longestText = 1_000_000;

export const charactersOf = (text: string): number => {
	let count = 0;
	for (const _ of text) count++;
	return count;
};

/** Plain samples: 24 kHz, 16 bits, one channel, as all vendors here send them. */
const pcmBytesPerSecond = 48_000;

const mostSeconds = (characters: number, speed = 1): number =>
	Math.ceil((characters * secondsPerCharacter) / Math.min(1, Math.max(0.25, speed))) + restSeconds;

/** Instructions that read like a text may be spoken with it: Gemini's models are given both as one. */
export const speechBound = ({ text, instructions = "", speed }: AskedSpeech): Bound => {
	const characters = charactersOf(text);
	const seconds = mostSeconds(characters + charactersOf(instructions), speed);
	return {
		inputTokens: textBytes(text) + textBytes(instructions) + besides,
		outputTokens: seconds * tokensPerSecond,
		units: { characters, audioSecondsOut: seconds },
	};
};

export const askedSpeech = (ask: Pick<EndpointRequest, "body">): AskedSpeech => {
	const fields = jsonOf(ask);
	const { voice } = fields;
	return {
		text: asText(fields["input"]) ?? "",
		instructions: asText(fields["instructions"]),
		voice: asText(voice),
		ownVoice: isRecord(voice),
		format: asText(fields["response_format"]),
		speed: asNumber(fields["speed"]),
	};
};

export const readSpeech = (request: EndpointRequest): EndpointCall => {
	const fields = jsonOf(request);
	const name = model(fields["model"]);
	const { input } = fields;
	if (typeof input !== "string" || input === "") throw refuseField("input", input, "send the text to speak.");
	for (const field of ["response_format", "stream_format", "instructions"]) {
		const value = fields[field];
		if (value !== undefined && value !== null && typeof value !== "string")
			throw refuseField(field, value, "it must be a string.");
	}
	for (const field of ["input", "instructions"])
		if ((asText(fields[field]) ?? "").length > longestText)
			throw refuseField(field, "a longer text", `send at most ${longestText} characters at once.`);
	checkNumber(fields["speed"], "speed", 0.25, 4);
	const asked = askedSpeech(request);
	return {
		model: name,
		stream: fields["stream_format"] === "sse",
		bound: speechBound(asked),
		...definedOnly({ looksUp: voiceDenial(fields["voice"], "voice") }),
		texts: asked.instructions === undefined ? [asked.text] : [asked.text, asked.instructions],
	};
};

/** The media type of a format of OpenAI's; of mp3 where none is asked for. */
export const mediaTypeOf = (format = "mp3"): string => (format === "mp3" ? "audio/mpeg" : `audio/${format}`);

/** Seconds that so many bytes of the answer last: told by them where they are plain, and otherwise the most there can be. */
export const secondsOfAnswer = ({ text, speed, format }: AskedSpeech, bytes: number): number => {
	const most = mostSeconds(charactersOf(text), speed);
	return format === "pcm" || format === "wav" ? Math.min(most, bytes / pcmBytesPerSecond) : most;
};
