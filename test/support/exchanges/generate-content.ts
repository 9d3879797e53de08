/** Our own exchanges in generate-content. */
import { data, description, json, listed, question, schema, thoughts, words } from "./said.ts";

const geminiUrl = (tail: string) => `https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:${tail}`;
const geminiAsked = {
	systemInstruction: { parts: [{ text: "Be brief." }] },
	contents: [{ role: "user", parts: [{ text: question }] }],
};
const geminiCalls = {
	contents: [{ role: "user", parts: [{ text: "What is the weather in Cuxhaven?" }] }],
	tools: [{ functionDeclarations: [{ name: "weather", description, parametersJsonSchema: schema }] }],
	generationConfig: { thinkingConfig: { includeThoughts: true } },
};
const geminiUsage = { promptTokenCount: 19, candidatesTokenCount: 14, totalTokenCount: 33 };
const chunk = (parts: readonly object[], more: object = {}) => ({
	candidates: [{ content: { parts, role: "model" }, index: 0, ...more }],
	usageMetadata: geminiUsage,
	modelVersion: "gemini-2.5-flash",
	responseId: "own1",
});
const functionCall = { functionCall: { name: "weather", args: { town: "Cuxhaven" } } };
const thought = (text: string) => ({ text, thought: true });

export const generateContent = listed("generate-content", [
	{
		name: "words",
		url: geminiUrl("generateContent"),
		request: geminiAsked,
		answer: json(chunk([{ text: words.join("") }], { finishReason: "STOP" })),
	},
	{
		name: "words, streamed",
		url: geminiUrl("streamGenerateContent?alt=sse"),
		request: geminiAsked,
		answer: data(words.map((text, at) => chunk([{ text }], at === words.length - 1 ? { finishReason: "STOP" } : {}))),
	},
	{
		name: "thoughts and a call",
		url: geminiUrl("generateContent"),
		request: geminiCalls,
		answer: json(chunk([thought(thoughts.join("")), functionCall], { finishReason: "STOP" })),
	},
	{
		name: "thoughts and a call, streamed",
		url: geminiUrl("streamGenerateContent?alt=sse"),
		request: geminiCalls,
		answer: data([...thoughts.map((text) => chunk([thought(text)])), chunk([functionCall], { finishReason: "STOP" })]),
	},
	{
		name: "a key that is refused",
		url: geminiUrl("generateContent"),
		request: geminiAsked,
		status: 400,
		answer: json({
			error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
		}),
	},
]);
