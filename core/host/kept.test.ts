/** What outlives reloads ends with the process, whatever one of it does. */
import { expect, test } from "bun:test";
import { createLog } from "../runtime/log.ts";
import { KeptThings } from "./kept.ts";

test("one that cannot be closed is told in the log, and those made before it are closed all the same", async () => {
	const told: string[] = [];
	const closed: string[] = [];
	const things = new KeptThings();
	things.keep("first", () => ({ close: async () => void closed.push("first") }));
	things.keep("second", () => ({
		close() {
			throw new Error("no such file");
		},
	}));
	await things.close(createLog("debug", (line) => void told.push(line)));
	expect(closed).toEqual(["first"]);
	expect(told).toHaveLength(1);
	expect(JSON.parse(told[0] ?? "")).toMatchObject({ level: "error", name: "second", error: "Error: no such file" });
});
