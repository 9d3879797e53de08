import { describe, expect, test } from "bun:test";
import { isUnsent, lacksSocket, unansweredCode } from "./unanswered.ts";

/** As Deno 2.9 tells of them. */
const onDeno = (cause: string): Error => new TypeError("fetch failed", { cause: new Error(cause) });
const at = "error sending request for url (http://10.0.0.1/): client error";

test.each([
	[`${at} (Connect): tcp connect error: Connection refused (os error 111)`, "ECONNREFUSED"],
	[`${at} (Connect): dns error: failed to lookup address information: Name or service not known`, "ENOTFOUND"],
	[`${at} (Connect): tcp open error: Too many open files (os error 24)`, "EMFILE"],
	[`${at} (Connect): tcp connect error: No route to host (os error 113)`, "EHOSTUNREACH"],
	[`${at} (Connect): invalid peer certificate: Expired`, "CERT_HAS_EXPIRED"],
	[`${at} (Connect): invalid peer certificate: certificate not valid: NotValidForName`, "ERR_TLS_CERT_ALTNAME_INVALID"],
	[`${at} (Connect): invalid peer certificate: UnknownIssuer`, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
	[`${at} (Connect): tls handshake eof`, "EPROTO"],
	[`${at} (Connect): received corrupt message of type InvalidContentType`, "EPROTO"],
])("what Deno says before anything was sent: %s", (said, code) => {
	expect(unansweredCode(onDeno(said))).toBe(code);
	expect(isUnsent(code)).toBe(true);
});

test.each([
	`${at} (SendRequest): connection closed before message completed`,
	`${at} (SendRequest): invalid HTTP version parsed`,
	"Connection reset by peer (os error 104)",
])("what Deno says after that: %s", (said) => {
	expect(unansweredCode(onDeno(said))).toBe("ECONNRESET");
	expect(isUnsent("ECONNRESET")).toBe(false);
});

/** As Deno 2.9 tells of a request that was sent and whose connection was closed then. */
test("what the address says is no word of Deno's", () => {
	const url = "http://127.0.0.1:9/v1beta/models/gemini-(Connect):generateContent";
	const said = `error sending request from 127.0.0.1:8 for ${url} (127.0.0.1:9): client error (SendRequest): connection closed before message completed`;
	expect(unansweredCode(onDeno(said))).toBe("ECONNRESET");
});

describe("elsewhere", () => {
	test("the error's own word counts, or that of its cause", () => {
		const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" });
		expect([unansweredCode(refused), unansweredCode(new TypeError("x", { cause: refused }))]).toEqual([
			"ECONNREFUSED",
			"ECONNREFUSED",
		]);
	});

	test("what is no failure of a connection has none", () => {
		for (const other of [new Error("(Connect)"), new TypeError("is not a function"), "Connection refused", undefined])
			expect(unansweredCode(other)).toBeUndefined();
	});

	test("a machine without a socket has sent nothing", () => {
		for (const code of ["EMFILE", "ENOBUFS", "EADDRNOTAVAIL"])
			expect([isUnsent(code), lacksSocket(code)]).toEqual([true, true]);
		expect([isUnsent("ECONNREFUSED"), lacksSocket("ECONNREFUSED")]).toEqual([true, false]);
		expect(isUnsent("")).toBe(false);
	});
});
