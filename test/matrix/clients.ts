/** The official clients, fed with bodies instead of a network. */
import Anthropic from "@anthropic-ai/sdk";
import { ApiError, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { asList, asRecord, asText, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { distinct, type Raised, type Told } from "./told.ts";
import { toldOfChat } from "./told-of-chat.ts";
import { toldOfChunks } from "./told-of-generate-content.ts";
import { toldOfMessage } from "./told-of-messages.ts";
import { toldOfResponse } from "./told-of-responses.ts";

const respond =
	(body: string, type: string, status = 200) =>
	async () =>
		new Response(body, { status, headers: { "content-type": type } });
const openai = (fetch: () => Promise<Response>) => new OpenAI({ apiKey: "k", maxRetries: 0, fetch });
const anthropic = (fetch: () => Promise<Response>) => new Anthropic({ apiKey: "k", maxRetries: 0, fetch });
const google = (fetch: () => Promise<Response>) => new GoogleGenAI({ apiKey: "k", httpOptions: { fetch } });

const raised = async (told: () => Promise<Told>): Promise<Told | Raised> => {
	try {
		return await told();
	} catch (error) {
		const told = error instanceof OpenAI.APIError || error instanceof Anthropic.APIError || error instanceof ApiError;
		return { raised: error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error), told };
	}
};

/** What the protocol's client makes of a whole answer, or of an error. */
export const readAnswer = (protocol: ProtocolName, body: unknown, status?: number): Promise<Told | Raised> => {
	const fetch = respond(JSON.stringify(body), "application/json", status);
	return raised(async () => {
		switch (protocol) {
			case "chat-completions":
				return toldOfChat(await openai(fetch).chat.completions.create({ model: "m", messages: [] }));
			case "responses":
				return toldOfResponse(await openai(fetch).responses.create({ model: "m", input: "" }));
			case "messages":
				return toldOfMessage(await anthropic(fetch).messages.create({ model: "m", max_tokens: 1, messages: [] }));
			case "generate-content":
				return toldOfChunks([await google(fetch).models.generateContent({ model: "m", contents: "x" })]);
		}
	});
};

const deltaOf = (chunk: unknown): WireRecord => asRecord(asRecord(asList(asRecord(chunk)["choices"])[0])["delta"]);

/** The client does not accumulate what is no field of its own: reasoning, and the annotations of a stream. */
const withDeltas = ({ candidates: [first, ...rest], usage }: Told, deltas: readonly WireRecord[]): Told => {
	const thinking = deltas
		.map((delta) => asText(delta["reasoning_content"]) ?? asText(delta["reasoning"]) ?? "")
		.join("");
	const notes = deltas.flatMap((delta) => asList(delta["annotations"]));
	const cited = distinct(notes.map((note) => asRecord(asRecord(note)["url_citation"])["url"]));
	return { candidates: first ? [{ ...first, thinking, cited }, ...rest] : [], usage };
};

/** What the protocol's client makes of a stream, by its own accumulation where it has one. */
export const readStream = (protocol: ProtocolName, text: string): Promise<Told | Raised> => {
	const fetch = respond(text, "text/event-stream");
	return raised(async () => {
		switch (protocol) {
			case "chat-completions": {
				const stream = openai(fetch).chat.completions.stream({ model: "m", messages: [] });
				const deltas: WireRecord[] = [];
				stream.on("chunk", (chunk) => deltas.push(deltaOf(chunk)));
				return withDeltas(toldOfChat(await stream.finalChatCompletion()), deltas);
			}
			case "responses":
				return toldOfResponse(await openai(fetch).responses.stream({ model: "m", input: "" }).finalResponse());
			case "messages": {
				const stream = anthropic(fetch).messages.stream({ model: "m", max_tokens: 1, messages: [] });
				return toldOfMessage(await stream.finalMessage());
			}
			case "generate-content": {
				const chunks: unknown[] = [];
				for await (const chunk of await google(fetch).models.generateContentStream({ model: "m", contents: "x" }))
					chunks.push(chunk);
				return toldOfChunks(chunks);
			}
		}
	});
};
