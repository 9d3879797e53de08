/** The official SDKs in a loop of tools: each asks a model, gives the results of its calls, and keeps the history as its users do. */
import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI, type Part } from "@google/genai";
import OpenAI from "openai";

/** One pixel. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export interface Loop {
	/** Says something as the user. */
	say(text: string): void;
	/** Asks the model; gives what it said and how many tools it called, whose results are in the history then. */
	ask(model: string): Promise<{ readonly text: string; readonly calls: number }>;
}

interface LoopOptions {
	readonly url: string;
	readonly key: string;
	readonly streamed: boolean;
	/** Whether answers are kept; the next request then names the last answer in place of the history. */
	readonly stored: boolean;
}

const schema = { type: "object", properties: { at: { type: "string" } }, required: ["at"] } as const;
const tools = ["look", "weigh"] as const;
const resultOf = (name: string): string => `${name} found something`;

const chat = ({ url, key, streamed, stored }: LoopOptions): Loop => {
	const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
	const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: "You look at things." }];
	return {
		say: (content) => void messages.push({ role: "user", content }),
		async ask(model) {
			const body = {
				model,
				messages,
				reasoning_effort: "medium" as const,
				tools: tools.map((name) => ({ type: "function" as const, function: { name, parameters: { ...schema } } })),
				...(stored && { store: true, metadata: { loop: "1" } }),
			};
			const { message } = streamed
				? { message: (await client.chat.completions.stream(body).finalChatCompletion()).choices[0]?.message }
				: { message: (await client.chat.completions.create(body)).choices[0]?.message };
			if (!message) throw new Error("no message");
			messages.push(message);
			const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
			for (const call of calls)
				messages.push({ role: "tool", tool_call_id: call.id, content: resultOf(call.function.name) });
			const image_url = { url: `data:image/png;base64,${picture}` };
			if (calls.length > 0)
				messages.push({
					role: "user",
					content: [
						{ type: "image_url", image_url },
						{ type: "text", text: "See it." },
					],
				});
			return { text: message.content ?? "", calls: calls.length };
		},
	};
};

const responses = ({ url, key, streamed, stored }: LoopOptions): Loop => {
	const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
	let input: OpenAI.Responses.ResponseInputItem[] = [];
	let previous: string | undefined;
	return {
		say: (content) => void input.push({ role: "user", content }),
		async ask(model) {
			const body = {
				model,
				input,
				instructions: "You look at things.",
				reasoning: { effort: "medium" as const, summary: "auto" as const },
				tools: tools.map((name) => ({ type: "function" as const, name, parameters: { ...schema }, strict: false })),
				store: stored,
				...(!stored && { include: ["reasoning.encrypted_content" as const] }),
				...(previous !== undefined && { previous_response_id: previous }),
			};
			const answer = streamed
				? await client.responses.stream(body).finalResponse()
				: await client.responses.create(body);
			if (stored) {
				previous = answer.id;
				input = [];
			} else input.push(...(answer.output as OpenAI.Responses.ResponseInputItem[]));
			const calls = answer.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
			for (const { call_id, name } of calls)
				input.push({
					type: "function_call_output",
					call_id,
					output: [
						{ type: "input_text", text: resultOf(name) },
						{ type: "input_image", image_url: `data:image/png;base64,${picture}`, detail: "auto" },
					],
				});
			return { text: answer.output_text, calls: calls.length };
		},
	};
};

const messages = ({ url, key, streamed }: LoopOptions): Loop => {
	const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
	const history: Anthropic.MessageParam[] = [];
	return {
		say: (content) => void history.push({ role: "user", content }),
		async ask(model) {
			const body = {
				model,
				max_tokens: 4000,
				system: "You look at things.",
				messages: history,
				thinking: { type: "enabled" as const, budget_tokens: 2000 },
				tools: tools.map((name) => ({ name, input_schema: { ...schema, required: ["at"] } })),
			};
			const answer = streamed ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
			history.push({ role: "assistant", content: answer.content as Anthropic.ContentBlockParam[] });
			const calls = answer.content.filter((block) => block.type === "tool_use");
			const source = { type: "base64" as const, media_type: "image/png" as const, data: picture };
			if (calls.length > 0)
				history.push({
					role: "user",
					content: calls.map(({ id, name }) => ({
						type: "tool_result",
						tool_use_id: id,
						content: [
							{ type: "text", text: resultOf(name) },
							{ type: "image", source },
						],
					})),
				});
			const text = answer.content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
			return { text, calls: calls.length };
		},
	};
};

const google = ({ url, key, streamed }: LoopOptions): Loop => {
	const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
	const contents: Content[] = [];
	return {
		say: (text) => void contents.push({ role: "user", parts: [{ text }] }),
		async ask(model) {
			const request = {
				model,
				contents,
				config: {
					systemInstruction: "You look at things.",
					thinkingConfig: { includeThoughts: true },
					tools: [{ functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: schema })) }],
				},
			};
			const parts: Part[] = [];
			if (streamed)
				for await (const chunk of await client.models.generateContentStream(request))
					parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
			else parts.push(...((await client.models.generateContent(request)).candidates?.[0]?.content?.parts ?? []));
			contents.push({ role: "model", parts });
			const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
			const inlineData = { mimeType: "image/png", data: picture };
			if (calls.length > 0)
				contents.push({
					role: "user",
					parts: calls.map(({ id, name = "" }) => ({
						functionResponse: {
							...(id !== undefined && { id }),
							name,
							response: { output: resultOf(name) },
							parts: [{ inlineData }],
						},
					})),
				});
			const text = parts.flatMap((part) => (part.thought ? [] : (part.text ?? []))).join("");
			return { text, calls: calls.length };
		},
	};
};

export const clients: Readonly<Record<string, (options: LoopOptions) => Loop>> = { chat, responses, messages, google };
