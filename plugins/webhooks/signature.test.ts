import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { createSecret, signatureHeaders } from "./signature.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("the published example has the published signature", () => {
	const headers = signatureHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, bytes('{"test": 2432232314}'), [
		"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
	]);
	expect(headers).toEqual({
		"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
		"webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	});
});

test("the standard library accepts what is signed with a new secret, and nothing else", () => {
	const secret = createSecret();
	const now = Math.floor(Date.now() / 1000);
	const body = '{"prompt":"\u00fc \\ud800"}';
	const headers = signatureHeaders("msg_1", now, bytes(body), [createSecret(), secret]);
	expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
	for (const changed of [`${body} `, body.replace("\u00fc", "u")])
		expect(() => new Webhook(secret).verify(changed, headers)).toThrow();
	expect(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "msg_2" })).toThrow();
	expect(() => new Webhook(createSecret()).verify(body, headers)).toThrow();
});

test("without a secret there is no signature, and the message still has its id and time", () => {
	expect(signatureHeaders("msg_1", 5, bytes("{}"), [])).toEqual({ "webhook-id": "msg_1", "webhook-timestamp": "5" });
});
