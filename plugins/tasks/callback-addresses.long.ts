/** Callback addresses at submission. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/webhooks`. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { resetScript } from "../../test/support/scripted-kind.ts";
import { count, idOf, stopAll, submit, world } from "../../test/support/scripted-tasks.ts";

beforeEach(resetScript);
afterEach(stopAll);

test.each([
	[{}],
	[{ notifyHook: "" }],
	[{ notifyHook: "   " }],
	[{ notifyHook: null }],
	[{ notify_hook: "" }],
	[{ callback_url: "" }],
])("11: %j means no callback", async (more) => {
	const at = await world();
	await idOf(at, more);
	expect(await count(at, "deliveries")).toBe(0);
});

test.each([
	[{ notifyHook: 5 }],
	[{ notifyHook: {} }],
	[{ notifyHook: "not a url" }],
	[{ notifyHook: "ftp://example.org/" }],
	[{ notifyHook: "javascript:alert(1)" }],
	[{ notifyHook: "https://user:password@example.org/" }],
	[{ notifyHook: `https://example.org/${"x".repeat(2000)}` }],
	[{ callback_url: "http://example.org:0/" }],
])("12: %j is refused, and there is no task", async (more) => {
	const at = await world();
	const { status: code, body } = await submit(at, more);
	expect(code).toBe(400);
	expect(body).toMatchObject({ error: { type: "invalid_request_error", code: "invalid_callback_url" } });
	expect(await count(at, "tasks")).toBe(0);
});

test.each([
	"http://127.0.0.1/",
	"http://10.1.2.3/",
	"http://169.254.169.254/latest",
	"http://[::1]/",
	"http://[::ffff:10.0.0.1]/",
	"http://0x7f.1/",
	"http://2130706433/",
	"http://localhost:8080/",
	"http://metadata.google.internal/",
])("13: %s is refused with a constant sentence", async (url) => {
	const at = await world({ webhooks: { allowPrivateNetworks: false } });
	const { status: code, body } = await submit(at, { notifyHook: url });
	expect(code).toBe(400);
	expect(body).toEqual({
		error: {
			message:
				"The callback URL is not allowed: it must lead to a public address. Private, loopback and other special addresses are refused.",
			type: "invalid_request_error",
			param: "notifyHook",
			code: "callback_url_not_allowed",
		},
	});
	expect(await count(at, "tasks")).toBe(0);
});

test("without webhooks a callback is refused, a task is not", async () => {
	const at = await world({ webhooks: false });
	expect((await submit(at, { notifyHook: "https://example.org/" })).status).toBe(400);
	expect((await submit(at, { notifyHook: "" })).status).toBe(202);
});
