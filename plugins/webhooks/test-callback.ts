/** Sends a callback that tells nothing, to see whether an address takes it. */
import { randomUUID } from "node:crypto";
import { asText, Fault, invalidParameter, type WireRecord } from "#core";
import { type AddressRules, checkAddress } from "./address.ts";
import type { ManualLimit } from "./manual-limit.ts";
import type { SecretBook } from "./secrets.ts";
import type { Send } from "./sender.ts";
import { signatureHeaders } from "./signature.ts";

interface TestCallbackOptions {
	readonly secrets: SecretBook;
	readonly send: Send;
	readonly limit: ManualLimit;
	readonly rules: AddressRules;
	readonly userAgent: string;
	now(): number;
}

/** What came of it. Throws `Fault` for an address that takes none. `token`: whose secret signs; `by`: who asks, where another. */
export type TestCallback = (asked: WireRecord, token: string | undefined, by?: string) => Promise<WireRecord>;

export const createTestCallback =
	({ secrets, send, limit, rules, userAgent, now }: TestCallbackOptions): TestCallback =>
	async (asked, token, by) => {
		const url = asText(asked["url"]);
		if (url === undefined) throw invalidParameter("url", 'Send the address to test as {"url": "https://…"}.');
		const checked = checkAddress(url, rules);
		if (!("url" in checked)) throw new Fault({ ...checked, parameter: "url" });
		limit.take(by ?? token ?? "");
		const id = `msg_test_${randomUUID().replaceAll("-", "")}`;
		const at = Math.floor(now() / 1000);
		const body = new TextEncoder().encode(JSON.stringify({ type: "webhook.test", id, created_at: at }));
		if (token !== undefined) await secrets.load([token]);
		const signed = signatureHeaders(id, at, body, token === undefined ? [] : secrets.valid(token, now()));
		const headers = { "content-type": "application/json", "user-agent": userAgent, ...signed };
		const { status = null, error = null, durationMs } = await send({ url: checked.url, headers, body });
		return { object: "webhook.test", id, delivered: error === null, status, error, duration_ms: durationMs };
	};
