/** Promise: an answer of very many pieces (items, choices, marks on a text) does not stop everybody else while it is translated. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { askIn } from "../fuzz/gateway.ts";
import type { ProtocolName } from "../support/recordings.ts";
import { longestStop } from "./longest-stop.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

/** Each of these took five seconds and more. They take a fifth of one on a machine with nothing else to do. */
const longestMs = 3_000;

const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const asked: Readonly<Record<ProtocolName, object>> = {
	"chat-completions": { messages: [{ role: "user", content: "Hi" }] },
	responses: { input: "Hi" },
	messages: { max_tokens: 16, messages: [{ role: "user", content: "Hi" }] },
	"generate-content": { contents: [{ role: "user", parts: [{ text: "Hi" }] }] },
};
const event = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const events = (text: string): Response => new Response(text, { headers: { "content-type": "text/event-stream" } });

const item = (id: string) => ({
	...{ type: "message", id, role: "assistant", status: "completed" },
	content: [{ type: "output_text", text: "word", annotations: [] }],
});
const response = { id: "r", object: "response", model: "m", status: "completed" };

test.each<[string, ProtocolName, ProtocolName, boolean, () => Response]>([
	[
		"items that only the end of a stream tells",
		"responses",
		"chat-completions",
		true,
		() =>
			events(
				event({
					type: "response.completed",
					...{ response: { ...response, output: many(40_000, (at) => item(`m${at}`)) } },
				}),
			),
	],
	[
		"choices",
		"chat-completions",
		"generate-content",
		false,
		() => {
			const choices = many(60_000, (index) => ({ index, message: { content: "word" }, finish_reason: "stop" }));
			return Response.json({ id: "c", object: "chat.completion", created: 1, model: "m", choices });
		},
	],
	[
		"marks on a text",
		"generate-content",
		"messages",
		false,
		() => {
			const groundingChunks = many(40_000, (at) => ({ web: { uri: `https://a.example/${at}`, title: "a" } }));
			const groundingSupports = many(40_000, (at) => ({
				segment: { startIndex: at * 5, endIndex: at * 5 + 4, text: "word" },
				groundingChunkIndices: [at],
			}));
			const content = { role: "model", parts: [{ text: "word ".repeat(40_000) }] };
			const groundingMetadata = { groundingChunks, groundingSupports };
			return Response.json({ candidates: [{ content, finishReason: "STOP", index: 0, groundingMetadata }] });
		},
	],
])(
	"%s",
	async (_, upstream, client, stream, answer) => {
		world.upstream.answer(answer);
		const { path, fields } = askIn(client, `${upstream}-a`, stream);
		const { result, stoppedMs } = await longestStop(async () => {
			const answered = await world.gateway.ask(path, { ...asked[client], ...fields });
			return [answered.status, await answered.text()] as const;
		});
		expect(result).toEqual([200, expect.stringContaining("word")]);
		expect(stoppedMs).toBeLessThan(longestMs);
	},
	120_000,
);
