/** An inspector is asked about each text of an answer once: it may be paid by the question, and each one takes its time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";

let upstream: ScriptedUpstream;
let inspector: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream();
	inspector = startUpstream(() => Response.json({ action: "pass" }));
	const look = { url: `${inspector.url}/look`, privateNetwork: true, answers: true };
	const upstreams = [
		{ name: "chat", protocol: "chat-completions", url: `${upstream.url}/v1` },
		{ name: "google", protocol: "generate-content", url: upstream.url },
	];
	const models = [
		{ name: "m", targets: [{ upstream: "chat" }] },
		{ name: "g", targets: [{ upstream: "google" }] },
	];
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"responses",
			"generate-content",
			"embeddings",
			{ use: "guard-http", with: look },
			{ use: "router", with: { upstreams, models } },
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
	await inspector.stop();
});

interface Question {
	readonly phase: string;
	readonly texts: readonly string[];
}

/** What it was shown of the answer. */
const shown = () =>
	inspector.received
		.map(({ json }) => json as Question)
		.flatMap(({ phase, texts }) => (phase === "answer" ? texts : []));

const messages = [{ role: "user", content: "x" }];

test.each([
	["/v1/chat/completions", { model: "m", messages }],
	["/v1/messages", { model: "m", max_tokens: 9, messages }],
	["/v1/responses", { model: "m", input: "x" }],
	["/v1beta/models/m:generateContent", { contents: [{ parts: [{ text: "x" }] }] }],
])("of %s", async (path, body) => {
	for (const text of ["Good morning.", "Good morning. ".repeat(50)]) {
		upstream.answer(() => Response.json(chatAnswer(text)));
		inspector.received.length = 0;
		expect((await gateway.ask(path, body)).status).toBe(200);
		expect(shown()).toEqual([text]);
	}
});

test("what an upstream says in the place of a word for its end is looked at", async () => {
	const answer = chatAnswer("Good morning.");
	const choices = answer.choices.map((choice) => ({ ...choice, finish_reason: "the card 4111" }));
	upstream.answer(() => Response.json({ ...answer, choices }));
	inspector.received.length = 0;
	await (await gateway.ask("/v1/chat/completions", { model: "m", messages })).text();
	expect(shown()).toEqual(["Good morning.", "the card 4111"]);
});

test("a replacement stands wherever the text does", async () => {
	upstream.answer(() => Response.json(chatAnswer("My name is Ann.")));
	inspector.answer(({ json }) => {
		const { phase, texts } = json as Question;
		if (phase === "request") return Response.json({ action: "pass" });
		return Response.json({ action: "replace", texts: texts.map((text) => text.replaceAll("Ann", "somebody")) });
	});
	const answer = await gateway.ask("/v1/responses", { model: "m", input: "x" });
	expect(await answer.json()).toMatchObject({ output: [{ content: [{ text: "My name is somebody." }] }] });
});

test("of a vector nothing is asked, and of names that are plain words", async () => {
	const embedding = Array.from({ length: 1_536 }, (_, index) => (index % 2 ? 1 : -1) / (index + 3));
	const data = [{ object: "embedding", index: 0, embedding }];
	const body = {
		object: "list",
		data,
		model: "up",
		usage: { prompt_tokens: 1, total_tokens: 1 },
		"[name_1]": 4111111111111111,
	};
	upstream.answer(() => Response.json(body));
	inspector.answer(() => Response.json({ action: "pass" }));
	inspector.received.length = 0;
	const answer = await gateway.ask("/v1/embeddings", { model: "m", input: "x" });
	expect(await answer.json()).toMatchObject({ data });
	expect(shown().toSorted()).toEqual(["4111111111111111", "[name_1]", "embedding", "list", "up"]);
});

test.each(["generateContent", "streamGenerateContent?alt=sse"])(
	"what Gemini's clients go on with stays, and is nobody's words: %s",
	async (verb) => {
		const end = { finishReason: "CONTINUATION", continuationToken: "dG9rZW4=" };
		const body = { candidates: [{ index: 0, content: { role: "model", parts: [{ text: "Once" }] }, ...end }] };
		upstream.answer(() =>
			verb.includes("alt") ? streamOf([`data: ${JSON.stringify(body)}\n\n`]) : Response.json(body),
		);
		inspector.answer(() => Response.json({ action: "pass" }));
		inspector.received.length = 0;
		const told = await (
			await gateway.ask(`/v1beta/models/g:${verb}`, { contents: [{ parts: [{ text: "x" }] }] })
		).text();
		const last = asRecord(JSON.parse(told.trim().split("data: ").at(-1) ?? ""));
		expect(asList(last["candidates"])).toMatchObject([end]);
		expect(shown()).not.toContain(end.continuationToken);
	},
);
