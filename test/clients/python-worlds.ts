/**
 * Two gateways for clients of every endpoint: the far one has the demo, the near one reaches it through every protocol,
 * dialect and kind of task that can, so that each client meets models of all of them.
 */
import { startGateway, startUpstream, type TestGateway } from "#core/testing";
import { protocolNames } from "../support/two-worlds.ts";

const embeddings = { openai: "/v1", gemini: "/v1beta", cohere: "/v2", voyage: "/v1", jina: "/v1" };
const ranking = { cohere: "/v2", voyage: "/v1", jina: "/v1" };
const bases = { "chat-completions": "/v1", responses: "/v1", messages: "", "generate-content": "/v1beta" };

const served = ["embeddings", "rerank", "moderations", "completions", "audio"];

export interface EndpointWorlds {
	readonly near: TestGateway;
	stop(): Promise<void>;
}

const samples = Buffer.alloc(4800);

/** Speaks as Gemini's speech models do. */
const geminiSpeech = () =>
	Response.json({
		candidates: [
			{ content: { parts: [{ inlineData: { mimeType: "audio/L16;rate=24000", data: samples.toString("base64") } }] } },
		],
		usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 50 },
	});

/** An upstream for each dialect, at the far gateway. */
const spokenBy = (far: TestGateway, endpoint: string, dialects: Readonly<Record<string, string>>) =>
	Object.entries(dialects).map(([dialect, base]) => ({
		// Google's client reads names with "gemini" as models that make one vector of all they get.
		name: `${endpoint}-${dialect === "gemini" ? "google" : dialect}`,
		protocol: "chat-completions",
		url: far.url + base,
		key: far.key,
		endpoints: [{ [endpoint]: dialect }],
	}));

export const startEndpointWorlds = async (): Promise<EndpointWorlds> => {
	const demo = { use: "demo", with: { wordMs: 0, taskSeconds: 0.4 } };
	const toDemo = { name: "demo", targets: [{ upstream: "demo" }] };
	const toTokens = { name: "gpt-tokens-tts", targets: [{ upstream: "demo" }] };
	const plugins = ["tokens", "prices", "quota", "ledger", ...protocolNames, ...served, "tasks", demo];
	const far = await startGateway({
		plugins: [...plugins, "image", "video", { use: "router", with: { models: [toDemo, toTokens] } }],
	});
	const google = startUpstream(geminiSpeech);
	const [embedding, reranking] = [spokenBy(far, "embeddings", embeddings), spokenBy(far, "rerank", ranking)];
	const tasksAt = (type: string, model: string, path: string) => ({
		name: type,
		type,
		url: far.url + path,
		key: far.key,
		models: [model],
		rename: { [model]: `demo-${model}` },
	});
	const near = await startGateway({
		plugins: [
			...plugins,
			{ use: "image", with: { upstreams: [tasksAt("openai-images", "via-image", "/v1")] } },
			{
				use: "video",
				with: { upstreams: [tasksAt("openai-videos", "via-video", "/v1"), tasksAt("veo", "via-veo", "/v1beta")] },
			},
			{
				use: "router",
				with: {
					upstreams: [
						...protocolNames.map((name) => ({ name, protocol: name, url: far.url + bases[name], key: far.key })),
						...embedding,
						...reranking,
						{ name: "google", protocol: "generate-content", url: `${google.url}/v1beta`, key: "google-key" },
					],
					models: [
						toDemo,
						...protocolNames.map((name) => ({ name: `via-${name}`, targets: [{ upstream: name, model: "demo" }] })),
						...embedding.map(({ name }) => ({
							name: name.replace("embeddings", "embed"),
							targets: [{ upstream: name, model: "demo" }],
						})),
						...reranking.map(({ name }) => ({ name, targets: [{ upstream: name, model: "demo" }] })),
						{ name: "gemini-tts", targets: [{ upstream: "google" }] },
						{ name: "gpt-tokens-tts", targets: [{ upstream: "chat-completions", model: "gpt-tokens-tts" }] },
					],
				},
			},
		],
	});
	return {
		near,
		async stop() {
			await near.stop();
			await far.stop();
			await google.stop();
		},
	};
};
