/** What is said about a limit of time names the limit that ran out. */
import { expect, test } from "bun:test";
import { silent, tooLong } from "./no-answer.ts";
import { adviceOnUpstream } from "./upstream-advice.ts";

test.each([
	["a silence", silent.message, "server.idleSeconds"],
	["a whole call", tooLong.message, "server.callSeconds"],
	["the first byte", "The upstream main did not begin to answer within 3 seconds.", "firstByteSeconds"],
])("%s that was too long", (_limit, message, setting) => {
	const others = ["server.idleSeconds", "server.callSeconds", "firstByteSeconds"].filter((name) => name !== setting);
	const advice = adviceOnUpstream({ code: "upstream_timeout", message });
	expect(advice).toContain(setting);
	for (const other of others) expect(advice).not.toContain(other);
});
