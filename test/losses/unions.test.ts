/** Schemas of tools that vendors refuse with the whole request, and take in another form. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord, type WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { answers, askRefused, type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld([
		["chat-completions", "kimi-k3"],
		["messages", "kimi-k3-claude"],
		["chat-completions", "local"],
	]);
});
afterAll(() => world.stop());

const severity = {
	type: "string",
	description: "How bad",
	anyOf: [{ enum: ["high"] }, { type: "string", pattern: "^x" }],
};
const pair = { type: "array", items: [{ type: "string" }, { type: "number" }], minItems: 2 };
const schema = {
	type: "object",
	properties: { severity, pairs: { type: "array", items: pair }, anyOf: { type: "string" }, items: { type: "string" } },
	required: ["severity"],
};
const plain = {
	type: "object",
	properties: {
		severity: {
			description: "How bad",
			anyOf: [
				{ type: "string", enum: ["high"] },
				{ type: "string", pattern: "^x" },
			],
		},
		pairs: {
			type: "array",
			items: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2 },
		},
		anyOf: { type: "string" },
		items: { type: "string" },
	},
	required: ["severity"],
};
const refusal = {
	error: {
		message:
			"tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.severity': when using anyOf, type should be defined in anyOf items instead of the parent schema>",
		type: "invalid_request_error",
	},
};

/** Gives the schemas that were sent, in each request. */
const ask = async (client: ProtocolName, to: ProtocolName, model: string, body: WireRecord, refused = false) => {
	const { status, dropped, sent } = await askRefused(world, [client, to], body, refused ? [refusal] : [], { model });
	const schemas = sent.map(({ tools }) => {
		const tool = asRecord(asList(tools)[0]);
		return tool["input_schema"] ?? asRecord(tool["function"])["parameters"];
	});
	return { status, dropped, sent: schemas };
};

const inMessages = { tools: [{ name: "report", input_schema: schema }] };
const inChat = { tools: [{ type: "function", function: { name: "report", parameters: schema } }] };

describe("a schema says the same in the form that is taken", () => {
	test("by translation to a model of Moonshot's, without a loss", async () => {
		expect(await ask("messages", "chat-completions", "kimi-k3", inMessages)).toEqual({
			status: 200,
			dropped: null,
			sent: [plain],
		});
		expect((await ask("chat-completions", "messages", "kimi-k3-claude", inChat)).sent).toEqual([plain]);
	});

	test("and by a second ask where a client of its own protocol was refused", async () => {
		const { status, sent } = await ask("chat-completions", "chat-completions", "kimi-k3", inChat, true);
		expect([status, sent]).toEqual([200, [schema, plain]]);
	});

	test("whose root has its alternatives together, which is told", async () => {
		const branch = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
		const either = { type: "object", anyOf: [branch("path"), branch("url")] };
		const body = { tools: [{ type: "function", function: { name: "attach", parameters: either } }] };
		const { status, sent, dropped } = await ask("chat-completions", "chat-completions", "kimi-k3", body, true);
		const properties = { path: { type: "string" }, url: { type: "string" } };
		expect([status, sent, dropped]).toEqual([200, [either, { type: "object", properties }], "tools[0]"]);
	});
});

describe("a root without an object becomes one, which is told", () => {
	const branch = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
	const nested = {
		oneOf: [branch("mode"), { anyOf: [branch("id"), { $ref: "#/$defs/rule" }] }],
		$defs: { rule: branch("rule") },
	};
	const properties = { mode: { type: "string" }, id: { type: "string" }, rule: { type: "string" } };
	const words = [
		"codex_app__automation_update: tool parameter root must be an object type (root schema is an anyOf/oneOf union)",
		`Invalid schema for function 'automation_update': schema must be a JSON Schema of 'type: "object"', got 'type: "None"'.`,
	];

	test.each(words)("by a second ask after: %s", async (message) => {
		const automation = { type: "function", name: "automation_update", parameters: nested, strict: false };
		const additional = { type: "additional_tools", role: "developer", tools: [automation] };
		const before = world.upstream.received.length;
		const asked = world.send("responses", "responses", { input: [additional, { role: "user", content: "Hi" }] });
		let asks = 0;
		world.upstream.answer(() =>
			asks++ === 0 ? Response.json({ error: { message } }, { status: 400 }) : Response.json(answers.responses),
		);
		const response = await asked;
		const [, second] = world.upstream.received.slice(before);
		const parameters = { type: "object", properties, $defs: nested.$defs };
		expect([response.status, response.headers.get("x-portico-dropped")]).toEqual([200, "input[0].tools[0]"]);
		expect(asRecord(second?.json)["tools"]).toEqual([{ ...automation, parameters }]);
	});

	test("at once by translation, all alternatives of alternatives in it", async () => {
		const body = { tools: [{ name: "automation_update", input_schema: nested }] };
		const { sent, dropped } = await ask("messages", "chat-completions", "local", body);
		expect([sent, dropped]).toEqual([[{ type: "object", properties, $defs: nested.$defs }], "tools[0]"]);
	});
});

test("another model's schemas stay as they are", async () => {
	expect((await ask("messages", "chat-completions", "local", inMessages)).sent).toEqual([schema]);
});
