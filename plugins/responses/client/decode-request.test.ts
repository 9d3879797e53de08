import { expect, test } from "bun:test";
import { type ModelRequest, readJsonBody } from "#core";
import { responses } from "../protocol.ts";

const decoded = (fields: object) => {
	const body = { model: "m", input: "x", ...fields };
	const request: ModelRequest = {
		url: new URL("http://gateway/v1/responses"),
		params: {},
		headers: new Headers(),
		body: readJsonBody(new TextEncoder().encode(JSON.stringify(body))),
	};
	const ask = { ...request, protocol: responses, call: responses.client.read(request) };
	return responses.client.decodeRequest(ask);
};
const summaryOf = (summary: string) => decoded({ reasoning: { summary } }).reasoning;

test.each([
	["concise", "concise"],
	["detailed", "detailed"],
	["long", "auto"],
	["constructor", "auto"],
] as const)("the summary %p is %p", (asked, summary) => {
	expect(summaryOf(asked)).toEqual({ mode: "default", summary, expose: "summary" });
});

test.each([
	["tools[0].name", { tools: [{ type: "function", name: "" }] }],
	["tools[0].name", { tools: [{ type: "custom" }] }],
	["tools[0].tools[0].name", { tools: [{ type: "namespace", name: "n", tools: [{ type: "function" }] }] }],
])("a tool needs a name: %s", (parameter, fields) => {
	expect(() => decoded(fields)).toThrow(parameter);
});
