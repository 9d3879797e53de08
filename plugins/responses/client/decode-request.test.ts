import { expect, test } from "bun:test";
import { type ModelRequest, readJsonBody } from "#core";
import { responses } from "../protocol.ts";

const summaryOf = (summary: string) => {
	const body = { model: "m", input: "x", reasoning: { summary } };
	const request: ModelRequest = {
		url: new URL("http://gateway/v1/responses"),
		params: {},
		headers: new Headers(),
		body: readJsonBody(new TextEncoder().encode(JSON.stringify(body))),
	};
	const ask = { ...request, protocol: responses, call: responses.client.read(request) };
	return responses.client.decodeRequest(ask).reasoning;
};

test.each([
	["concise", "concise"],
	["detailed", "detailed"],
	["long", "auto"],
	["constructor", "auto"],
] as const)("the summary %p is %p", (asked, summary) => {
	expect(summaryOf(asked)).toEqual({ mode: "default", summary, expose: "summary" });
});
