/** What strangers and mistakes send: a clear error in OpenAI's shape, the right status, nothing secret said or logged. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { constants, zstdCompressSync } from "node:zlib";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
			"ledger",
		],
		config: { server: { bodyLimitBytes: 100_000 } },
	});
});
afterAll(() => gateway.stop());

const good = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
const path = "/v1/chat/completions";

interface ErrorBody {
	readonly error: {
		readonly message: string;
		readonly type: string;
		readonly param: string | null;
		readonly code: string | null;
	};
}

/** Asks, checks that the answer is an error in OpenAI's shape, and gives it. */
const refused = async (response: Response, status: number): Promise<ErrorBody["error"]> => {
	expect(response.status).toBe(status);
	expect(response.headers.get("content-type")).toStartWith("application/json");
	expect(response.headers.get("x-request-id")).toMatch(/^[\w.:-]+$/);
	const { error } = (await response.json()) as ErrorBody;
	expect(error.message.length).toBeGreaterThan(10);
	expect(typeof error.type).toBe("string");
	expect(error).toHaveProperty("param");
	expect(error).toHaveProperty("code");
	return error;
};

describe("keys", () => {
	const ask = (headers: Record<string, string>, query = "") =>
		fetch(gateway.url + path + query, {
			method: "POST",
			headers: { "content-type": "application/json", ...headers },
			body: JSON.stringify(good),
		});

	test.each([
		["none", {}],
		["empty", { authorization: "Bearer " }],
		["Basic", { authorization: "Basic dXNlcjpwdw==" }],
		["never issued", { authorization: `Bearer sk-${"a".repeat(49)}` }],
		["with SQL in it", { authorization: "Bearer sk-' OR 1=1 --" }],
		["10 KB long", { authorization: `Bearer ${"k".repeat(10_000)}` }],
	])("%s: 401", async (_, headers) => {
		expect((await refused(await ask(headers as Record<string, string>), 401)).code).toBe("invalid_api_key");
	});

	test("two different keys in two carriers: 401", async () => {
		await refused(await ask({ authorization: `Bearer ${gateway.key}`, "x-api-key": "sk-other" }), 401);
	});

	test("the same key in two carriers, and each carrier alone: answered", async () => {
		for (const headers of [
			{ authorization: `Bearer ${gateway.key}`, "x-api-key": gateway.key },
			{ authorization: `bearer ${gateway.key}` },
			{ authorization: gateway.key },
			{ "x-api-key": gateway.key },
			{ "x-goog-api-key": gateway.key },
			{ "mj-api-secret": gateway.key },
			{ "mj-api-secret": `Bearer ${gateway.key}` },
		])
			expect((await ask(headers as unknown as Record<string, string>)).status).toBe(200);
	});

	test("?key= is no carrier on this path", async () => {
		await refused(await ask({}, `?key=${gateway.key}`), 401);
	});

	test("a disabled token is refused at once, an enabled one let in again", async () => {
		const { id, key } = await gateway.token();
		const headers = { authorization: `Bearer ${key}` };
		expect((await ask(headers)).status).toBe(200);
		await gateway.admin("POST", `/admin/tokens/${id}/disable`);
		expect((await refused(await ask(headers), 401)).code).toBe("token_disabled");
		await gateway.admin("POST", `/admin/tokens/${id}/enable`);
		expect((await ask(headers)).status).toBe(200);
		const { key: rotated } = await gateway.admin("POST", `/admin/tokens/${id}/rotate`);
		await refused(await ask(headers), 401);
		expect((await ask({ authorization: `Bearer ${String(rotated)}` })).status).toBe(200);
		await gateway.admin("DELETE", `/admin/tokens/${id}`);
		await refused(await ask({ authorization: `Bearer ${String(rotated)}` }), 401);
	});
});

describe("bodies", () => {
	test.each([
		["empty", ""],
		["not JSON", "hello"],
		["truncated", '{"model":"demo","messages":['],
		["with trailing garbage", `${JSON.stringify(good)} x`],
		["with NaN", '{"model":"demo","messages":[],"temperature":NaN}'],
		["an array", "[]"],
		["a string", '"hello"'],
		["null", "null"],
		["with model twice", '{"model":"demo","model":"other","messages":[{"role":"user","content":"x"}]}'],
		[
			"100,000 levels deep",
			`{"model":"demo","messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`.slice(0, 90_000),
		],
		["65 levels deep", `{"model":"demo","messages":${"[".repeat(65)}${"]".repeat(65)}}`],
		["without a model", JSON.stringify({ messages: good.messages })],
		["with a model that is no string", JSON.stringify({ ...good, model: 7 })],
		["without messages", JSON.stringify({ model: "demo" })],
		["with empty messages", JSON.stringify({ ...good, messages: [] })],
		["with messages that are no list", JSON.stringify({ ...good, messages: {} })],
		["with an unknown role", JSON.stringify({ ...good, messages: [{ role: "wizard", content: "x" }] })],
		["with content that is a number", JSON.stringify({ ...good, messages: [{ role: "user", content: 7 }] })],
		["with max_tokens 0", JSON.stringify({ ...good, max_tokens: 0 })],
		["with max_tokens -1", JSON.stringify({ ...good, max_tokens: -1 })],
		["with max_tokens 1.5", JSON.stringify({ ...good, max_tokens: 1.5 })],
		['with max_tokens "5"', JSON.stringify({ ...good, max_tokens: "5" })],
		["with max_tokens 1e400", '{"model":"demo","messages":[{"role":"user","content":"x"}],"max_tokens":1e400}'],
		['with stream "true"', JSON.stringify({ ...good, stream: "true" })],
		["with n 10000", JSON.stringify({ ...good, n: 10_000 })],
	])("%s: 400", async (_, body) => {
		await refused(
			await fetch(gateway.url + path, {
				method: "POST",
				body,
				headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
			}),
			400,
		);
	});

	test("bytes that are no UTF-8: 400; the BOM: 400", async () => {
		for (const body of [new Uint8Array([0x7b, 0xff, 0x7d]), new Uint8Array([0xef, 0xbb, 0xbf, 0x5b, 0x5d])])
			await refused(
				await fetch(gateway.url + path, {
					method: "POST",
					body,
					headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
				}),
				400,
			);
	});

	test("over the limit, declared or chunked: 413", async () => {
		const body = JSON.stringify({ ...good, padding: "x".repeat(200_000) });
		expect((await refused(await gateway.ask(path, body), 413)).code).toBe("request_too_large");
		const chunked = new ReadableStream({
			start(controller) {
				for (let at = 0; at < body.length; at += 10_000)
					controller.enqueue(new TextEncoder().encode(body.slice(at, at + 10_000)));
				controller.close();
			},
		});
		await refused(
			await fetch(gateway.url + path, {
				method: "POST",
				body: chunked,
				headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
			}),
			413,
		);
	});

	test("over the limit: a client that sends all before it listens is answered", async () => {
		const { hostname, port } = new URL(gateway.url);
		const megabytes = 20;
		const head = `POST ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: ${megabytes * 2 ** 20}\r\n\r\n`;
		const answer = await new Promise<string>((resolve, reject) => {
			const socket = connect(Number(port), hostname);
			let text = "";
			let left = megabytes;
			const send = (): void => {
				if (left-- > 0) socket.write("x".repeat(2 ** 20), (error) => (error ? reject(error) : send()));
			};
			socket.on("data", (data) => {
				text += data.toString();
				// What was answered before all was sent is lost on many clients.
				if (left > 0) reject(new Error(`answered with ${left} MB unsent`));
			});
			socket.on("error", reject);
			socket.on("close", () => resolve(text));
			socket.write(head, send);
		});
		expect(answer).toStartWith("HTTP/1.1 413");
		expect(answer).toContain("request_too_large");
	});

	test("another media type: 415; none at all: taken for JSON", async () => {
		const headers = { authorization: `Bearer ${gateway.key}` };
		await refused(await gateway.ask(path, good, { headers: { "content-type": "text/plain" } }), 415);
		await refused(
			await gateway.ask(path, good, { headers: { "content-type": "application/json; charset=utf-16" } }),
			415,
		);
		const bare = await fetch(gateway.url + path, {
			method: "POST",
			headers,
			body: new TextEncoder().encode(JSON.stringify(good)),
		});
		expect(bare.status).toBe(200);
	});

	test("gzip is taken, and a bomb refused by its decompressed size", async () => {
		const zip = async (text: string) =>
			new Uint8Array(
				await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer(),
			);
		const ask = (body: Uint8Array) =>
			fetch(gateway.url + path, {
				method: "POST",
				body: body as BodyInit,
				headers: {
					authorization: `Bearer ${gateway.key}`,
					"content-type": "application/json",
					"content-encoding": "gzip",
				},
			});
		expect((await ask(await zip(JSON.stringify(good)))).status).toBe(200);
		await refused(await ask(await zip(" ".repeat(10_000_000))), 413);
	});

	test("zstd is taken, and a bomb or a window of 128 MB refused", async () => {
		const ask = (body: Uint8Array) =>
			fetch(gateway.url + path, {
				method: "POST",
				body: body as BodyInit,
				headers: {
					authorization: `Bearer ${gateway.key}`,
					"content-type": "application/json",
					"content-encoding": "zstd",
				},
			});
		const text = JSON.stringify(good);
		expect((await ask(zstdCompressSync(text))).status).toBe(200);
		await refused(await ask(zstdCompressSync(" ".repeat(10_000_000))), 413);
		const params = { [constants.ZSTD_c_windowLog]: 27 };
		await refused(await ask(zstdCompressSync(Buffer.alloc(150_000_000, text), { params })), 400);
	});
});

describe("routes", () => {
	test("an unknown model: 404 model_not_found, once", async () => {
		const error = await refused(await gateway.ask(path, { ...good, model: "no-such-model" }), 404);
		expect(error).toMatchObject({ code: "model_not_found", param: "model" });
	});

	test.each(["/nothing", "/v1/chat/completions/", "/V1/models", "/v1/%00"])("%s: 404", async (unknown) => {
		await refused(await gateway.ask(unknown), 404);
	});

	test("a wrong method: 405 with Allow", async () => {
		const response = await gateway.ask(path);
		await refused(response.clone(), 405);
		expect(response.headers.get("allow")).toBe("POST");
	});

	test("the admin routes need the admin token, refuse pages of other origins, and are closed to forwarded calls", async () => {
		const ask = (headers: Record<string, string>) => fetch(`${gateway.url}/admin/tokens`, { headers });
		await refused(await ask({}), 401);
		await refused(await ask({ authorization: `Bearer ${gateway.key}` }), 401);
		await refused(await ask({ authorization: `Bearer ${gateway.adminToken}`, origin: "https://example.com" }), 403);
		await refused(await ask({ authorization: `Bearer ${gateway.adminToken}`, "x-forwarded-for": "127.0.0.1" }), 404);
		expect((await ask({ authorization: `Bearer ${gateway.adminToken}` })).status).toBe(200);
	});

	test("a browser's preflight is answered, and not for nothing", async () => {
		const response = await fetch(gateway.url + path, {
			method: "OPTIONS",
			headers: { origin: "https://example.com", "access-control-request-headers": "authorization, x-stainless-lang" },
		});
		expect(response.status).toBe(204);
		expect(response.headers.get("access-control-allow-headers")).toContain("x-stainless-lang");
		const answered = await gateway.ask(path, good, { headers: { origin: "https://example.com" } });
		expect(answered.headers.get("access-control-allow-origin")).toBe("*");
	});

	test("HEAD /, GET /, health", async () => {
		expect((await fetch(`${gateway.url}/`, { method: "HEAD" })).status).toBe(200);
		expect(await (await fetch(`${gateway.url}/`)).json()).toMatchObject({ name: "portico" });
		for (const health of ["/healthz", "/readyz", "/livez", "/health"])
			expect((await fetch(gateway.url + health)).status).toBe(200);
	});
});

/** Sends raw bytes and gives what came back. */
const raw = (lines: readonly string[], body = ""): Promise<string> =>
	new Promise((resolve, reject) => {
		const { hostname, port } = new URL(gateway.url);
		const socket = connect(Number(port), hostname, () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`));
		let text = "";
		socket.on("data", (data) => {
			text += data.toString();
		});
		socket.on("end", () => resolve(text));
		socket.on("error", reject);
	});

test("a doubled slash is another address", async () => {
	const head = [
		"GET //v1/models HTTP/1.1",
		"Host: localhost",
		`Authorization: Bearer ${gateway.key}`,
		"Connection: close",
	];
	expect(await raw(head)).toStartWith("HTTP/1.1 404");
});

test.each(["/v1/../admin/tokens", "/v1/%2e%2e/admin/tokens"])(
	"%s never reaches the admin routes with a token's key",
	async (target) => {
		const answer = await raw([
			`GET ${target} HTTP/1.1`,
			"Host: localhost",
			`Authorization: Bearer ${gateway.key}`,
			"Connection: close",
		]);
		expect(answer).toMatch(/^HTTP\/1.1 40[14]/);
	},
);

describe("hosts", () => {
	const lines = (...hosts: string[]) => [
		"GET /v1/models HTTP/1.1",
		...hosts.map((host) => `Host: ${host}`),
		`Authorization: Bearer ${gateway.key}`,
		"Connection: close",
	];

	test("a host of two letters finds the route it asked for", async () => {
		expect(await raw(lines("gw"))).toStartWith("HTTP/1.1 200");
		expect(await raw(["GET /zz/v1/models HTTP/1.1", ...lines("gw").slice(1)])).toStartWith("HTTP/1.1 404");
	});

	test("a POST under such a host keeps its body", async () => {
		const body = JSON.stringify(good);
		const head = [
			"POST /v1/chat/completions HTTP/1.1",
			...lines("gw").slice(1),
			"Content-Type: application/json",
			`Content-Length: ${body.length}`,
		];
		expect(await raw(head, body)).toStartWith("HTTP/1.1 200");
	});

	test.each([
		["x/admin?"],
		["x@evil.example"],
		["a b"],
		["a".repeat(300)],
		["127.x.0.1"],
		["f27.0.0.1"],
		["127.0.0.0.0.1"],
		["localhost:99999"],
	])("%p is refused", async (host) => {
		expect(await raw(lines(host))).toStartWith("HTTP/1.1 400");
	});
});

test("nothing secret is logged by any of this", () => {
	const text = JSON.stringify(gateway.log);
	expect(text).not.toContain(gateway.key.slice(3));
	expect(text).not.toContain(gateway.adminToken);
});
