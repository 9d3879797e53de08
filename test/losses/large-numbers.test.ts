/** Numbers of 64 bits in schemas reach every upstream with all their digits, as bounds of such integers must. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { WireRecord } from "#core";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";
import { type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;
beforeAll(async () => {
	world = await startLossWorld();
});
afterAll(() => world.stop());

const least = "-9223372036854775808";
const most = "9223372036854775807";
const wanted = "1234567890123456789";

const bounded = {
	type: "object",
	properties: {
		at: { type: "integer", minimum: JSON.rawJSON(least), maximum: JSON.rawJSON(most) },
		kind: { type: "integer", enum: [1, JSON.rawJSON(wanted)] },
	},
	required: ["at", "kind"],
	additionalProperties: false,
};

const asked: Readonly<Record<ProtocolName, (schema: WireRecord, strict: boolean) => WireRecord>> = {
	"chat-completions": (schema, strict) => ({
		tools: [{ type: "function", function: { name: "f", parameters: schema, strict } }],
		response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
	}),
	responses: (schema, strict) => ({
		tools: [{ type: "function", name: "f", parameters: schema, strict }],
		text: { format: { type: "json_schema", name: "answer", schema } },
	}),
	messages: (schema, strict) => ({
		tools: [{ name: "f", input_schema: schema, strict }],
		output_config: { format: { type: "json_schema", schema } },
	}),
	"generate-content": (schema) => ({
		tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: schema }] }],
		generationConfig: { responseMimeType: "application/json", responseJsonSchema: schema },
	}),
};

const pairs = protocolNames.flatMap((client) =>
	protocolNames.flatMap((upstream) => (client === upstream ? [] : [[client, upstream] as const])),
);

const timesIn = (text: string, digits: string): number => text.split(digits).length - 1;

test.each(pairs)("%s to %s", async (client, upstream) => {
	for (const strict of [false, true]) {
		expect((await world.send(client, upstream, asked[client](bounded, strict))).status).toBe(200);
		const sent = world.upstream.received.at(-1)?.text ?? "";
		// Once in the tool and once in the form of the answer.
		expect([least, most, wanted].map((digits) => timesIn(sent, digits))).toEqual([2, 2, 2]);
		expect(sent).not.toContain("rawJSON");
	}
});

test("a bound that excludes itself is exact where the upstream has none such", async () => {
	const tool = { type: "function", name: "f", strict: false };
	const at = { type: "integer", exclusiveMaximum: JSON.rawJSON(most), exclusiveMinimum: JSON.rawJSON(least) };
	await world.send("responses", "generate-content", {
		tools: [{ ...tool, parameters: { type: "object", properties: { at } } }],
	});
	const sent = world.upstream.received.at(-1)?.text ?? "";
	expect(sent).toContain('"maximum":9223372036854775806');
	expect(sent).toContain('"minimum":-9223372036854775807');
});

const keywords = (
	"type enum const required properties propertyOrdering items prefixItems anyOf oneOf allOf nullable format description " +
	"title pattern minimum maxItems additionalProperties $ref $defs default"
).split(" ");

test.each(pairs)("one where no number belongs breaks nothing on the way from %s to %s", async (client, upstream) => {
	const large = JSON.rawJSON(most);
	for (const keyword of keywords) {
		const at = { type: "integer", [keyword]: large };
		const odd = { type: "object", properties: { at }, [keyword]: [large] };
		const { status } = await world.send(client, upstream, asked[client](odd, false));
		expect(`${keyword} ${status}`).toMatch(/ (?:200|400)$/);
	}
});
