import { expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import type { ModelRouted } from "../../contract/call.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Observation } from "../../contract/passthrough.ts";
import type { Target } from "../../contract/upstream.ts";
import { createLog } from "../../runtime/log.ts";
import { Permits } from "../policies/permits.ts";
import { LiveCall } from "./live-call.ts";

/** A call of 30 bytes that was answered, seen by a protocol that tells `seen` of it. */
const ended = (seen: () => Observation) => {
	const clock = createTestClock();
	const lines: string[] = [];
	const log = createLog("error", (line) => void lines.push(line), clock);
	const settled: Outcome[] = [];
	let over = 0;
	const routed = {
		id: "req_1",
		startedAt: 0,
		requestBytes: 30,
		request: new Request("http://localhost/"),
		prompt: () => ({ messages: [] }),
		model: { operation: "generate", name: "m", stream: false, candidates: 1 },
	} as unknown as ModelRouted;
	const permits = new Permits([{ settle: (outcome) => void settled.push(outcome) }], log);
	const live = new LiveCall(routed, permits, {
		clock,
		log,
		recorders: [],
		statusOf: () => 500,
		ended: () => void over++,
	});
	const target: Target = {
		upstream: { name: "main", protocols: [], send: () => Promise.reject(new Error("not asked")) },
		model: "up",
		capabilities: {},
	};
	live.attempts.begin(target, "only");
	live.sending(target);
	live.observe({ seen });
	live.end("completed", 200);
	return { settled, over, lines };
};

const answered = { finished: true, pieces: 1, contentBytes: 30 };

test.each([
	["a text", "lots"],
	["nothing at all", null],
	["what became of no promise", {}],
	["input alone", { input: { total: 3 } }],
	["output without a total", { input: { total: 3 }, output: {} }],
])("usage that is %s was not told: the call is settled for an estimate", (_what, usage) => {
	const { settled, over } = ended(() => ({ ...answered, usage: JSON.parse(JSON.stringify(usage)) }));
	expect(settled.map((outcome) => outcome.usage?.estimated)).toEqual([true]);
	expect(over).toBe(1);
});

test("a protocol that fails over what it has seen keeps no call from its end", () => {
	const { settled, over, lines } = ended(() => {
		throw new Error("lost count");
	});
	expect(settled.map((outcome) => outcome.usage?.estimated)).toEqual([true]);
	expect(over).toBe(1);
	expect(lines.join("")).toContain("lost count");
});
