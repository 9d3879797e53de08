/** Gemini's speech models, asked by `generateContent` for sound: 16-bit samples, 24 kHz. */
import {
	asCount,
	asList,
	asRecord,
	asText,
	type Dialect,
	definedOnly,
	deny,
	Fault,
	jsonMessage,
	type Loss,
	lookup,
	openAiFailure,
	renderOwnDenial,
	type WireRecord,
} from "#core";
import { type AskedSpeech, askedSpeech, charactersOf, readSpeech, speechBound } from "./speech-request.ts";
import { checkFormat, type Spoken } from "./spoken.ts";

/** OpenAI's voices by Gemini's that sound most like them; every other name goes as it is. */
const voices = lookup<string>({
	alloy: "Kore",
	ash: "Charon",
	ballad: "Umbriel",
	cedar: "Iapetus",
	coral: "Leda",
	echo: "Puck",
	fable: "Zephyr",
	marin: "Aoede",
	nova: "Callirrhoe",
	onyx: "Orus",
	sage: "Sulafat",
	shimmer: "Autonoe",
	verse: "Fenrir",
});

const usualVoice = "Kore";
const usualRate = 24_000;

const pathOf = (model: string): string =>
	`/models/${encodeURIComponent(model.replace(/^models\//, ""))}:generateContent`;

const partsOf = (body: unknown): readonly WireRecord[] =>
	asList(asRecord(asRecord(asList(asRecord(body)["candidates"])[0])["content"])["parts"]).map(asRecord);

const noSound = (): Fault =>
	new Fault(
		deny(
			"upstream",
			"The model answered without any sound. Ask again, or ask the operator whether it is one that speaks.",
		),
	);

export const geminiSpeech: Dialect<AskedSpeech, Spoken> = {
	name: "gemini",
	paths: [],
	body: "json",
	renderDenial: renderOwnDenial,
	read: readSpeech,
	path: ({ model }) => pathOf(model),
	headers: (key) => definedOnly({ "x-goog-api-key": key }),
	decodeError: openAiFailure,
	observe(body, ask) {
		const asked = askedSpeech(ask);
		const used = asRecord(asRecord(body)["usageMetadata"]);
		const [input, counted] = [asCount(used["promptTokenCount"]), asCount(used["candidatesTokenCount"])];
		// No sound is made of nothing.
		const output = counted || undefined;
		const bound = speechBound(asked);
		const told = input !== undefined && output !== undefined;
		return {
			input: { total: input ?? bound.inputTokens },
			output: { total: output ?? bound.outputTokens, audio: output ?? bound.outputTokens },
			units: { characters: charactersOf(asked.text) },
			...(!told && { estimated: true }),
		};
	},
	encodeRequest({ text, instructions, voice = usualVoice, ownVoice, format, speed }, model) {
		checkFormat(format);
		const voiceName = voices[voice] ?? voice;
		const body = {
			contents: [{ role: "user", parts: [{ text: instructions === undefined ? text : `${instructions}\n\n${text}` }] }],
			generationConfig: {
				responseModalities: ["AUDIO"],
				speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName } } },
			},
		};
		const losses: Loss[] = [];
		if (ownVoice) losses.push({ path: "voice", reason: "the upstream has no voices of another provider's account" });
		if (speed !== undefined && speed !== 1) losses.push({ path: "speed", reason: "the upstream has no such setting" });
		return { messages: [jsonMessage(pathOf(model), body)], losses };
	},
	decodeAnswer([body]) {
		const sounds = partsOf(body).flatMap(({ inlineData }) => {
			const { data, mimeType } = asRecord(inlineData);
			return typeof data === "string" ? [{ data, mime: asText(mimeType) ?? "" }] : [];
		});
		const [first] = sounds;
		if (!first) throw noSound();
		const rate = Number(/rate=(\d{4,6})/.exec(first.mime)?.[1] ?? usualRate);
		return { samples: Buffer.concat(sounds.map(({ data }) => Buffer.from(data, "base64"))), rate };
	},
};
