/** Every recorded exchange with Gemini: read, brought into the neutral form and out again, and compared on the wire. */
import { describe, expect, test } from "bun:test";
import {
	asRecord,
	fold,
	isRecord,
	type NeutralEvent,
	normalizeEvents,
	normalizeRequest,
	normalizeResponse,
	readJsonBody,
	wordLosses,
} from "#core";
import { streamFaults } from "../../test/support/grammar/check.ts";
import { atLeast, type Recording, recordings } from "../../test/support/recordings.ts";
import { loadSchemas } from "../../test/support/schemas.ts";
import { capabilitiesOf } from "../router/service.ts";
import { answering, chunksOf, neutral, type Wire } from "./fixtures/asks.ts";
import { generateContent } from "./protocol.ts";

const all = recordings("generate-content");
const { client, upstream, passthrough } = generateContent;

const tailOf = ({ url }: Recording): string => new URL(url).pathname.split("/").at(-1) ?? "";
const askOfRecording = (recording: Recording) => {
	const url = new URL(`http://gateway/v1beta/models/${tailOf(recording)}${new URL(recording.url).search}`);
	const body = readJsonBody(new TextEncoder().encode(JSON.stringify(recording.request)));
	const request = { url, params: { "*": tailOf(recording) }, headers: new Headers(), body };
	return { ...request, protocol: generateContent, call: client.read(request) };
};

/** What a client sees of an answer, read from the wire alone. */
const sightOf = (chunks: readonly Wire[]) => {
	const candidates: Wire[] = chunks.flatMap((chunk) => chunk.candidates?.[0] ?? []);
	const parts: Wire[] = candidates.flatMap((candidate) => candidate.content?.parts ?? []);
	const textOf = (thought: boolean) =>
		parts
			.filter((part) => Boolean(part.thought) === thought)
			.map((part) => part.text ?? "")
			.join("");
	const counts: Wire = chunks.findLast(
		({ usageMetadata: counted }) => counted?.candidatesTokenCount || counted?.promptTokenCount,
	);
	const count = (name: string): number => counts?.usageMetadata[`${name}TokenCount`] ?? 0;
	return {
		text: textOf(false),
		thoughts: textOf(true),
		calls: parts.flatMap(({ functionCall: call }) => (call?.name ? [[call.name, call.args ?? {}]] : [])),
		finish: candidates.findLast(({ finishReason }) => finishReason)?.finishReason,
		usage: ["prompt", "candidates", "thoughts", "toolUsePrompt"].map(count),
	};
};

/** What a conversation says, read from the wire alone. */
const sayingsOf = (contents: unknown): readonly unknown[] => {
	const list = Array.isArray(contents) ? contents : [contents];
	const parts = list.flatMap((content) => asRecord(content)["parts"]).map(asRecord);
	return parts.flatMap((part) => {
		const call = asRecord(part["functionCall"] ?? part["function_call"]);
		const result = asRecord(part["functionResponse"] ?? part["function_response"]);
		if (part["text"]) return [part["text"]];
		if (call["name"]) return [[call["name"], call["args"] ?? {}]];
		return result["name"] ? [[result["name"], result["response"]]] : [];
	});
};

const chunksOfAnswer = ({ answer }: Recording): readonly Wire[] => {
	if (answer.form === "array") return answer.items as Wire[];
	if (answer.form === "json") return [answer.value as Wire];
	return chunksOf(answer.text.replaceAll("\r\n", "\n"));
};

const normal = (told: readonly NeutralEvent[]): readonly NeutralEvent[] => {
	const stage = normalizeEvents();
	return told.flatMap((event) => stage.push(event));
};

/** Words that the published schema does not have; a client is given one that it has. */
const unpublished: Record<string, string> = {
	FAKE_ENUM: "STOP",
	FAKE_NEW_FINISH_REASON: "STOP",
	MODEL_ARMOR: "SAFETY",
};
/** Answers that are no Gemini answers, kept by their source to test that. */
const isNone = (recording: Recording): boolean =>
	chunksOfAnswer(recording).every((chunk) => !isRecord(chunk) || !("candidates" in chunk || "promptFeedback" in chunk));
const hasPieces = (recording: Recording): boolean => JSON.stringify(recording.answer).includes("partialArgs");

const good = all.filter((recording) => recording.status === 200 && !isNone(recording));

test("there is something to read", () => expect(good.length).toBeGreaterThanOrEqual(atLeast(1000)));

describe("recorded requests", () => {
	const asked = all.filter(
		({ request, status, url }) => request && status === 200 && /:(?:streamG|g)enerateContent/.test(url),
	);

	test("are read and written again, valid by the published schema", async () => {
		const { "generate-content": schema } = await loadSchemas();
		const complaints: string[] = [];
		for (const recording of asked) {
			const ask = askOfRecording(recording);
			const { request, losses } = normalizeRequest(client.decodeRequest(ask));
			const { name: model } = ask.call;
			const made = upstream.encodeRequest(request, { model, family: "gemini", capabilities: capabilitiesOf(model) });
			const lost = wordLosses([...losses, ...made.losses], request, "generate-content")
				.map(({ path }) => path)
				.join();
			if (lost !== "") complaints.push(`${recording.name}: lost ${lost}`);
			const wrong = recording.official ? schema.request(made.body) : null;
			// Files within results are not published, but Google took them.
			if (wrong !== null && !wrong.includes("functionResponse/parts/# additionalProperties"))
				complaints.push(`${recording.name}: ${wrong}`);
		}
		expect(complaints).toEqual([]);
	});

	test("keep what was said, called and answered", () => {
		for (const recording of asked) {
			const ask = askOfRecording(recording);
			const encoded = upstream.encodeRequest(normalizeRequest(client.decodeRequest(ask)).request, {
				model: ask.call.name,
				family: "gemini",
				capabilities: capabilitiesOf(ask.call.name),
			});
			// A system that stands alone becomes what the user says.
			const said = (body: Wire) => [
				...sayingsOf(body.systemInstruction ?? body.system_instruction),
				...sayingsOf(body.contents),
			];
			// And something stands where a client began with an empty text, which is left out.
			const made = said(encoded.body).filter((saying) => saying !== "Continue.");
			expect([recording.name, made]).toEqual([recording.name, said(recording.request)]);
		}
	});

	test("pass through as their own bytes", () => {
		for (const recording of asked) {
			const ask = askOfRecording(recording);
			const { body, path } = passthrough.request(ask, { model: ask.call.name, capabilities: {} });
			if (!ask.body.value["model"]) expect([ask.body.bytes, ask.body.text]).toContain(body);
			expect(path.startsWith(`/models/${ask.call.name}:`)).toBe(true);
		}
	});
});

describe("recorded answers", () => {
	const wanted = (recording: Recording) => {
		const sight = sightOf(chunksOfAnswer(recording));
		// Some libraries write the number of a reason instead of its word.
		const told = typeof sight.finish === "string" ? sight.finish : "STOP";
		const blocked = chunksOfAnswer(recording).some(
			({ promptFeedback }) => promptFeedback?.blockReason ?? promptFeedback?.blockReasonMessage,
		);
		return { ...sight, finish: blocked ? undefined : (unpublished[told] ?? told) };
	};

	test("come out of the neutral form as they went in", async () => {
		const { "generate-content": schema } = await loadSchemas();
		for (const recording of good.filter(({ answer }) => answer.form !== "events")) {
			const { name, answer } = recording;
			const body = answer.form === "json" ? answer.value : chunksOfAnswer(recording);
			const response = normalizeResponse(upstream.decodeResponse(body, answering()));
			const out = client.encodeResponse(response, neutral()).body as Wire;
			expect([name, sightOf([out])]).toEqual([name, wanted(recording)]);
			if (recording.official) expect([name, schema.response(out)]).toEqual([name, null]);
		}
	});

	test("streams come out as they went in, in good grammar", () => {
		for (const recording of good.filter((each) => each.answer.form === "events" && !hasPieces(each))) {
			const encoder = client.streamEncoder(neutral());
			const decoder = upstream.streamDecoder(answering());
			const sent = chunksOfAnswer(recording).flatMap((chunk) => decoder.push({ data: JSON.stringify(chunk) }));
			const told = [...sent, ...decoder.end()];
			const whole = told.at(-1)?.type === "end" && (told.at(-1) as { clean: boolean }).clean;
			const text = normal(told)
				.map((event) => encoder.push(event))
				.join("");
			expect([recording.name, streamFaults("generate-content", text)]).toEqual([recording.name, []]);
			if (whole) expect([recording.name, sightOf(chunksOf(text))]).toEqual([recording.name, wanted(recording)]);
		}
	});

	test("calls in pieces come out whole", () => {
		for (const recording of good.filter(hasPieces)) {
			const decoder = upstream.streamDecoder(answering());
			const told = [
				...chunksOfAnswer(recording).flatMap((chunk) => decoder.push({ data: JSON.stringify(chunk) })),
				...decoder.end(),
			];
			const { candidates } = fold(told);
			const calls = candidates[0]?.blocks.filter(({ type }) => type === "tool_call") ?? [];
			expect(calls.length).toBeGreaterThan(0);
			for (const call of calls) expect(call).toMatchObject({ arguments: { form: "json" } });
		}
	});

	test("are counted as they pass", () => {
		for (const recording of good) {
			const want = wanted(recording);
			const observer = passthrough.observer(
				askOfRecording({
					...recording,
					request: recording.request ?? { contents: "x" },
					url: "http://h/models/m:streamGenerateContent?alt=sse",
				}),
			);
			for (const chunk of chunksOfAnswer(recording)) observer.event({ data: JSON.stringify(chunk) });
			const seen = observer.result();
			const [prompt = 0, answered = 0, thoughts = 0, tools = 0] = want.usage;
			if (answered > 0)
				expect([recording.name, seen.usage?.input.total, seen.usage?.output.total]).toEqual([
					recording.name,
					prompt + tools,
					answered + thoughts,
				]);
			expect([recording.name, seen.contentBytes >= want.text.length]).toEqual([recording.name, true]);
			if (JSON.stringify(recording.answer).match(/finishReason|blockReason\b/))
				expect([recording.name, seen.finished]).toEqual([recording.name, true]);
		}
	});
});

test("recorded failures are told without the operator's secrets", () => {
	for (const { answer, status, name } of all.filter((recording) => recording.status >= 400)) {
		const text = JSON.stringify(
			answer.form === "json" ? answer.value : answer.form === "array" ? answer.items : answer.text,
		);
		const denial = upstream.decodeError(status, new Headers(), text);
		expect([name, denial.message]).toEqual([name, expect.not.stringMatching(/AIza|https?:\/\/|projects\/\d/)]);
		if (status === 401 || status === 403) expect(denial.kind).toBe("upstream");
	}
});
