import { describe, expect, test } from "bun:test";
import { fold, type NeutralRequest, type NeutralResponse, normalizeRequest, normalizeResponse } from "#core";
import { atLeast } from "../../test/support/recordings.ts";
import { loadSchemas } from "../../test/support/schemas.ts";
import {
	answerOf,
	askFor,
	bodyWith,
	contextFor,
	dataOf,
	eventsOf,
	neutralOf,
	streamEventsOf,
	streamOf,
	targetOf,
} from "./fixtures/ask.ts";
import { type Exchange, exchangesOf } from "./fixtures/recordings.ts";
import { passthroughRequest } from "./passthrough/request.ts";
import { editor, restore } from "./passthrough/restore.ts";
import { chatCompletions } from "./protocol.ts";

const { client, upstream, passthrough } = chatCompletions;
const official = exchangesOf(/__chat\.jsonl/);
const all = exchangesOf(/__chat(?:-responseonly|-compat)?\.jsonl/);

const isChat = ({ request }: Exchange) => Array.isArray(request?.["messages"]);
const asked = (exchange: Exchange): NeutralRequest => {
	const fallback = bodyWith({ stream: exchange.sse !== undefined });
	return normalizeRequest(neutralOf(isChat(exchange) ? exchange.request : fallback)).request;
};

describe("official exchanges pass through", () => {
	test("there are some", () => expect(official.length).toBeGreaterThanOrEqual(atLeast(500)));

	test("requests go out as the client's own bytes, but for usage that is asked for", () => {
		for (const { request, source } of official.filter(isChat)) {
			const ask = askFor(request);
			const { body } = passthroughRequest(ask, { model: ask.call.name, capabilities: {} });
			if (body !== ask.body.bytes && body !== ask.body.text) {
				expect(ask.call.stream, source).toBe(true);
				expect(JSON.parse(String(body)), source).toEqual({ ...request, stream_options: { include_usage: true } });
			}
		}
	});

	test("streams come out event by event as they went in", () => {
		for (const { request, sse, source } of official.filter((one) => isChat(one) && one.sse !== undefined)) {
			const ask = askFor(request);
			const events = streamEventsOf(sse ?? "");
			const observer = passthrough.observer(ask);
			for (const event of events) observer.event(event);
			expect(observer.result().finished, source).toBe(true);
			const made = editor(ask, { model: ask.call.name, capabilities: {} });
			if (made === undefined) continue;
			// What the upstream adds because Portico asked for usage.
			const added = events.flatMap((event): { data: string }[] => {
				if (event.data !== "[DONE]") return [{ data: event.data.replace(/\}$/, ',"usage":null}') }];
				const { id, created, model } = JSON.parse(events[0]?.data ?? "{}");
				const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
				return [{ data: JSON.stringify({ id, created, model, choices: [], usage }) }, event];
			});
			const alreadyAsked = events.some(({ data }) => data.includes('"usage"'));
			const fed = alreadyAsked ? events : added;
			const out = streamEventsOf(fed.map((event) => made.event(event)).join(""));
			expect(out, source).toEqual(events);
		}
	});

	test("whole answers under an alias differ in the model's name alone", () => {
		for (const { request, response, sse, source, status } of official.filter(isChat)) {
			if (status !== 200 || sse !== undefined) continue;
			const ask = askFor({ ...request, model: "an-alias" });
			const text = JSON.stringify(response, undefined, 2);
			expect(JSON.parse(restore(text, ask, { model: "m", capabilities: {} }, response)), source).toEqual({
				...(response as object),
				model: "an-alias",
			});
		}
	});

	test("streams under an alias differ in the model's name alone", () => {
		for (const { request, sse, source } of official.filter((one) => isChat(one) && one.sse !== undefined)) {
			const asking = { ...request, model: "an-alias", stream_options: { include_usage: true } };
			const made = editor(askFor(asking), { model: String(request?.["model"]), capabilities: {} });
			for (const event of streamEventsOf(sse ?? "")) {
				const [out] = streamEventsOf(made?.event(event) ?? "");
				if (event.data === "[DONE]") expect(out, source).toEqual(event);
				else expect(JSON.parse(out?.data ?? "null"), source).toEqual({ ...JSON.parse(event.data), model: "an-alias" });
			}
		}
	});

	test("usage and content are observed", () => {
		for (const { request, response, sse, source, status } of official.filter(isChat)) {
			if (status !== 200 || sse !== undefined) continue;
			const seen = passthrough.observe(response);
			const { usage } = response as { usage: { prompt_tokens: number } };
			expect(seen.usage?.input.total, source).toBe(usage.prompt_tokens);
			expect(seen.finished, source).toBe(true);
			expect(request).not.toBeNull();
		}
	});
});

interface Said {
	readonly text: string;
	readonly calls: readonly (readonly string[])[];
	readonly finish: string;
}

const saidBy = ({ candidates }: NeutralResponse): Said[] =>
	candidates.map(({ blocks, finish }) => ({
		text: blocks.map((block) => (block.type === "text" ? block.text : "")).join(""),
		calls: blocks.flatMap((block) =>
			block.type === "tool_call" ? [[block.id, block.name, block.arguments.text]] : [],
		),
		finish: finish.reason,
	}));

const isAnswer = ({ status, sse, response }: Exchange) =>
	status === 200 && (sse !== undefined || Array.isArray((response as { choices?: unknown }).choices));

describe("every exchange", () => {
	test("requests decode, and encode to what the published schema takes", async () => {
		const schema = (await loadSchemas())["chat-completions"];
		for (const exchange of official.filter((one) => isChat(one) && one.status === 200)) {
			const request = asked(exchange);
			const { body, losses } = upstream.encodeRequest(request, targetOf(request.model));
			expect(losses, exchange.source).toEqual([]);
			if (schema.request(exchange.request) === null) expect(schema.request(body), exchange.source).toBeNull();
		}
	});

	test("an encoded request decodes to the same request", () => {
		for (const exchange of official.filter((one) => isChat(one) && one.status === 200)) {
			const { raw: _, includeUsage: __, ...request } = asked(exchange);
			const { body } = upstream.encodeRequest(asked(exchange), targetOf(request.model));
			const { raw: ___, includeUsage: ____, ...again } = normalizeRequest(neutralOf(body)).request;
			expect(again, exchange.source).toEqual(request);
		}
	});

	test("whole answers keep text, calls, finish and usage through both codecs", async () => {
		const schema = (await loadSchemas())["chat-completions"];
		for (const exchange of all.filter((one) => isAnswer(one) && one.sse === undefined)) {
			const request = asked(exchange);
			const context = contextFor(request, request.model);
			const response = normalizeResponse(upstream.decodeResponse(exchange.response, context));
			const { body } = client.encodeResponse(response, request);
			expect(schema.response(body), exchange.source).toBeNull();
			const again = normalizeResponse(upstream.decodeResponse(body, context));
			expect(saidBy(again), exchange.source).toEqual(saidBy(response));
			expect(again.usage?.output.total, exchange.source).toBe(response.usage?.output.total);
		}
	});

	test("streams keep text, calls and finish through both codecs, in chunks that the schema takes", async () => {
		const schema = (await loadSchemas())["chat-completions"];
		let broken = 0;
		for (const exchange of all.filter((one) => isAnswer(one) && one.sse !== undefined)) {
			const request = asked(exchange);
			const context = contextFor(request, request.model);
			const events = eventsOf(
				streamEventsOf(exchange.sse ?? "").map(({ data }) => data),
				context,
			);
			if (events.some(({ type }) => type === "error")) {
				broken++;
				continue;
			}
			const datas = dataOf(streamOf(events, request));
			for (const data of datas)
				if (data !== "[DONE]") expect(schema.event(JSON.parse(data)), exchange.source).toBeNull();
			expect(saidBy(answerOf(datas, context)), exchange.source).toEqual(saidBy(fold(events)));
		}
		expect(broken).toBeLessThan(10);
	});
});
