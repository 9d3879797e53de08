/** A caller learns nothing of the operator's network by the names it has called back: neither by a word nor by the time. */
import { expect, test } from "bun:test";
import type { Resolve } from "#core";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import { createSender } from "./sender.ts";

const names: readonly (readonly [what: string, resolve: Resolve])[] = [
	["an inner name", async () => ["10.0.0.7"]],
	["a name of this machine", async () => ["127.0.0.1", "::1"]],
	["a name that does not exist", () => Promise.reject(new Error("ENOTFOUND"))],
	["a name without addresses", async () => []],
	["a name that no resolver answers for", () => new Promise(() => undefined)],
];

test.each(names)("%s is told as any other", async (_, resolve) => {
	const clock = createMovedClock();
	const send = createSender({ clock, resolve, allowPrivateNetworks: false, httpsOnly: false, success: "200" });
	let ended = false;
	const sending = send({ url: "https://db.corp.example/x", headers: {}, body: new Uint8Array() }).finally(() => {
		ended = true;
	});
	await quiet(5);
	clock.advance(4999);
	await quiet(5);
	expect(ended).toBe(false);
	clock.advance(1);
	expect(await sending).toEqual({ error: "dns_error", durationMs: 5000 });
});

test("where private networks may be called a wrong name is told at once", async () => {
	const send = createSender({
		clock: createMovedClock(),
		resolve: () => Promise.reject(new Error("ENOTFOUND")),
		allowPrivateNetworks: true,
		httpsOnly: false,
		success: "200",
	});
	const result = await send({ url: "https://db.corp.example/x", headers: {}, body: new Uint8Array() });
	expect(result).toEqual({ error: "dns_error", durationMs: 0 });
});
