/** Every recorded exchange of this protocol through both halves of the codec. */
import { describe, expect, test } from "bun:test";
import { asList, asRecord, explode, fold, type NeutralResponse, normalizeEvents, normalizeResponse } from "#core";
import { eventsOf } from "../../test/matrix/translate.ts";
import { responsesFaults } from "../../test/support/grammar/responses.ts";
import { type Recording, recordings } from "../../test/support/recordings.ts";
import { loadSchemas } from "../../test/support/schemas.ts";
import { askOf, contextFor, encoded, encodeStream, eventsIn, foreign } from "./fixtures/trial.ts";
import { responses } from "./protocol.ts";

const all = recordings("responses");
const good = all.filter(({ status }) => status < 400);
const answered = good.filter(({ answer }) => answer.form !== "array");
const schemas = (await loadSchemas()).responses;
const plain = foreign({ stream: true });

const requestOf = (recording: Recording) => {
	const { prompt: _kept, ...body } = recording.request ?? {};
	return body;
};

const decodeAnswer = ({ answer }: Recording, family = "gpt"): NeutralResponse => {
	if (answer.form === "json")
		return normalizeResponse(responses.upstream.decodeResponse(answer.value, contextFor(plain, family)));
	if (answer.form !== "events") throw new Error("not an answer of this protocol");
	const decoder = responses.upstream.streamDecoder(contextFor(plain, family));
	const stage = normalizeEvents();
	const told = [...eventsOf(answer)].flatMap((event) => decoder.push(event));
	return fold([...told, ...decoder.end()].flatMap((event) => stage.push(event)));
};

/** The response object that a recorded answer ends with; some files hold several answers. */
const lastResponse = ({ answer }: Recording): Readonly<Record<string, unknown>> => {
	if (answer.form === "json") return asRecord(answer.value);
	const events = answer.form === "events" ? [...eventsOf(answer)].map(({ data }) => data) : [];
	const terminal = events.filter((data) => /"response\.(completed|incomplete|failed)"/.test(data)).at(0);
	return terminal === undefined ? {} : asRecord(asRecord(JSON.parse(terminal))["response"]);
};

const callsOf = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
	asList(body["output"])
		.map(asRecord)
		.filter(({ type }) => type === "function_call" || type === "custom_tool_call")
		.map(({ name, arguments: given, input }) => ({ name, given: given === "" ? "{}" : (given ?? input) }));

const textOf = (body: Readonly<Record<string, unknown>>): string =>
	asList(body["output"])
		.flatMap((item) => (asRecord(item)["type"] === "message" ? asList(asRecord(item)["content"]) : []))
		.map((part) => String(asRecord(part)["text"] ?? asRecord(part)["refusal"] ?? ""))
		.join("");

const summaryOf = (body: Readonly<Record<string, unknown>>): readonly unknown[] =>
	asList(body["output"])
		.map(asRecord)
		.filter(
			({ type, summary, content }) =>
				type === "reasoning" && (asList(summary).length > 0 || asList(content).length > 0),
		)
		.map(({ summary, content }) =>
			[...(asList(content).length > 0 ? asList(content) : asList(summary))].map((part) => asRecord(part)["text"]),
		);

describe("every exchange", () => {
	test("answers decode, and are written again with the same text, calls, reasoning and counts", () => {
		for (const recording of answered) {
			const meant = lastResponse(recording);
			if (meant["status"] === "failed" || meant["output"] === undefined) continue;
			const request = responses.client.decodeRequest(askOf({ model: "m", input: "x" }));
			const body = asRecord(responses.client.encodeResponse(decodeAnswer(recording), request).body);
			expect(textOf(body), recording.name).toBe(textOf(meant));
			expect(callsOf(body), recording.name).toEqual(callsOf(meant));
			expect(summaryOf(body), recording.name).toEqual(summaryOf(meant));
			const usage = asRecord(meant["usage"]);
			if (meant["usage"])
				expect(asRecord(body["usage"]), recording.name).toMatchObject({
					input_tokens: usage["input_tokens"],
					output_tokens: usage["output_tokens"],
				});
			const status = meant["status"] === "incomplete" ? "incomplete" : "completed";
			expect(body["status"], recording.name).toBe(status);
			if (schemas.response(meant) === null) expect(schemas.response(body), recording.name).toBeNull();
		}
	}, 60_000);

	test("answers are written as streams that keep the grammar and the schema", () => {
		for (const recording of answered) {
			const request = responses.client.decodeRequest(askOf({ model: "m", input: "x", stream: true }));
			const text = encodeStream(explode(decodeAnswer(recording)), request);
			expect(responsesFaults(text), recording.name).toEqual([]);
			if (schemas.response(lastResponse(recording)) !== null) continue;
			for (const event of eventsIn(text)) expect(schemas.event(event), recording.name).toBeNull();
		}
	}, 60_000);

	test("requests decode, and are written again as valid requests", () => {
		const broken: string[] = [];
		for (const recording of good) {
			if (!recording.request) continue;
			const request = responses.client.decodeRequest(askOf(requestOf(recording)));
			const { body } = encoded({ ...request, stream: false }, { model: request.model });
			const before = schemas.request(requestOf(recording));
			const fault = schemas.request(body) ?? null;
			if (fault !== null && before === null) broken.push(`${recording.name}: ${fault}`);
		}
		expect(broken).toEqual([]);
	}, 60_000);

	test("error answers are told without addresses, keys or organisations", () => {
		for (const { answer, status } of all) {
			if (status < 400 || answer.form !== "json") continue;
			const denial = responses.upstream.decodeError(status, new Headers(), JSON.stringify(answer.value));
			expect(denial.message).not.toMatch(/sk-|org-|https?:/);
			expect(denial.message).not.toBe("");
		}
	});
});
