/** Calls of endpoints at random, with what their answers used. */
import { wav } from "../../plugins/audio/fixtures/sounds.ts";
import { part, random, type Scene } from "./reckoned.ts";

const vectors = (count: number) => Array.from({ length: count }, (_, index) => ({ index, embedding: [0.6, 0.8] }));
const words = "Some words to be made a vector of. ".repeat(40);

export const beside = (model: (protocol: string) => string): Scene => {
	const tokens = 1 + random(900);
	const sort = random(7);
	if (sort === 0) {
		const written = 1 + random(99);
		const usage = { prompt_tokens: tokens, completion_tokens: written, total_tokens: tokens + written };
		const choices = [{ index: 0, text: "Hello", finish_reason: "stop", logprobs: null }];
		return {
			path: "/v1/completions",
			body: { model: model("chat"), prompt: words, max_tokens: 100 },
			answer: () => Response.json({ id: "c", object: "text_completion", created: 1, model: "m", choices, usage }),
			used: { tokens: { input: tokens, output: written } },
		};
	}
	if (sort === 1) {
		const count = 1 + random(3);
		return {
			path: "/v1/embeddings",
			body: { model: model("chat"), input: Array.from({ length: count }, () => words) },
			answer: () =>
				Response.json({ object: "list", data: vectors(count), usage: { prompt_tokens: tokens, total_tokens: tokens } }),
			used: { tokens: { input: tokens } },
		};
	}
	if (sort === 2) {
		const image = part(tokens - 1);
		const usageMetadata = {
			promptTokenCount: tokens,
			promptTokenDetails: [{ modality: "IMAGE", tokenCount: image }],
			totalTokenCount: tokens,
		};
		return {
			path: `/v1beta/models/${model("gemini")}:batchEmbedContents`,
			body: { requests: [{ content: { parts: [{ text: words }] } }] },
			answer: () => Response.json({ embeddings: [{ values: [0.6, 0.8] }], usageMetadata }),
			used: { tokens: { input: tokens - image, inputImage: image } },
		};
	}
	if (sort === 3) {
		const searches = 1 + random(2);
		return {
			path: "/v2/rerank",
			body: { model: model("chat"), query: "What?", documents: Array.from({ length: 101 }, (_, at) => `${at}`) },
			answer: () =>
				Response.json({
					results: [{ index: 0, relevance_score: 0.5 }],
					meta: { billed_units: { search_units: searches } },
				}),
			used: { tokens: {}, fees: { perThousandSearches: 100 * searches } },
		};
	}
	const form = new FormData();
	form.append("model", model("chat"));
	form.append("file", new Blob([new Uint8Array(wav(30))], { type: "audio/wav" }), "a.wav");
	const hundredths = 1 + random(2_999);
	if (sort === 4)
		return {
			path: "/v1/audio/transcriptions",
			body: form,
			answer: () => Response.json({ text: "Hello", usage: { type: "duration", seconds: hundredths / 100 } }),
			used: { tokens: {}, fees: { perMinuteAudioIn: hundredths } },
		};
	if (sort === 5) {
		const [heard, written] = [part(tokens), random(90)];
		const usage = {
			type: "tokens",
			input_tokens: tokens,
			input_token_details: { audio_tokens: heard, text_tokens: tokens - heard },
			output_tokens: written,
		};
		const verbose = { text: "Hello", duration: hundredths / 100, usage };
		return {
			path: "/v1/audio/transcriptions",
			body: form,
			answer: () => Response.json(verbose),
			used: {
				tokens: { input: tokens - heard, inputAudio: heard, output: written },
				fees: { perMinuteAudioIn: 3_000 },
			},
		};
	}
	const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
	const usage = { input_tokens: tokens, output_tokens: 1 + random(900) };
	const told = event({ type: "speech.audio.delta", audio: "AAAA" }) + event({ type: "speech.audio.done", usage });
	return {
		path: "/v1/audio/speech",
		body: { model: model("chat"), voice: "alloy", input: words, stream_format: "sse" },
		answer: () => new Response(told, { headers: { "content-type": "text/event-stream" } }),
		used: {
			tokens: { input: tokens, outputAudio: usage.output_tokens },
			fees: { perMillionCharacters: 100 * words.length },
		},
	};
};
