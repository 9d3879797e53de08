import { expect, test } from "bun:test";
import type { AccessToken, Admitted } from "../../contract/call.ts";
import { isDenial } from "../../contract/fault.ts";
import { createLog } from "../../runtime/log.ts";
import { createIdentify } from "./identify.ts";

const call = (): Admitted => ({
	id: "call_1",
	requestId: "call_1",
	request: new Request("http://localhost/v1/me", { headers: { authorization: "Bearer sk-any" } }),
	origin: "http://localhost",
	url: new URL("http://localhost/v1/me"),
	params: {},
	address: "127.0.0.1",
	route: "/v1/me",
	startedAt: 0,
});

const token = (owner?: string): AccessToken => ({
	id: "tok_1",
	name: "one",
	settings: {},
	compiled: new Map(),
	...(owner !== undefined && { owner: { id: owner } }),
});

test("a caller is the token's owner, or the token, and stays who it was when the token is looked up again", () => {
	const log = createLog("silent");
	let known = token("per_ada");
	const identify = createIdentify(
		[{ name: "test", identify: () => known }],
		() => ({ admit: [], beforeBody: [], check: [], shows: [], log }),
		log,
		() => {},
	);
	const callerOf = (asked: Admitted): string | undefined => {
		const found = identify(asked, false);
		return "then" in found || isDenial(found) ? undefined : found.caller;
	};
	const begun = call();
	expect(callerOf(begun)).toBe("per_ada");
	known = token("per_bob");
	expect(callerOf(begun)).toBe("per_ada");
	expect(callerOf(call())).toBe("per_bob");
	known = token();
	expect(callerOf(call())).toBe("tok_1");
});
