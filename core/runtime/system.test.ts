/** What a process may use of memory, where several run side by side. */
import { afterEach, expect, test } from "bun:test";
import { env } from "node:process";
import { environmentOfOneOf, memoryBytes } from "./system.ts";

const told = environmentOfOneOf(4);
afterEach(() => {
	for (const name of Object.keys(told)) delete env[name];
});

test("one of four workers has a quarter of what one alone has, so that all together fit", () => {
	const alone = memoryBytes();
	Object.assign(env, told);
	expect(memoryBytes()).toBe(Math.floor(alone / 4));
});
