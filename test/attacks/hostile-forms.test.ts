/** Forms as attackers write them: each refused in words, at no cost, before anything of it reaches an upstream. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { wav } from "../../plugins/audio/fixtures/sounds.ts";
import { formShapes } from "./form-shapes.ts";
import { postHead, rawClient, until } from "./raw-client.ts";

const megabyte = 1024 * 1024;
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream(() => Response.json({ text: "Hello" }));
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"audio",
			{ use: "prices", with: { models: { "whisper-1": { perMinuteAudioIn: 0.06 } } } },
			"quota",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "up-key" }],
					models: [{ name: "listener", targets: [{ upstream: "main", model: "whisper-1" }] }],
				},
			},
		],
	});
});
beforeEach(() => {
	upstream.received.length = 0;
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const path = "/v1/audio/transcriptions";
const send = (key: string, type: string, body: BodyInit, headers = {}): Promise<Response> =>
	fetch(gateway.url + path, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": type, ...headers },
		body,
	});
const usedBy = async (key: string): Promise<unknown> => {
	const me = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	return ((await me.json()) as { used: unknown }).used;
};

describe("a form", () => {
	for (const { name, type, body, headers, status, says } of formShapes(2 * megabyte))
		test(`${name}: ${status}`, async () => {
			const { key } = await gateway.token({ quota: 0.1 });
			const answer = await send(key, type, Buffer.from(body), headers);
			const text = await answer.text();
			expect({ status: answer.status, text }).toMatchObject({ status });
			if (says === undefined) return;
			const { error } = JSON.parse(text) as { error: { message: string; type: string } };
			expect(error.type).toBe("invalid_request_error");
			expect(error.message).toContain(says);
			expect(error.message).toMatch(/^[A-Z].*\.$/);
			expect(upstream.received).toHaveLength(0);
			expect(await usedBy(key)).toBe(0);
		});
});

test("a quota for one minute takes one minute still, after a file of 60 MB and all else that was refused", async () => {
	const { key } = await gateway.token({ quota: 0.1 });
	const shapes = formShapes(2 * megabyte).filter(({ status }) => status !== 200);
	const refused = await Promise.all(
		shapes.map(async ({ type, body, headers }) => (await send(key, type, Buffer.from(body), headers)).status),
	);
	expect(refused).toEqual(shapes.map(({ status }) => status));
	const minute = () => {
		const form = new FormData();
		form.set("model", "listener");
		form.set("file", new Blob([new Uint8Array(wav(60))]), "minute.wav");
		return fetch(gateway.url + path, { method: "POST", headers: { authorization: `Bearer ${key}` }, body: form });
	};
	expect([(await minute()).status, (await minute()).status]).toEqual([200, 429]);
	expect(await usedBy(key)).toBe(0.06);
});

test("what would choose another model, upstream, address or key, in any spelling, is taken out and told", async () => {
	const { key } = await gateway.token({ quota: 0.1 });
	const steers = [
		"Model",
		"model[]",
		"FILE",
		"file[0]",
		"stream[]",
		"fallbacks",
		"api_base",
		"extraBody",
		"provider[order][]",
	];
	const form = new FormData();
	form.append("fallbacks", "first");
	form.append("model", "listener");
	for (const name of steers) form.append(name, "dear");
	form.append("file", new Blob([new Uint8Array(wav(1))]), "a.wav");
	form.append("timestamp_granularities[]", "word");
	form.append("mock_response", "last");
	const headers = { authorization: `Bearer ${key}` };
	const answer = await fetch(gateway.url + path, { method: "POST", headers, body: form });
	expect(answer.status).toBe(200);
	const dropped = answer.headers.get("x-portico-dropped")?.split(",");
	for (const name of [...steers, "mock_response"]) expect(dropped).toContain(name);
	const [sent] = upstream.received;
	const type = sent?.headers.get("content-type") ?? "";
	const got = await new Response(sent?.text, { headers: { "content-type": type } }).formData();
	expect([...got.keys()]).toEqual(["model", "file", "timestamp_granularities[]"]);
	expect(got.get("model")).toBe("whisper-1");
});

describe("a length that is a lie", () => {
	const type = "multipart/form-data; boundary=B";
	const whole = `--B\r\nContent-Disposition: form-data; name="model"\r\n\r\nlistener\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nsound\r\n--B--\r\n`;

	test("longer than what is sent: nothing is asked of the upstream, and nothing charged", async () => {
		const { key } = await gateway.token({ quota: 0.1 });
		const client = await rawClient(gateway.url);
		await client.send(postHead(path, key, whole.length + 100, type) + whole);
		client.socket.end();
		await client.closed;
		await until(() => gateway.portico.openCalls() === 0);
		expect(upstream.received).toHaveLength(0);
		expect(await usedBy(key)).toBe(0);
	});

	test("shorter than the form: it was cut off, and the rest is no second request", async () => {
		const { key } = await gateway.token({ quota: 0.1 });
		const client = await rawClient(gateway.url);
		const second = postHead(path, key, whole.length, type) + whole;
		await client.send(`${postHead(path, key, whole.length - 10, type)}${whole}${second}`);
		expect(await client.status()).toBe(400);
		await until(() => gateway.portico.openCalls() === 0);
		expect(upstream.received).toHaveLength(0);
		expect(await usedBy(key)).toBe(0);
		client.end();
	});
});
