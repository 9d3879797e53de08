/** Conversations at random: each in one protocol, answered in the same or another, with what the answer used. */
import { part, random, type Scene, some } from "./reckoned.ts";

const padding = "word ".repeat(1_600);
const clients = {
	chat: (model: string) => ({
		path: "/v1/chat/completions",
		body: { model, max_tokens: 4_000, messages: [{ role: "user", content: padding }] },
	}),
	messages: (model: string) => ({
		path: "/v1/messages",
		body: { model, max_tokens: 4_000, messages: [{ role: "user", content: padding }] },
	}),
	responses: (model: string) => ({ path: "/v1/responses", body: { model, max_output_tokens: 4_000, input: padding } }),
	gemini: (model: string) => ({
		path: `/v1beta/models/${model}:generateContent`,
		body: { contents: [{ role: "user", parts: [{ text: padding }] }], generationConfig: { maxOutputTokens: 4_000 } },
	}),
} as const;

export const conversation = (model: (protocol: string) => string): Scene => {
	const upstream = some(["chat", "messages", "responses", "gemini"] as const);
	const client = some([upstream, some(["chat", "messages", "responses", "gemini"] as const)]);
	const { path, body } = clients[client](model(upstream));
	const total = 1 + random(7_900);
	const read = part(total);
	const left = total - read;
	const made = 1 + random(3_999);
	const reasoning = part(made - 1);
	const rest = made - reasoning;
	if (upstream === "messages") {
		const [written, searches] = [part(left), random(3)];
		const hour = part(written);
		const usage = {
			input_tokens: left - written,
			cache_read_input_tokens: read,
			cache_creation_input_tokens: written,
			cache_creation: { ephemeral_5m_input_tokens: written - hour, ephemeral_1h_input_tokens: hour },
			output_tokens: made,
			output_tokens_details: { thinking_tokens: reasoning },
			server_tool_use: { web_search_requests: searches },
		};
		const content = [{ type: "text", text: "Hello" }];
		const answered = {
			id: "m",
			type: "message",
			role: "assistant",
			model: "m",
			content,
			stop_reason: "end_turn",
			usage,
		};
		const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }];
		const asked = client === "messages" ? { ...body, tools } : body;
		return {
			path,
			body: asked,
			answer: () =>
				Response.json(client === "messages" ? answered : { ...answered, usage: { ...usage, server_tool_use: null } }),
			used: {
				tokens: {
					input: left - written,
					cacheRead: read,
					cacheWrite: written - hour,
					cacheWriteLong: hour,
					output: rest,
					reasoning,
				},
				fees: { perWebSearch: client === "messages" ? 100 * searches : 0 },
			},
		};
	}
	if (upstream === "responses") {
		const [written, image] = [part(left), part(rest - 1)];
		const usage = {
			input_tokens: total,
			input_tokens_details: { cached_tokens: read, cache_write_tokens: written },
			output_tokens: made,
			output_tokens_details: { reasoning_tokens: reasoning, image_tokens: image },
			total_tokens: total + made,
		};
		const output = [
			{
				type: "message",
				id: "i",
				role: "assistant",
				content: [{ type: "output_text", text: "Hello", annotations: [] }],
			},
		];
		const tier = some(["default", "priority", "flex"]);
		const asked = client === "responses" ? { ...body, service_tier: tier } : body;
		return {
			path,
			body: asked,
			answer: () => Response.json({ id: "r", object: "response", status: "completed", model: "m", output, usage }),
			used: {
				tokens: {
					input: left - written,
					cacheRead: read,
					cacheWrite: written,
					output: rest - image,
					reasoning,
					outputImage: image,
				},
				...(client === "responses" && { tier }),
			},
		};
	}
	if (upstream === "gemini") {
		const tools = part(left);
		const [sound, heard] = [part(read), part(left - tools)];
		const [seen, watched] = [part(left - tools - heard), part(left - tools - heard)];
		const film = Math.min(watched, left - tools - heard - seen);
		const spoken = part(rest - 1);
		const shown = part(rest - 1 - spoken);
		const usageMetadata = {
			promptTokenCount: total - tools,
			promptTokensDetails: [
				{ modality: "AUDIO", tokenCount: sound + heard },
				{ modality: "IMAGE", tokenCount: seen },
				{ modality: "VIDEO", tokenCount: film },
			],
			toolUsePromptTokenCount: tools,
			cachedContentTokenCount: read,
			cacheTokensDetails: [{ modality: "AUDIO", tokenCount: sound }],
			candidatesTokenCount: rest,
			candidatesTokensDetails: [
				{ modality: "AUDIO", tokenCount: spoken },
				{ modality: "VIDEO", tokenCount: shown },
			],
			thoughtsTokenCount: reasoning,
			totalTokenCount: total + made,
		};
		const candidates = [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP", index: 0 }];
		return {
			path,
			body,
			answer: () => Response.json({ candidates, usageMetadata, modelVersion: "m" }),
			used: {
				tokens: {
					input: left - heard - seen - film,
					cacheRead: read - sound,
					cacheReadAudio: sound,
					inputAudio: heard,
					inputImage: seen,
					inputVideo: film,
					output: rest - spoken - shown,
					outputVideo: shown,
					outputAudio: spoken,
					reasoning,
				},
			},
		};
	}
	const [heard, spoken, searches] = [part(left), part(rest - 1), client === "chat" ? random(3) : 0];
	const usage = {
		prompt_tokens: total,
		completion_tokens: made,
		total_tokens: total + made,
		prompt_tokens_details: { cached_tokens: read, audio_tokens: heard },
		completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: spoken },
		...(searches > 0 && { num_search_queries: searches }),
	};
	const choices = [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }];
	const tier = client === "chat" ? some(["default", "priority", "flex"]) : "default";
	return {
		path,
		body: { ...body, ...(client === "chat" && { service_tier: tier, web_search_options: {} }) },
		answer: () => Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices, usage }),
		used: {
			tokens: {
				input: left - heard,
				cacheRead: read,
				inputAudio: heard,
				output: rest - spoken,
				outputAudio: spoken,
				reasoning,
			},
			fees: { perWebSearch: 100 * searches },
			tier,
		},
	};
};
