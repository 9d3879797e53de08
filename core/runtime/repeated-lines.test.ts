/** What says the same for every call does not fill the log, and is not lost to it either. */
import { expect, test } from "bun:test";
import { createTestClock } from "../testing/clock.ts";
import { createLog } from "./log.ts";

const world = () => {
	const clock = createTestClock();
	const said: Record<string, unknown>[] = [];
	const log = createLog("info", (line) => said.push(JSON.parse(line)), clock);
	return { clock, log, said };
};

test("the same error is said twenty times in a minute, then once a minute with how often it was held back", async () => {
	const { clock, log, said } = world();
	const plugin = log.of("quota");
	for (let call = 0; call < 400; call++) plugin.error("the disk is full", { code: "ENOSPC", callId: `call_${call}` });
	expect(said).toHaveLength(20);
	await clock.advance(60_000);
	expect(said.slice(20)).toEqual([
		expect.objectContaining({ plugin: "quota", level: "error", code: "ENOSPC", callId: "call_399", repeated: 380 }),
	]);
	for (let call = 0; call < 22; call++) plugin.error("the disk is full", { code: "ENOSPC", callId: "again" });
	expect(said).toHaveLength(21);
	await clock.advance(60_000);
	expect(said.slice(21)).toEqual([expect.objectContaining({ callId: "again", repeated: 22 })]);
});

test("what ended is told at once when it comes again", async () => {
	const { clock, log, said } = world();
	for (let call = 0; call < 21; call++) log.warn("it fails");
	await clock.advance(120_000);
	expect(said).toHaveLength(21);
	log.warn("it fails");
	expect(said).toHaveLength(22);
	await clock.advance(600_000);
	expect(said).toHaveLength(22);
});

test("what differs in its level, plugin, message or fields is said, and so is every line that is no warning", () => {
	const { log, said } = world();
	for (let index = 0; index < 30; index++) log.warn("an upstream fails", { upstream: `up${index}` });
	expect(said).toHaveLength(30);
	for (let index = 0; index < 30; index++) log.info("call", { status: 200 });
	expect(said).toHaveLength(60);
	for (let index = 0; index < 20; index++) log.error("no");
	log.of("other").error("no");
	log.warn("no");
	expect(said).toHaveLength(82);
});
