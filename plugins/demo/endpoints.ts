/** What the demo answers at endpoints, each in the endpoint's usual dialect; Portico translates from and to all others. */
import { setImmediate } from "node:timers/promises";
import { asNumber, asRecord, asText, deny, Fault, parseJson, type UpstreamMessage, type WireRecord } from "#core";
import { type CompletionOptions, complete } from "./completion.ts";
import { inputTokens } from "./input-tokens.ts";
import { moderate } from "./moderation.ts";
import { rerank } from "./relevance.ts";
import { sounds } from "./sound.ts";
import { mostDimensions, vectorOf } from "./vectors.ts";

type Make = (body: WireRecord, options: CompletionOptions) => Response;

const textOf = (value: unknown): string => asText(value) ?? JSON.stringify(value) ?? "";

/** The inputs of a request that may hold one or a list; a list of token ids is one. */
const inputsOf = (input: unknown): readonly string[] =>
	Array.isArray(input) && typeof input[0] !== "number" ? input.map(textOf) : [textOf(input)];

/** Numbers of vectors that are made before others have their turn. */
const numbersATurn = 64 * 1024;

const writtenVector = (text: string, dimensions: number | undefined, format: unknown): string => {
	const vector = vectorOf(text, dimensions);
	return format === "base64"
		? `"${Buffer.from(Float32Array.from(vector).buffer).toString("base64")}"`
		: `[${vector.join(",")}]`;
};

/** Told piece by piece: thousands of vectors take a while. */
async function* embeddingsText({
	model,
	input,
	dimensions,
	encoding_format: format,
}: WireRecord): AsyncGenerator<string> {
	const count = asNumber(dimensions);
	const texts = inputsOf(input);
	const tokens = inputTokens(input);
	let made = 0;
	yield '{"object":"list","data":[';
	for (const [index, text] of texts.entries()) {
		yield `${index > 0 ? "," : ""}{"object":"embedding","index":${index},"embedding":${writtenVector(text, count, format)}}`;
		made += count ?? mostDimensions;
		if (made < numbersATurn) continue;
		made = 0;
		await setImmediate();
	}
	const end = JSON.stringify({ model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
	yield `],${end.slice(1)}`;
}

const embeddings: Make = (body) => {
	const count = asNumber(body["dimensions"]);
	if (count !== undefined && count > mostDimensions)
		throw new Fault(
			deny("invalid_request", `The demo model makes vectors of up to ${mostDimensions} numbers; ask for fewer.`, {
				parameter: "dimensions",
			}),
		);
	const pieces = embeddingsText(body);
	const bytes = new TextEncoder();
	const stream = new ReadableStream<Uint8Array>({
		async pull(controller) {
			const { value, done } = await pieces.next();
			if (done) controller.close();
			else controller.enqueue(bytes.encode(value));
		},
		cancel: async () => void (await pieces.return(undefined)),
	});
	return new Response(stream, { headers: { "content-type": "application/json" } });
};

const whole =
	(make: (body: WireRecord) => WireRecord): Make =>
	(body) =>
		Response.json(make(body));

const byName: Readonly<Record<string, Make>> = {
	embeddings,
	rerank: whole(rerank),
	moderations: whole(moderate),
	completions: complete,
};

/** Endpoints with the dialect of each, as an upstream tells them. */
export const demoEndpoints: Readonly<Record<string, string>> = Object.fromEntries(
	[...Object.keys(byName), ...Object.keys(sounds)].map((name) => [name, "usual"]),
);

/** The answer of an endpoint. Throws `Fault` for one that the demo does not know. */
export const answerEndpoint = (name: string, message: UpstreamMessage, options: CompletionOptions): Response => {
	const sound = sounds[name];
	if (sound) return sound(message);
	const make = byName[name];
	if (!make) throw new Fault(deny("unsupported", `The demo model does not serve ${name}.`));
	const { body } = message;
	return make(asRecord(parseJson(typeof body === "string" ? body : new TextDecoder().decode(body))), options);
};
