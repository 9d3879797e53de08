import { expect, test } from "bun:test";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { CertificateState } from "./certificate.ts";
import { Troubles } from "./troubles.ts";

test("a certificate that was refused is a trouble since the first time, until the files hold a good one", () => {
	const clock = createMovedClock(Date.parse("2026-11-22T12:00:00Z"));
	const state = new CertificateState(clock);
	expect(state.trouble()).toBeUndefined();
	state.shown("Nov 30 12:00:00 2026 GMT");
	expect(state.trouble()).toBeUndefined();
	const since = clock.now();
	state.refused("own.key is not the key of own.crt");
	clock.advance(60_000);
	state.refused("own.key is not the key of own.crt");
	expect(state.trouble()).toEqual({
		what: "certificate",
		since,
		message:
			"The new certificate cannot be used: own.key is not the key of own.crt. The one before it (good until 2026-11-30T12:00:00.000Z) is still shown.",
		advice: expect.stringContaining("server.tls"),
	});
	state.shown("Nov 30 12:00:00 2026 GMT");
	expect(state.trouble()).toBeUndefined();
});

test("one that has run out is a trouble since then, and told with the others", () => {
	const clock = createMovedClock(Date.parse("2026-11-22T12:00:00Z"));
	const none = () => undefined;
	const troubles = new Troubles({ clock, outage: none, freeBytes: none, url: "file:portico.db" });
	troubles.certificate.shown("Nov 22 12:01:00 2026 GMT");
	expect(troubles.list()).toEqual([]);
	clock.advance(60_000);
	expect(troubles.list()).toMatchObject([
		{ what: "certificate", since: clock.now(), message: expect.stringContaining("has run out") },
	]);
	troubles.certificate.shown("Nov 22 12:01:00 2027 GMT");
	expect(troubles.list()).toEqual([]);
});
