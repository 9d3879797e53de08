/** What is said about a limit of time names the limit that ran out. */
import { expect, test } from "bun:test";
import { notJson } from "../relay/exchanges/not-an-answer.ts";
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

test.each([
	["CERT_HAS_EXPIRED", /renewed/],
	["ERR_TLS_CERT_ALTNAME_INVALID", /another name/],
	["DEPTH_ZERO_SELF_SIGNED_CERT", /tls\.ca/],
	["SELF_SIGNED_CERT_IN_CHAIN", /tls\.ca/],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /whole chain/],
	["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /whole chain/],
])("a certificate that is not accepted, by why: %s", (code, advice) => {
	expect(adviceOnUpstream({ code })).toMatch(advice);
	expect(adviceOnUpstream({ code: "unreached", message: `It could not be reached. (${code})` })).toMatch(advice);
});

test("an answer that is cut off or empty is no other server's", () => {
	const said = (text: string) => adviceOnUpstream({ code: "upstream", message: notJson(text).message, status: 200 });
	expect(said('{"choices":[{"mess')).toMatch(/closed the connection/);
	expect(said('{"a": "} \\" ]", "b": [{}')).toMatch(/closed the connection/);
	for (const wrong of ["{'a': 1}", '{"a": NaN}', '{"a": 1,}', '[{"a": 1}] [2]', '{"a": "}"}}'])
		expect(said(wrong), wrong).toMatch(/cannot be read/);
	expect(said(" ")).toMatch(/answers with nothing/);
	expect(said("upstream connect error")).toMatch(/Something else answers/);
});

test("a failure that an answer of 200 tells within itself has advice too", () => {
	expect(adviceOnUpstream({ code: "upstream", message: "backend exploded", status: 200 })).toMatch(
		/its message says why/,
	);
	expect(adviceOnUpstream({ status: 200 })).toBeUndefined();
});
