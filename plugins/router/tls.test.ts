/** Certificates of an upstream's own that have run out are warned of: the upstream itself only closes the connection. */
import { afterAll, expect, test } from "bun:test";
import { createAuthority, textOf } from "../../test/support/authority.ts";
import { shownOverSince, tlsWarnings } from "./tls.ts";

const authority = createAuthority();
afterAll(() => authority.remove());
const mine = authority.sign("portico");
const ca = textOf(authority.ca);
const upstream = {
	name: "inner",
	url: "https://127.0.0.1:1",
	tls: { ca, cert: `${textOf(mine.cert)}${ca}`, key: textOf(mine.key) },
};
const day = 86_400_000;

test("none while they are good, and each by name and since when once they are not", () => {
	const now = Date.now();
	expect(tlsWarnings([upstream], now)).toEqual([]);
	expect(tlsWarnings([upstream], now + 3 * day)).toEqual([
		expect.stringMatching(/^router: the upstream "inner" is shown a certificate \(tls\.cert\) that ran out on 20\S+Z$/),
		expect.stringMatching(/^router: the upstream "inner" has no authority \(tls\.ca\) since 20\S+Z: all ran out$/),
	]);
	expect(tlsWarnings([{ name: "plain", url: "https://127.0.0.1:1" }], now + 3 * day)).toEqual([]);
	// What cannot be read is complained of elsewhere.
	expect(tlsWarnings([{ ...upstream, tls: { ca: "no certificate" } }], now)).toEqual([]);
});

test("what is shown is the first of a chain", () => {
	expect(shownOverSince(upstream.tls, Date.now())).toBeUndefined();
	expect(shownOverSince(upstream.tls, Date.now() + 3 * day)).toStartWith("20");
	expect(shownOverSince({ ca }, Date.now() + 3 * day)).toBeUndefined();
});
