import { expect, test } from "bun:test";
import type { Admitted } from "../../contract/call.ts";
import type { Recorder } from "../../contract/outcome.ts";
import { createLog } from "../../runtime/log.ts";
import { createTestClock } from "../../testing/clock.ts";
import { record } from "./record.ts";

test("a recorder that fails, at once or later, is logged and changes nothing", async () => {
	const heard: string[] = [];
	const said: unknown[] = [];
	const recorders: Recorder[] = [
		{
			name: "at once",
			record() {
				throw new Error("no");
			},
		},
		{ name: "later", record: () => Promise.reject(new Error("the collector is down")) },
		{ name: "good", record: ({ id }) => void heard.push(id) },
	];
	const call = { id: "req_1", startedAt: 0, route: "/v1/x", request: new Request("http://127.0.0.1/") } as Admitted;
	record(
		{
			clock: createTestClock(),
			log: createLog("error", (line) => said.push(JSON.parse(line))),
			recorders,
			statusOf: () => 500,
		},
		{ call, protocol: "messages" },
		{
			outcome: { ending: "completed", sent: true, contentBytes: 0, pieces: 0 },
			status: 200,
			attempts: [],
			losses: [],
		},
	);
	await new Promise((resolve) => setImmediate(resolve));
	expect(heard).toEqual(["req_1"]);
	expect(said).toEqual([
		expect.objectContaining({ msg: "a recorder failed", recorder: "at once", error: "Error: no" }),
		expect.objectContaining({ msg: "a recorder failed", recorder: "later", error: "Error: the collector is down" }),
	]);
});
