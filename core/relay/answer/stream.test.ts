import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createTestClock } from "#core/testing";
import { until } from "../../../test/support/moved-clock.ts";
import type { ModelRouted } from "../../contract/call.ts";
import type { Denial } from "../../contract/fault.ts";
import { Fault } from "../../contract/fault.ts";
import type { CallRecord, Outcome } from "../../contract/outcome.ts";
import type { Permit } from "../../contract/policy.ts";
import type { Target } from "../../contract/upstream.ts";
import { createLog } from "../../runtime/log.ts";
import { EventFrames } from "../../wire/frames.ts";
import { openStandardStreamBody } from "../../wire/stream-body.ts";
import type { StreamPass } from "../call/exchange.ts";
import { LiveCall } from "../call/live-call.ts";
import { Permits } from "../policies/permits.ts";
import { CallStream, type StreamParts } from "./stream.ts";
import { StreamMemory } from "./stream-memory.ts";
import { UpstreamBody } from "./upstream-body.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** A stream as the upstream's end of it is held in a test. */
const upstream = () => {
	let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
	let pulled = 0;
	const abort = new AbortController();
	const body = new ReadableStream<Uint8Array>(
		{
			start: (given) => {
				controller = given;
			},
			pull: () => void pulled++,
		},
		{ highWaterMark: 0 },
	);
	const guarded = (act: () => void): void => {
		// Whoever was told to stop sends into the void.
		if (!abort.signal.aborted) act();
	};
	return {
		abort,
		source: new UpstreamBody(new Response(body), abort, { hold: () => undefined }),
		send: (text: string) => guarded(() => controller?.enqueue(bytes(text))),
		close: () => guarded(() => controller?.close()),
		break: () => guarded(() => controller?.error(new Error("connection reset"))),
		get pulled() {
			return pulled;
		},
	};
};

/** Passes bytes through; `data: [DONE]` announces the end. */
const passThrough = (): StreamPass => {
	let [pieces, finished] = [0, false];
	return {
		push(events, chunk) {
			for (const { data } of events) {
				if (data === "[DONE]") finished = true;
				else pieces++;
			}
			return chunk;
		},
		end() {
			if (!finished) throw new Fault({ kind: "upstream", message: "It broke off." });
			return "";
		},
		seen: () => ({ pieces, contentBytes: pieces, finished }),
		answer: () => undefined,
		cut: () => "data: length\n\ndata: [DONE]\n\n",
		fail: ({ message }: Denial) => `data: error ${message}\n\n`,
	};
};

const limits = { idleMs: 300_000, totalMs: 3_600_000, keepAliveMs: 15_000, answerBytes: 1_000_000 };

interface Made {
	readonly permit?: Permit;
	readonly keepAlive?: string;
	readonly parts?: Partial<StreamParts>;
}

/** An open stream with everything around it, and a reader that takes what comes. */
const open = ({ permit = {}, keepAlive = ": alive\n\n", parts = {} }: Made = {}) => {
	const clock = createTestClock();
	const lines: string[] = [];
	const log = createLog("error", (line) => void lines.push(line), clock);
	const settled: Outcome[] = [];
	const records: CallRecord[] = [];
	const body = { bytes: bytes("{}") };
	const routed = {
		id: "req_1",
		startedAt: clock.monotonic(),
		request: new Request("http://localhost/"),
		ask: { protocol: { name: "test" }, body },
		model: { operation: "generate", name: "m", stream: true },
	} as unknown as ModelRouted;
	const permits = new Permits([{ ...permit, settle: (outcome) => void settled.push(outcome) }], log);
	const recorders = [{ name: "test", record: (call: CallRecord) => void records.push(call) }];
	const live = new LiveCall(routed, permits, { clock, log, recorders, statusOf: () => 500 });
	const target: Target = {
		upstream: { name: "main", protocols: [], send: () => Promise.reject(new Error("not asked")) },
		model: "up",
		capabilities: {},
	};
	live.attempts.begin(target, "only");
	live.sending(target);
	const from = upstream();
	const pass = parts.pass ?? passThrough();
	live.observe(pass);
	const stream = new CallStream({
		live,
		source: from.source,
		frames: new EventFrames(1e8),
		memory: new StreamMemory(live, from.source),
		pass,
		head: [],
		complete: false,
		keepAlive,
		clock,
		limits,
		openStreamBody: openStandardStreamBody,
		...parts,
	});
	return { clock, settled, records, live, from, stream, lines };
};

/** Reads on and on; `text` is what came so far. */
const reading = (body: ReadableStream<Uint8Array>) => {
	const reader = body.getReader();
	const state = { text: "", closed: false, error: undefined as unknown };
	const decoder = new TextDecoder();
	const done = (async () => {
		try {
			for (;;) {
				const { done: over, value } = await reader.read();
				if (over) break;
				state.text += decoder.decode(value, { stream: true });
			}
			state.closed = true;
		} catch (error) {
			state.error = error;
		}
	})();
	return { state, done, reader };
};

describe("a stream", () => {
	test("comes through as it is and is settled at its announced end", async () => {
		const { stream, from, settled, records, clock } = open();
		const { state, done } = reading(stream.body);
		from.send("data: 1\n\nda");
		await clock.advance(10);
		expect(state.text).toBe("data: 1\n\nda");
		expect(settled).toEqual([]);
		from.send("ta: [DONE]\n\n");
		from.close();
		await done;
		expect(state).toMatchObject({ text: "data: 1\n\ndata: [DONE]\n\n", closed: true });
		expect(settled).toMatchObject([{ ending: "completed", sent: true, pieces: 1 }]);
		expect(records).toMatchObject([{ id: "req_1", status: 200, outcome: { ending: "completed" } }]);
	});

	test("gives what was read before it could begin first", async () => {
		const { stream, from } = open({ parts: { head: ["data: 1\n\n", bytes("data: 2\n\n")] } });
		from.send("data: [DONE]\n\n");
		from.close();
		const { state, done } = reading(stream.body);
		await done;
		expect(state.text).toBe("data: 1\n\ndata: 2\n\ndata: [DONE]\n\n");
	});

	test("is read only when the client takes more", async () => {
		const { stream, from, clock } = open();
		await clock.advance(1000);
		expect(from.pulled).toBe(0);
		const reader = stream.body.getReader();
		from.send("data: 1\n\n");
		from.send("data: 2\n\n");
		await reader.read();
		await clock.advance(1000);
		const before = from.pulled;
		await clock.advance(10_000);
		expect(from.pulled).toBe(before);
	});

	test("whose end was not announced ends with an error, and never as if it were whole", async () => {
		for (const end of ["close", "break"] as const) {
			const { stream, from, settled } = open();
			const { state, done } = reading(stream.body);
			from.send("data: 1\n\n");
			await until(() => state.text !== "", "the first event", 60_000);
			from[end]();
			await done;
			expect(state.text).toStartWith("data: 1\n\ndata: error ");
			expect(state.closed).toBe(true);
			expect(settled).toMatchObject([{ ending: "upstream_failed", denial: { kind: "upstream" } }]);
		}
	});

	test("is cut at a permit's bound, with the protocol's own words and the upstream's work ended", async () => {
		const { stream, from, settled } = open({ permit: { progress: (pieces) => (pieces >= 2 ? "cut" : "go_on") } });
		const { state, done } = reading(stream.body);
		from.send("data: 1\n\n");
		from.send("data: 2\n\n");
		from.send("data: 3\n\n");
		await done;
		expect(state.text).toBe("data: 1\n\ndata: 2\n\ndata: length\n\ndata: [DONE]\n\n");
		expect(from.abort.signal.aborted).toBe(true);
		expect(settled).toMatchObject([{ ending: "cut", pieces: 2 }]);
	});
});

describe("silence", () => {
	test("is filled with signs of life between events, and nothing else", async () => {
		const { stream, from, clock } = open();
		const { state } = reading(stream.body);
		from.send("data: 1\n\n");
		await clock.advance(0);
		await clock.advance(14_999);
		expect(state.text).toBe("data: 1\n\n");
		await clock.advance(1);
		expect(state.text).toBe("data: 1\n\n: alive\n\n");
		await clock.advance(30_000);
		expect(state.text).toBe(`data: 1\n\n${": alive\n\n".repeat(3)}`);
	});

	test("before the first event is filled too", async () => {
		const { stream, clock } = open();
		const { state } = reading(stream.body);
		await clock.advance(15_000);
		expect(state.text).toBe(": alive\n\n");
	});

	test("is kept where the protocol's clients bear no sign of life", async () => {
		const { stream, from, clock } = open({ parts: { keepAlive: undefined } });
		const { state } = reading(stream.body);
		from.send("data: 1\n\n");
		await clock.advance(120_000);
		expect(state.text).toBe("data: 1\n\n");
	});

	test("of the upstream ends the stream at its limit, whatever signs of life were sent meanwhile", async () => {
		const { stream, from, clock, settled } = open();
		const { state, done } = reading(stream.body);
		from.send("data: 1\n\n");
		await clock.advance(0);
		await clock.advance(299_999);
		expect(state.closed).toBe(false);
		expect(settled).toEqual([]);
		await clock.advance(1);
		await done;
		expect(state.text).toEndWith("data: error The upstream fell silent in the middle of its answer. Ask again.\n\n");
		expect(from.abort.signal.aborted).toBe(true);
		expect(settled).toMatchObject([{ ending: "timed_out", denial: { kind: "upstream_timeout" } }]);
	});

	test("has that limit to the second though it is shorter than the wait for a sign of life", async () => {
		const { stream, clock, settled } = open({ parts: { limits: { ...limits, idleMs: 2000 } } });
		reading(stream.body);
		await clock.advance(1999);
		expect(settled).toEqual([]);
		await clock.advance(1);
		expect(settled).toMatchObject([{ ending: "timed_out" }]);
	});

	test("of a few minutes at a time may go on for as long as a call may last", async () => {
		const { stream, from, clock, settled } = open();
		reading(stream.body);
		for (let minute = 0; minute < 56; minute += 4) {
			from.send("data: thinking\n\n");
			await clock.advance(0);
			await clock.advance(240_000);
		}
		expect(settled).toEqual([]);
	});
});

test("a stream that goes on for longer than a call may last is ended, however lively it is", async () => {
	const { stream, from, clock, settled } = open({ parts: { limits: { ...limits, totalMs: 60_000 } } });
	const { state, done } = reading(stream.body);
	for (let second = 0; second < 60; second++) {
		from.send("data: 1\n\n");
		await clock.advance(0);
		await clock.advance(999);
	}
	expect(settled).toEqual([]);
	await clock.advance(60);
	await done;
	expect(state.text).toEndWith("data: error The answer took longer than the operator allows.\n\n");
	expect(settled).toMatchObject([{ ending: "timed_out" }]);
});

describe("a client", () => {
	test("that leaves ends the upstream's work at once", async () => {
		const { stream, from, settled, clock } = open();
		const { reader } = reading(stream.body);
		from.send("data: 1\n\n");
		await clock.advance(1);
		await reader.cancel();
		expect(from.abort.signal.aborted).toBe(true);
		expect(settled).toMatchObject([{ ending: "client_left", pieces: 1 }]);
	});

	test("that never reads is given up when the upstream might have been, and is not charged for silence of ours", async () => {
		const { stream, from, settled, clock } = open();
		from.send("data: 1\n\n");
		await clock.advance(300_000);
		expect(from.abort.signal.aborted).toBe(true);
		expect(settled).toMatchObject([{ ending: "client_left", pieces: 0 }]);
		expect(stream.body.locked).toBe(false);
	});
});

test("what fails over a stream is told in the log, as a break of the upstream is not", async () => {
	const progress = (): "go_on" => {
		throw new Error("lost count");
	};
	const failing = open({ permit: { progress } });
	const read = reading(failing.stream.body);
	failing.from.send("data: a\n\n");
	await read.done;
	expect(read.state.text).toContain("data: error The upstream's answer could not be read.");
	expect(failing.settled).toHaveLength(1);
	expect(failing.lines.join("")).toContain("Error: lost count");

	const broken = open();
	const other = reading(broken.stream.body);
	broken.from.break();
	await other.done;
	expect(broken.lines).toEqual([]);
});

test("a stop tells the client in its own protocol", async () => {
	const { stream, from, settled, clock } = open();
	const { state, done } = reading(stream.body);
	from.send("data: 1\n\n");
	await clock.advance(1);
	stream.shutDown({ kind: "overloaded", message: "Stopping." });
	await done;
	expect(state.text).toBe("data: 1\n\ndata: error Stopping.\n\n");
	expect(from.abort.signal.aborted).toBe(true);
	expect(settled).toMatchObject([{ ending: "shut_down" }]);
});

test("whatever happens and in whatever order, a call is settled and recorded exactly once, and no timer is left", async () => {
	const acts = fc.constantFrom("send", "half", "done", "close", "break", "cancel", "stop", "wait", "long", "leave");
	await fc.assert(
		fc.asyncProperty(fc.array(acts, { maxLength: 12 }), fc.boolean(), async (what, reads) => {
			const { stream, from, settled, records, clock } = open({ parts: { limits: { ...limits, idleMs: 20_000 } } });
			const { reader } = reads ? reading(stream.body) : { reader: undefined };
			const doing: Record<string, () => unknown> = {
				send: () => from.send("data: 1\n\n"),
				half: () => from.send("data: "),
				done: () => from.send("data: [DONE]\n\n"),
				close: () => from.close(),
				break: () => from.break(),
				cancel: () => (reader ?? stream.body).cancel().catch(() => undefined),
				stop: () => stream.shutDown({ kind: "overloaded", message: "Stopping." }),
				wait: () => clock.advance(1000),
				long: () => clock.advance(16_000),
				leave: () => stream.left(),
			};
			for (const act of what) {
				try {
					await doing[act]?.();
				} catch {
					// An upstream that is closed cannot send.
				}
			}
			await clock.advance(120_000);
			expect(settled).toHaveLength(1);
			expect(records).toHaveLength(1);
			const late: unknown[] = [];
			clock.after(1, () => late.push(1));
			await clock.advance(3_600_000);
			expect([settled.length, late.length]).toEqual([1, 1]);
		}),
		{ numRuns: 200 },
	);
});
