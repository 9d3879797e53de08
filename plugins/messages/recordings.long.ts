/** Every recorded exchange of this protocol: passed through untouched, and decoded and encoded again without loss. */
import { describe, expect, test } from "bun:test";
import { asList, asRecord, fold, isRecord, type NeutralRequest, type NeutralResponse, normalizeResponse } from "#core";
import { readAnswer, readStream } from "../../test/matrix/clients.ts";
import { isRaised } from "../../test/matrix/told.ts";
import { asEvents, decodeStream, eventsOf } from "../../test/matrix/translate.ts";
import { messagesFaults } from "../../test/support/grammar/messages.ts";
import { atLeast, type Recording, recordings, withoutShared } from "../../test/support/recordings.ts";
import { loadSchemas } from "../../test/support/schemas.ts";
import { asked, askOf, contextOf, encode, type Json, written } from "./fixtures/exchange.ts";
import { messages } from "./protocol.ts";

const all = recordings("messages").filter(({ status }) => status < 400);
const official = all.filter((recording) => recording.official);
const { client, passthrough, upstream } = messages;

/** A request is there where the source kept one with a model. */
const asks = ({ request }: Recording): boolean => typeof request?.["model"] === "string";

const requestOf = (recording: Recording): NeutralRequest =>
	asks(recording) ? client.decodeRequest(askOf(recording.request)) : asked();

const wholeOf = ({ answer }: Recording): Json | undefined =>
	answer.form === "json" && isRecord(answer.value) && answer.value["type"] === "message" ? answer.value : undefined;

/** What must be the same after decoding and encoding. */
const essence = (message: Json) => ({
	said: asList(message["content"])
		.map(asRecord)
		.map(({ type, text, thinking, signature, data, id, name, input }) => ({
			type,
			text,
			thinking,
			signature,
			data,
			id,
			name,
			input,
		})),
	stop: message["stop_reason"],
	sequence: message["stop_sequence"] ?? null,
});

const counts = (usage: unknown) => {
	const told = asRecord(usage);
	return ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(
		(name) => told[name] ?? 0,
	);
};

/** The answer or event under the name that was asked for. */
const renamed = (value: unknown): unknown => {
	const told = asRecord(value);
	if ("model" in told) return { ...told, model: "fast" };
	return isRecord(told["message"]) ? { ...told, message: { ...told["message"], model: "fast" } } : told;
};

/** Several answers in one, as one source gathered them. */
const isGathered = ({ answer, name }: Recording): boolean =>
	answer.form === "events"
		? answer.text.split("event: message_start").length > 2
		: name.includes("programmatic-tool-calling");

describe("exchanges with providers", () => {
	test("there are some", () => expect(official.length).toBeGreaterThanOrEqual(atLeast(700)));

	test("requests pass through as the client's own bytes", () => {
		for (const recording of official.filter(asks)) {
			const { pathname, search } = new URL(recording.url);
			const ask = askOf(recording.request, pathname + search);
			const sent = passthrough.request(ask, { model: ask.call.name, capabilities: {} });
			expect([ask.body.bytes, ask.body.text], recording.name).toContain(sent.body);
			expect(sent.path, recording.name).toBe(pathname + search);
		}
	});

	test("answers pass through untouched, and only the model's name changes under an alias", () => {
		const ask = askOf({ model: "fast", max_tokens: 5, messages: [{ role: "user", content: "x" }] });
		const changes = { model: "claude-real", capabilities: {} };
		for (const { answer, name } of official) {
			if (answer.form === "json") {
				const text = JSON.stringify(answer.value, null, 1);
				expect(JSON.parse(passthrough.restore(text, ask, changes, answer.value)), name).toEqual(renamed(answer.value));
				continue;
			}
			expect(passthrough.editor(ask, { model: "fast", capabilities: {} }), name).toBeUndefined();
			const editor = passthrough.editor(ask, changes);
			for (const event of eventsOf(answer)) {
				const [line, data] = editor?.event(event).split("\n") ?? [];
				expect(line, name).toBe(`event: ${event.name}`);
				expect(JSON.parse(data?.slice("data: ".length) ?? ""), name).toEqual(renamed(JSON.parse(event.data)));
			}
		}
	});

	test("the observer counts what the SDK counts, and sees the end", async () => {
		for (const recording of official) {
			const { answer, name } = recording;
			if (answer.form !== "events") continue;
			const observer = passthrough.observer(askOf({ ...plain, stream: true }));
			const events = eventsOf(answer);
			for (const event of events) observer.event(event);
			const { finished, usage, contentBytes, pieces, error } = observer.result();
			const ended = events.some((event) => event.name === "message_stop");
			expect(finished, name).toBe(ended);
			expect(error, name).toBeUndefined();
			const folded = fold(decodeStream(messages, answer, contextOf()));
			if (ended && !isGathered(recording)) expect(usage, name).toEqual(folded.usage);
			const deltas = events.filter((event) => /_delta/.test(event.data));
			expect(pieces, name).toBeLessThanOrEqual(deltas.length);
			if (pieces > 0) expect(contentBytes, name).toBeGreaterThanOrEqual(pieces);
		}
	});

	test("whole answers keep what was said, called, counted, and why they ended", () => {
		for (const recording of all) {
			const body = wholeOf(recording);
			if (!body || isGathered(recording)) continue;
			const response = upstream.decodeResponse(body, contextOf());
			const again = asRecord(client.encodeResponse(response, requestOf(recording)).body);
			expect(essence(again), recording.name).toEqual(essence(body));
			expect(counts(again["usage"]), recording.name).toEqual(counts(body["usage"]));
		}
	});

	test("the official SDK reads the same from a stream and from what is encoded after decoding", async () => {
		const schemas = await loadSchemas();
		for (const recording of official) {
			if (recording.answer.form !== "events" || !/event: message_stop/.test(recording.answer.text)) continue;
			if (isGathered(recording)) continue;
			const request = { ...requestOf(recording), stream: true };
			const text = written(decodeStream(messages, recording.answer, contextOf()), request);
			expect(messagesFaults(text), recording.name).toEqual([]);
			const [got, want] = await Promise.all([
				readStream("messages", text),
				readStream("messages", recording.answer.text),
			]);
			// What the SDK itself cannot read (events without a name) is no measure.
			if (isRaised(want)) continue;
			expect(got, recording.name).toEqual(want);
			const folded = fold(decodeStream(messages, recording.answer, contextOf()));
			const body = client.encodeResponse(folded, request).body;
			expect(schemas.messages.response(body), recording.name).toBeNull();
			expect(await readAnswer("messages", body), recording.name).toEqual(want);
		}
	});

	test("whole answers and the streams that would have told them agree", async () => {
		for (const recording of official) {
			const body = wholeOf(recording);
			if (!body || isGathered(recording)) continue;
			const response: NeutralResponse = normalizeResponse(upstream.decodeResponse(body, contextOf()));
			const text = written(asEvents(response), { ...requestOf(recording), stream: true });
			expect(messagesFaults(text), recording.name).toEqual([]);
			expect(await readStream("messages", text), recording.name).toEqual(await readAnswer("messages", body));
		}
	});

	test("requests keep everything this protocol knows, and stay valid", async () => {
		const schemas = await loadSchemas();
		for (const recording of official.filter(asks)) {
			const { thinking, output_config: config } = asRecord(recording.request);
			const adaptive = asRecord(thinking)["type"] === "adaptive" || asRecord(config)["effort"] !== undefined;
			const capabilities = { midSystem: true, ...(adaptive && { thinking: "adaptive" as const }) };
			const { sent, paths } = encode(requestOf(recording), capabilities);
			expect(schemas.messages.request(sent), recording.name).toBeNull();
			expect(
				paths.filter((path) => path !== "tool_result" && path !== "temperature"),
				recording.name,
			).toEqual([]);
		}
	});

	test("recorded errors say what they say, and a refused key is not the client's", () => {
		const kinds = recordings("messages").flatMap(({ answer, status }) => {
			if (status < 400 || answer.form !== "json") return [];
			return [`${status} ${upstream.decodeError(status, new Headers(), JSON.stringify(answer.value)).kind}`];
		});
		expect([...new Set(kinds)].sort()).toEqual(
			withoutShared
				? ["401 upstream"]
				: ["400 context_length", "400 invalid_request", "401 upstream", "404 model_not_found"],
		);
	});
});

const plain = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "x" }] };
