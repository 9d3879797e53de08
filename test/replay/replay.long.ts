/** Every recorded exchange with a provider's own host passes through a whole Portico as it was, however its stream is cut. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { asRecord, isRecord, parseJson } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chunkings } from "../support/chunkings.ts";
import { streamFaults } from "../support/grammar/check.ts";
import { atLeast, type ProtocolName, protocolNames, type Recording, recordings } from "../support/recordings.ts";
import { answered, askedFor, difference, expected, got, oddity } from "./exchange.ts";
import { put } from "./fixtures/recorded/answer.ts";

const cuts = new Map(chunkings(11).map(({ name, cut }) => [name, cut]));
const cutBy = (name: string) => cuts.get(name) ?? ((text: string) => [new TextEncoder().encode(text)]);

const upstreamKey = "sk-of-the-upstream-0123456789";
/** Streams longer than this are cut into single bytes only when all of them are asked for: `REPLAY=all`. */
const longest = process.env["REPLAY"] === "all" ? Number.POSITIVE_INFINITY : 60_000;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

/** What stands before the protocol's own path in the address of each upstream. */
const base: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "/v1",
	responses: "/v1",
	messages: "",
	"generate-content": "/v1beta",
};

const start = async (protocol: ProtocolName): Promise<void> => {
	upstream = startUpstream();
	const main = { name: "main", protocol, url: upstream.url + base[protocol], key: upstreamKey, tenancy: "single" };
	gateway = await startGateway({
		plugins: [
			"tokens",
			protocol,
			join(import.meta.dir, "fixtures/recorded"),
			{
				use: "router",
				with: {
					upstreams: [main],
					models: [
						{ name: "replayed/*", targets: [{ upstream: "recorded" }] },
						{ name: "*", targets: [{ upstream: "main" }] },
					],
				},
			},
		],
	});
};

/** Asks as the recorded client did; `cut` says how the upstream's stream comes. */
const replay = async (recording: Recording, cut: string): Promise<{ status: number; text: string }> => {
	upstream.answer(({ path }) => answered(recording, path, cutBy(cut)));
	const { path, body } = askedFor(recording);
	const response = await gateway.ask(path, body);
	return { status: response.status, text: await response.text() };
};

/** The same without a network between the gateway and its two sides. */
const replayWithin = async (recording: Recording, cut: string): Promise<string> => {
	put((path) => answered(recording, path, cutBy(cut)));
	const { path, body } = askedFor(recording);
	const request = new Request(gateway.url + path.replace("/models/", "/models/replayed/"), {
		method: "POST",
		headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
		body: JSON.stringify({ ...body, ...("model" in body && { model: `replayed/${String(body["model"])}` }) }),
	});
	const response = await gateway.portico.handle(request, {
		address: "127.0.0.1",
		holdOpen: () => () => undefined,
	});
	return await response.text();
};

/** The exchanges that did not come out as they were, each with the first difference. */
const failures = async (
	chosen: readonly Recording[],
	attempt: (recording: Recording) => Promise<{ readonly want: unknown; readonly got: unknown }>,
): Promise<readonly string[]> => {
	const wrong: string[] = [];
	for (const recording of chosen) {
		try {
			const result = await attempt(recording);
			const found = difference(result.want, result.got);
			if (found !== undefined) wrong.push(`${recording.name} ${found}`);
		} catch (error) {
			wrong.push(`${recording.name} ${String(error)}`);
		}
	}
	return wrong;
};

/** The status of what is wrong with the operator's account or with the upstream; undefined for what comes back as it was. */
const seenAs = ({ status, answer }: Recording): number | undefined => {
	if (status === 429) return 429;
	if (status === 503 || status === 529) return 503;
	if (status === 401 || status === 402 || status === 403 || status >= 500) return 502;
	return /API key not valid|insufficient_quota/.test(JSON.stringify(answer)) ? 502 : undefined;
};

describe.each([...protocolNames])("every recorded exchange of %s", (protocol) => {
	const official = recordings(protocol).filter((recording) => recording.official);
	const good = official.filter(({ status }) => status < 400);
	const whole = good.filter((recording) => recording.answer.form === "json" && oddity(recording) === undefined);
	const streams = good.filter((recording) => recording.answer.form !== "json" && oddity(recording) === undefined);

	beforeAll(() => start(protocol));
	afterAll(async () => {
		await gateway.stop();
		await upstream.stop();
	});

	test(`comes back with equal JSON (${whole.length})`, async () => {
		expect(whole.length).toBeGreaterThanOrEqual(atLeast(500));
		const wrong = await failures(whole, async (recording) => {
			const { status, text } = await replay(recording, "whole");
			return { want: [200, expected(recording.answer)], got: [status, got(recording.answer, text)] };
		});
		expect(wrong).toEqual([]);
	}, 60_000);

	test.each(["whole", "by event", "at random with CRLF"])(
		`as a stream comes back with equal events, %s (${streams.length})`,
		async (cut) => {
			expect(streams.length).toBeGreaterThanOrEqual(atLeast(150));
			const wrong = await failures(streams, async (recording) => {
				const { status, text } = await replay(recording, cut);
				return { want: [200, expected(recording.answer)], got: [status, got(recording.answer, text)] };
			});
			expect(wrong).toEqual([]);
		},
		120_000,
	);

	test("as a stream comes back with equal events, byte by byte", async () => {
		const short = streams.filter(
			({ answer, request }) =>
				answer.form === "events" &&
				answer.text.length <= longest &&
				// Background answers are for upstreams that keep them, which one inside the machine does not say of itself.
				request?.["background"] !== true,
		);
		expect(short.length).toBeGreaterThanOrEqual(atLeast(50));
		const wrong = await failures(short, async (recording) => ({
			want: expected(recording.answer),
			got: got(recording.answer, await replayWithin(recording, "by byte")),
		}));
		expect(wrong).toEqual([]);
	}, 600_000);

	const odd = good.filter((recording) => oddity(recording) !== undefined);

	test(`that cannot come back as it was is told as what it is (${odd.length})`, async () => {
		expect(odd.length).toBeLessThan(good.length / 50);
		const wrong = await failures(odd, async (recording) => {
			const { status, text } = await replay(recording, "by event");
			const { answer } = recording;
			// Whole where a stream was asked for becomes that stream; a stream that fails at once is an error; one that
			// breaks off goes as far as it went and ends with an error, never as if it were whole.
			if (answer.form === "json")
				return { want: [200, true], got: [status, streamFaults(protocol, text).length === 0] };
			if (status >= 400) return { want: true, got: isRecord(asRecord(parseJson(text))["error"]) };
			const [want, found] = [expected(answer) as readonly string[], got(answer, text) as readonly string[]];
			return {
				want: [...want, true],
				got: [...found.slice(0, want.length), /error|fail/.test(found.slice(want.length).join())],
			};
		});
		expect(wrong).toEqual([]);
	}, 60_000);

	const refused = official.filter(({ status }) => status >= 400);

	test(`that was refused says so (${refused.length})`, async () => {
		expect(refused.length).toBeGreaterThan(0);
		const wrong = await failures(refused, async (recording) => {
			upstream.received.length = 0;
			const { status, text } = await replay(recording, "whole");
			expect(text).not.toContain(upstreamKey);
			const isError = isRecord(asRecord(parseJson(text))["error"]);
			// Portico looks at some things before it asks anybody.
			if (upstream.received.length === 0) return { want: [recording.status, true], got: [status, isError] };
			const mapped = seenAs(recording);
			if (mapped === undefined)
				return { want: [recording.status, expected(recording.answer)], got: [status, got(recording.answer, text)] };
			return { want: [mapped, true], got: [status, isError] };
		});
		expect(wrong).toEqual([]);
	});
});
