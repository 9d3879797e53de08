/** A fifth protocol, in one folder of a stranger: its clients reach every upstream, and every client reaches its upstreams. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { asList, asRecord, asText, parseJson, type WireRecord } from "#core";
import {
	checkPlugin,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestGateway,
} from "#core/testing";
import { streamFaults } from "../../support/grammar/check.ts";
import { type ProtocolName, protocolNames } from "../../support/recordings.ts";

const telegraph = resolve(import.meta.dir, "../../../templates/telegraph");

/** A provider that speaks the four protocols, and one that speaks the telegraph's alone: both are Porticos with the demo. */
let provider: TestGateway;
let station: TestGateway;
let scripted: ScriptedUpstream;
/** The Portico under test, which knows all five and leads to both. */
let gateway: TestGateway;

const base: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "/v1",
	responses: "/v1",
	messages: "",
	"generate-content": "/v1beta",
};

beforeAll(async () => {
	const demo = [
		"tokens",
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	];
	provider = await startGateway({ plugins: [...protocolNames, ...demo] });
	station = await startGateway({ plugins: [telegraph, ...demo] });
	scripted = startUpstream();
	const upstreams = [
		...protocolNames.map((protocol) => ({
			name: protocol,
			protocol,
			url: provider.url + base[protocol],
			key: provider.key,
		})),
		{ name: "telegraph", protocol: "telegraph", url: station.url, key: station.key },
		{ name: "scripted", protocol: "telegraph", url: scripted.url },
	];
	const models = upstreams.map(({ name }) => ({ name: `by-${name}`, targets: [{ upstream: name, model: "demo" }] }));
	gateway = await startGateway({
		plugins: ["tokens", ...protocolNames, telegraph, { use: "router", with: { upstreams, models } }],
	});
});
afterAll(async () => {
	for (const one of [gateway, provider, station]) await one.stop();
	await scripted.stop();
});

const lines = (text: string) => [
	{ from: "rules", text: "Be brief." },
	{ from: "caller", text },
];
const weather = {
	errand: "weather",
	about: "Tells the weather.",
	form: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const send = async (body: WireRecord): Promise<{ status: number; told: WireRecord; headers: Headers }> => {
	const response = await gateway.ask("/telegraph", body);
	return { status: response.status, told: asRecord(await response.json()), headers: response.headers };
};

/** The events of a telegram that comes as it is written. */
const tape = async (body: WireRecord): Promise<readonly WireRecord[]> => {
	const response = await gateway.ask("/telegraph", { ...body, tape: true });
	expect(response.headers.get("content-type")).toStartWith("text/event-stream");
	return (await response.text())
		.split("\n\n")
		.flatMap((event) => (event.startsWith("data: ") ? [asRecord(parseJson(event.slice(6)))] : []));
};

test("it keeps the contract that Portico's own plugins keep", async () => {
	expect(await checkPlugin(telegraph)).toEqual([]);
});

describe.each([...protocolNames, "telegraph"])(
	"a client of the telegraph, by an upstream that speaks %s,",
	(upstream) => {
		const model = `by-${upstream}`;
		const said = "This is the demo model of Portico speaking; no provider was asked. You said: Hello there";

		test("gets an answer, whole and as a tape", async () => {
			const { status, told } = await send({ station: model, lines: lines("Hello there") });
			expect(status).toBe(200);
			expect(told).toMatchObject({ text: said, errands: [], stop: "end" });
			expect(asRecord(told["words"])["out"]).toBe(said.split(" ").length);
			const events = await tape({ station: model, lines: lines("Hello there") });
			expect(events.map(({ text }) => text ?? "").join("")).toBe(said);
			expect(events.length).toBeGreaterThan(5);
			expect(events.at(-1)).toMatchObject({ stop: "end", words: told["words"] });
		});

		test("has its limit kept, and is told that it was", async () => {
			// No protocol takes less than 16 everywhere.
			const { told } = await send({ station: model, lines: lines("one two three four five"), most: 16 });
			expect(told).toMatchObject({ text: said.replace("Hello there", "one two"), stop: "most", words: { out: 16 } });
		});

		test("has its errands run", async () => {
			const body = { station: model, lines: lines("Oslo"), errands: [weather], must: true };
			const { told } = await send(body);
			expect(told).toMatchObject({ errands: [{ errand: "weather" }], stop: "errand" });
			const [errand] = asList(told["errands"]).map(asRecord);
			expect(parseJson(asText(errand?.["note"]) ?? "")).toEqual({ city: "Oslo" });
			const events = await tape(body);
			expect(events.find((event) => "errand" in event)).toMatchObject({ errand: { errand: "weather" } });
			expect(events.at(-1)).toMatchObject({ stop: "errand" });
			const after = [
				...lines("Oslo"),
				{ from: "station", text: "", errands: [errand] },
				{ from: "errand", ticket: errand?.["ticket"], text: "Rain." },
				{ from: "caller", text: "Thanks" },
			];
			expect((await send({ station: model, lines: after, errands: [weather] })).told["text"]).toContain(
				"You said: Thanks",
			);
		});

		test.each([
			[429, 429],
			[503, 503],
			[500, 502],
		])("is told of a failure (%d) in its own way", async (asked, seen) => {
			const { status, told } = await send({ station: model, lines: lines(`/fail ${asked}`) });
			expect(status).toBe(seen);
			expect(told).toEqual({ fault: { kind: expect.any(String), text: expect.any(String) } });
		});
	},
);

const geminiText = ({ candidates }: WireRecord): unknown =>
	asRecord(asList(asRecord(asRecord(asList(candidates)[0])["content"])["parts"])[0])["text"];

/** One question in each protocol, and the text of its answer. */
const clients: Readonly<
	Record<
		ProtocolName,
		{
			path(model: string, stream: boolean): string;
			body(model: string, stream: boolean): WireRecord;
			text(answer: WireRecord): unknown;
			piece(event: WireRecord): unknown;
		}
	>
> = {
	"chat-completions": {
		path: () => "/v1/chat/completions",
		body: (model, stream) => ({ model, stream, temperature: 0.5, messages: [{ role: "user", content: "Hello" }] }),
		text: ({ choices }) => asRecord(asRecord(asList(choices)[0])["message"])["content"],
		piece: ({ choices }) => asRecord(asRecord(asList(choices)[0])["delta"])["content"],
	},
	responses: {
		path: () => "/v1/responses",
		body: (model, stream) => ({ model, stream, temperature: 0.5, input: "Hello" }),
		text: ({ output }) => asRecord(asList(asRecord(asList(output)[0])["content"])[0])["text"],
		piece: ({ type, delta }) => (type === "response.output_text.delta" ? delta : undefined),
	},
	messages: {
		path: () => "/v1/messages",
		body: (model, stream) => ({
			model,
			stream,
			temperature: 0.5,
			max_tokens: 100,
			messages: [{ role: "user", content: "Hello" }],
		}),
		text: ({ content }) => asRecord(asList(content)[0])["text"],
		piece: ({ delta }) => asRecord(delta)["text"],
	},
	"generate-content": {
		path: (model, stream) => `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
		body: () => ({ contents: [{ role: "user", parts: [{ text: "Hello" }] }], generationConfig: { temperature: 0.5 } }),
		text: (answer) => geminiText(answer),
		piece: (event) => geminiText(event),
	},
};

describe.each([...protocolNames])("a client of %s, by an upstream that speaks the telegraph's protocol,", (name) => {
	const { path, body, text, piece } = clients[name];
	const textIn = (streamed: string): string =>
		streamed
			.split("\n")
			.map((line) => (line.startsWith("data: {") ? asText(piece(asRecord(parseJson(line.slice(6))))) : undefined) ?? "")
			.join("");
	const ask = (model: string, stream: boolean) => gateway.ask(path(model, stream), body(model, stream));

	test("gets an answer of its own, and is told what stayed behind", async () => {
		const response = await ask("by-telegraph", false);
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-dropped")).toBe("temperature");
		expect(text(asRecord(await response.json()))).toContain("You said: Hello");
	});

	test("gets a stream of its own grammar", async () => {
		const response = await ask("by-telegraph", true);
		const streamed = await response.text();
		expect(streamFaults(name, streamed)).toEqual([]);
		expect(textIn(streamed)).toBe("This is the demo model of Portico speaking; no provider was asked. You said: Hello");
	});

	test("is told in its own way when the telegram breaks off, and never that it was whole", async () => {
		scripted.answer(() => streamOf(['data: {"text":"This is "}\n\n', 'data: {"text":"the be']));
		const response = await ask("by-scripted", true);
		const streamed = await response.text();
		expect(textIn(streamed)).toBe("This is ");
		expect(streamed).toMatch(/error|failed/);
		expect(streamed).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finishReason":"STOP"/);
	});
});

describe("the telegraph on both sides", () => {
	const whole = '{"station" : "demo","text":"Hi","stop":"end","words":{"in":1,"out":1},"odd":1.0}';

	test("passes bytes through, with the model's names put in place", async () => {
		scripted.answer(() => new Response(whole, { headers: { "content-type": "application/json" } }));
		const asked = '{ "lines":[{"from":"caller","text":"Hi"}] , "odd": 1.0, "station":"by-scripted" }';
		const response = await gateway.ask("/telegraph", asked);
		expect(await response.json()).toEqual({ ...(JSON.parse(whole) as object), station: "by-scripted" });
		expect(scripted.received.at(-1)?.text).toBe(asked.replace("by-scripted", "demo"));
	});

	test("passes a stream through byte by byte, its odd events included", async () => {
		const pieces = [
			'data: {"text":"Hi"}\n\n',
			": hum\n\n",
			'data: {"odd":1.0}\n\n',
			'data: {"stop":"end","words":{"in":1,"out":1}}\n\n',
		];
		scripted.answer(() => streamOf(pieces.join("").split("")));
		const response = await gateway.ask("/telegraph", { station: "by-scripted", lines: lines("Hi"), tape: true });
		expect(await response.text()).toBe(pieces.join(""));
	});
});

describe("an upstream whose streams are lines of JSON", () => {
	const told = ['{"text":"Hi "}\n', '{"text":"there"}\r\n', '\n{"stop":"end","words":{"in":1,"out":2}}\n'];
	const inLines = (pieces: readonly string[]) => () => streamOf(pieces.join("").split(""), "application/x-ndjson");

	test("streams for clients of another protocol, and is read whole for those who want no stream", async () => {
		const { path, body, text } = clients["chat-completions"];
		const ask = (stream: boolean) => gateway.ask(path("by-scripted", stream), body("by-scripted", stream));
		scripted.answer(inLines(told));
		const streamed = await (await ask(true)).text();
		expect(streamFaults("chat-completions", streamed)).toEqual([]);
		expect(streamed).toContain('"content":"there"');
		expect(text(asRecord(await (await ask(false)).json()))).toBe("Hi there");
	});

	test("passes line by line to clients of its own, and a line that is torn is not passed", async () => {
		scripted.answer(inLines(told));
		const ask = () => gateway.ask("/telegraph", { station: "by-scripted", lines: lines("Hi"), tape: true });
		expect(await (await ask()).text()).toBe(told.join(""));
		scripted.answer(inLines(['{"text":"Hi "}\n', '{"text":"the']));
		const broken = await (await ask()).text();
		expect(broken).toStartWith('{"text":"Hi "}\n');
		expect(broken).not.toContain('"the');
		expect(broken).toContain("fault");
	});
});

describe("what is wrong", () => {
	test.each([
		["no station", { lines: [] }],
		["no lines", { station: "by-telegraph" }],
		["a line from nobody", { station: "by-responses", lines: [{ from: "ghost", text: "Boo" }] }],
	])("%s is refused in the telegraph's own way", async (_, body) => {
		const { status, told } = await send(body);
		expect(status).toBe(400);
		expect(told).toEqual({ fault: { kind: "invalid_request", text: expect.any(String) } });
	});

	test("an unknown station, and a key that was never issued", async () => {
		expect((await send({ station: "nowhere", lines: [] })).status).toBe(404);
		const response = await gateway.ask(
			"/telegraph",
			{ station: "by-telegraph", lines: [] },
			{ headers: { authorization: "Bearer no" } },
		);
		expect([response.status, await response.json()]).toEqual([401, { fault: expect.any(Object) }]);
	});
});
