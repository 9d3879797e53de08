/** What strangers and mistakes send to the routes that take tasks on: the right status in each dialect's own error shape. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { dialects, startTaskDoors, type TaskDoors, type Trouble, upstreamKey } from "./task-dialects.ts";
import { wrongKeys } from "./wrong-keys.ts";

let gateway: TaskDoors;
beforeAll(async () => {
	gateway = await startTaskDoors();
});
afterAll(() => gateway.close());

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

for (const { name, path, good, wordOf, told, wrong, model, modelPath, idOf } of dialects)
	describe(name, () => {
		const post = (body: string | Uint8Array, headers: Record<string, string> = {}, at = path): Promise<Response> =>
			fetch(gateway.url + at, {
				method: "POST",
				body: body as BodyInit,
				headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
			});
		const asJson = (change: object = {}): string => JSON.stringify({ ...good, ...change });
		const withKey = (key: string): Promise<Response> => post(asJson(), { authorization: `Bearer ${key}` });
		/** Checks that the answer is this trouble, told in this dialect, and says nothing secret. */
		const refused = async (response: Response, trouble: Trouble): Promise<void> => {
			const body = await response.text();
			const [status, word] = told[trouble];
			expect({ status: response.status, body: response.status === status ? "" : body }).toEqual({ status, body: "" });
			expect(response.headers.get("content-type")).toStartWith("application/json");
			expect(response.headers.get("x-request-id")).toMatch(/^[\w.:-]+$/);
			for (const secret of [gateway.key, gateway.adminToken, upstreamKey, "127.0.0.1"])
				expect(body).not.toContain(secret);
			expect(wordOf(JSON.parse(body))).toStartWith(word);
		};
		const taken = async (response: Response): Promise<unknown> => {
			const body = (await response.json()) as Record<string, unknown>;
			expect({ status: response.status, body }).toMatchObject({
				status: response.status < 300 ? response.status : 200,
			});
			expect(idOf(body)).toMatch(/^task_/);
			return idOf(body);
		};

		test("what is right is taken on", async () => {
			await taken(await post(asJson()));
		});

		test.each([...wrongKeys])("%s: 401, before the body is read", async (_, headers) => {
			await refused(await post("no JSON at all", headers), "key");
		});

		test.each([
			["empty", ""],
			["not JSON", "hello"],
			["truncated", asJson().slice(0, -2)],
			["with trailing garbage", `${asJson()} x`],
			["with NaN", `${asJson().slice(0, -1)},"seed":NaN}`],
			["with a comment", `/* hi */${asJson()}`],
			["an array", "[]"],
			["a string", '"hello"'],
			["a number", "7"],
			["null", "null"],
			["65 levels deep", `{"a":${deep(65)}}`],
			["40,000 levels deep", `{"a":${deep(40_000)}}`],
			["with a field twice", `{"prompt":"a dog","prompt":"a cat",${asJson({ prompt: undefined }).slice(1)}`],
			["with a byte order mark", `\ufeff${asJson()}`],
		])("a body that is %s: 400", async (_, body) => {
			await refused(await post(body), "invalid");
		});

		test("bytes that are no UTF-8: 400", async () => {
			await refused(await post(new Uint8Array([0x7b, 0xff, 0x7d])), "invalid");
		});

		test.each(Object.entries(wrong))("%s: 400", async (_, change) => {
			await refused(await post(asJson(change)), "invalid");
		});

		test("__proto__ and constructor are data, and change nothing", async () => {
			const more = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}';
			await taken(await post(`${asJson().slice(0, -1)},${more}}`));
			expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
		});

		test("emoji, NUL, right-to-left marks and half characters are text", async () => {
			const strange = asJson().replace(/a (?:cat|song)/, "\u202e😀\\u0000\\ud800 \\r\\nx-evil: 1");
			const response = await post(strange);
			expect(response.headers.get("x-evil")).toBeNull();
			await taken(response);
		});

		test("too large, declared or not: 413; other media types and charsets: 415", async () => {
			const large = asJson({ padding: "x".repeat(200_000) });
			await refused(await post(large), "large");
			const chunked = new ReadableStream({
				start(controller) {
					for (let at = 0; at < large.length; at += 10_000)
						controller.enqueue(new TextEncoder().encode(large.slice(at, at + 10_000)));
					controller.close();
				},
			});
			await refused(await post(chunked as unknown as Uint8Array), "large");
			const bomb = new Blob([" ".repeat(10_000_000)]).stream().pipeThrough(new CompressionStream("gzip"));
			const zipped = new Uint8Array(await new Response(bomb).arrayBuffer());
			await refused(await post(zipped, { "content-encoding": "gzip" }), "large");
			await refused(await post(asJson(), { "content-type": "text/plain" }), "type");
			await refused(await post(asJson(), { "content-type": "application/json; charset=utf-16" }), "type");
			await refused(await post(asJson(), { "content-encoding": "br" }), "type");
		});

		test("an unknown model, and one the token may not use: 404, in the same words", async () => {
			const asks = (wanted: string, key = gateway.key) =>
				post(asJson(model?.(wanted)), { authorization: `Bearer ${key}` }, modelPath?.(wanted));
			await refused(await asks("no-such-model"), "model");
			const { key } = await gateway.token({ models: ["dear"] });
			await refused(await asks("dear2", key), "model");
			await refused(await asks("DEAR", key), "model");
			await taken(await asks("dear", key));
		});

		test("an address that is not on the list: 403; a forged X-Forwarded-For does not help", async () => {
			const { key } = await gateway.token({ ips: ["10.9.8.7"] });
			const forged = { authorization: `Bearer ${key}`, "x-forwarded-for": "10.9.8.7", forwarded: "for=10.9.8.7" };
			const response = await post(asJson(), forged);
			expect(response.status).toBe(told.ip[0]);
			expect(wordOf(await response.json())).toStartWith(told.ip[1]);
		});

		test("a token that has expired: 401; a quota below what the task may cost; more than a minute may bring", async () => {
			await refused(await withKey((await gateway.token({ expiresAt: "2020-01-01T00:00:00Z" })).key), "expired");
			await refused(await withKey((await gateway.token({ quota: 0.01 })).key), "quota");
			const { key } = await gateway.token({ rateLimit: { requestsPerMinute: 1 } });
			await taken(await withKey(key));
			const response = await withKey(key);
			expect(Number(response.headers.get("retry-after"))).toBeWithin(1, 61);
			await refused(response, "rate");
		});

		test("an Idempotency-Key used again with another body: 409; one of 256 characters: 400", async () => {
			const again = { "idempotency-key": `key of ${name}` };
			const id = await taken(await post(asJson(), again));
			expect(await taken(await post(asJson(), again))).toBe(id);
			await refused(await post(asJson().replace(/cat|song/, "dog"), again), "reused");
			await refused(await post(asJson(), { "idempotency-key": "k".repeat(256) }), "invalid");
		});

		test.each(["PUT", "PATCH", "DELETE"])("%s: 405 or 404, never an answer", async (method) => {
			const headers = { authorization: `Bearer ${gateway.key}` };
			expect((await fetch(gateway.url + path, { method, headers })).status).toBeOneOf([404, 405]);
		});

		test("afterwards all is well, and no route has failed", async () => {
			await taken(await post(asJson()));
			const failed = gateway.log.filter(({ level, message }) => level === "error" || message === "a route failed");
			expect(failed).toEqual([]);
		});
	});

test("nothing secret is logged by any of this", () => {
	const text = JSON.stringify(gateway.log);
	for (const secret of [gateway.key, gateway.adminToken, upstreamKey]) expect(text).not.toContain(secret);
});
