/** What strangers and mistakes send, to each of the other three protocols: the right status in the protocol's own error shape. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, asText } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { wrongKeys } from "./wrong-keys.ts";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			"prices",
			"quota",
			"rate-limit",
			"responses",
			"messages",
			"generate-content",
			{ use: "demo", with: { wordMs: 0 } },
			{
				use: "router",
				with: {
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						{ name: "other", targets: [{ upstream: "demo" }] },
					],
				},
			},
			"ledger",
		],
		config: { server: { bodyLimitBytes: 100_000 } },
	});
});
afterAll(() => gateway.stop());

interface Dialect {
	readonly name: string;
	readonly path: (model?: string) => string;
	readonly good: Record<string, unknown>;
	/** Checks the shape and gives what the kind of the error is called there. */
	readonly kindOf: (body: unknown) => string;
	/** Statuses that differ from the usual. */
	readonly statuses?: Readonly<Record<string, number>>;
	/** Bodies that are wrong in this protocol's own way. */
	readonly wrong: Readonly<Record<string, unknown>>;
}

const text = (value: unknown): string => {
	expect(typeof value).toBe("string");
	return asText(value) ?? "";
};

const dialects: readonly Dialect[] = [
	{
		name: "responses",
		path: () => "/v1/responses",
		good: { model: "demo", input: "Hello" },
		kindOf(body) {
			const error = asRecord(asRecord(body)["error"]);
			expect(text(error["message"]).length).toBeGreaterThan(10);
			expect(error).toHaveProperty("param");
			return text(error["code"] ?? error["type"]);
		},
		wrong: {
			"no input": { input: undefined },
			"input that is a number": { input: 7 },
			"an unknown role": { input: [{ role: "wizard", content: "x" }] },
			"content that is a number": { input: [{ role: "user", content: 7 }] },
			"max_output_tokens 0": { max_output_tokens: 0 },
			"max_output_tokens 1.5": { max_output_tokens: 1.5 },
			'max_output_tokens "5"': { max_output_tokens: "5" },
			'stream "true"': { stream: "true" },
			"a model that is a number": { model: 7 },
			"no model": { model: undefined },
		},
	},
	{
		name: "messages",
		path: () => "/v1/messages",
		good: { model: "demo", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
		kindOf(body) {
			const { type, error, request_id: id } = asRecord(body);
			expect(type).toBe("error");
			expect(text(id)).not.toBe("");
			expect(text(asRecord(error)["message"]).length).toBeGreaterThan(10);
			return text(asRecord(error)["type"]);
		},
		statuses: { quota: 402 },
		wrong: {
			"no messages": { messages: undefined },
			"empty messages": { messages: [] },
			"messages that are no list": { messages: {} },
			"an unknown role": { messages: [{ role: "wizard", content: "x" }] },
			"content that is a number": { messages: [{ role: "user", content: 7 }] },
			"max_tokens -1": { max_tokens: -1 },
			"max_tokens 1.5": { max_tokens: 1.5 },
			'max_tokens "5"': { max_tokens: "5" },
			'stream "true"': { stream: "true" },
			"a model that is a number": { model: 7 },
			"no model": { model: undefined },
		},
	},
	{
		name: "generate-content",
		path: (model = "demo") => `/v1beta/models/${model}:generateContent`,
		good: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
		kindOf(body) {
			const error = asRecord(asRecord(body)["error"]);
			expect(typeof error["code"]).toBe("number");
			expect(text(error["message"]).length).toBeGreaterThan(10);
			return text(error["status"]);
		},
		wrong: {
			"no contents": { contents: undefined },
			"empty contents": { contents: [] },
			"contents that are a number": { contents: 7 },
			"an unknown role": { contents: [{ role: "wizard", parts: [{ text: "x" }] }] },
			"parts that are no list": { contents: [{ role: "user", parts: 7 }] },
			"maxOutputTokens 0": { generationConfig: { maxOutputTokens: 0 } },
			"maxOutputTokens 1.5": { generationConfig: { maxOutputTokens: 1.5 } },
			'maxOutputTokens "five"': { generationConfig: { maxOutputTokens: "five" } },
			"a candidateCount of 10000": { generationConfig: { candidateCount: 10_000 } },
		},
	},
];

const deep = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

for (const { name, path, good, kindOf, statuses, wrong } of dialects)
	describe(name, () => {
		const post = (body: string | Uint8Array, headers: Record<string, string> = {}, at = path()): Promise<Response> =>
			fetch(gateway.url + at, {
				method: "POST",
				body: body as BodyInit,
				headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json", ...headers },
			});
		const refused = async (response: Response, status: number): Promise<string> => {
			const body = await response.text();
			expect({ status: response.status, body: response.status === status ? "" : body }).toEqual({ status, body: "" });
			expect(response.headers.get("content-type")).toStartWith("application/json");
			expect(response.headers.get("x-request-id")).toMatch(/^[\w.:-]+$/);
			for (const secret of [gateway.key, gateway.adminToken]) expect(body).not.toContain(secret);
			return kindOf(JSON.parse(body));
		};
		const asJson = (change: object): string => JSON.stringify({ ...good, ...change });
		const withKey = (key: string, at?: string) => post(JSON.stringify(good), { authorization: `Bearer ${key}` }, at);

		test("what is right is answered", async () => {
			expect((await post(JSON.stringify(good))).status).toBe(200);
		});

		test.each([...wrongKeys])("%s: 401", async (_, headers) => {
			const kind = await refused(await post(JSON.stringify(good), headers), 401);
			expect(kind).toMatch(/invalid_api_key|authentication_error|UNAUTHENTICATED/);
		});

		test.each([
			["empty", ""],
			["not JSON", "hello"],
			["truncated", JSON.stringify(good).slice(0, -2)],
			["with trailing garbage", `${JSON.stringify(good)} x`],
			["with NaN", `${JSON.stringify(good).slice(0, -1)},"temperature":NaN}`],
			["with a comment", `/* hi */${JSON.stringify(good)}`],
			["an array", "[]"],
			["a string", '"hello"'],
			["a number", "7"],
			["null", "null"],
			["65 levels deep", `{"a":${deep(65)}}`],
			["40,000 levels deep", `{"a":${deep(40_000)}}`],
			["with a field twice", `{"tools":[],"tools":[],${JSON.stringify(good).slice(1)}`],
			["with 1e400", `${JSON.stringify(good).slice(0, -1)},"temperature":1e400}`],
			["with a byte order mark", `\ufeff${JSON.stringify(good)}`],
		])("a body that is %s: 400", async (label, body) => {
			// A field that is given twice matters only where two readers could read it differently.
			if (label === "with a field twice") {
				const twice = JSON.stringify(good).slice(1);
				const field = Object.keys(good)[0] ?? "";
				await refused(await post(`{${JSON.stringify(field)}:"x",${twice}`), 400);
				return;
			}
			if (label === "with 1e400") {
				expect((await post(body)).status).toBeLessThan(500);
				return;
			}
			expect(await refused(await post(body), 400)).toMatch(/invalid|missing|INVALID_ARGUMENT/);
		});

		test("bytes that are no UTF-8: 400", async () => {
			await refused(await post(new Uint8Array([0x7b, 0xff, 0x7d])), 400);
		});

		test.each(Object.entries(wrong))("%s: 400", async (_, change) => {
			expect(await refused(await post(asJson(change as object)), 400)).toMatch(
				/invalid|missing|unsupported|INVALID_ARGUMENT/,
			);
		});

		test("__proto__ and constructor are data, and change nothing", async () => {
			const body = `${JSON.stringify(good).slice(0, -1)},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}`;
			expect((await post(body)).status).toBeLessThan(500);
			expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
		});

		test("too large, declared: 413; another media type: 415", async () => {
			await refused(await post(asJson({ padding: "x".repeat(200_000) })), 413);
			await refused(await post(JSON.stringify(good), { "content-type": "text/plain" }), 415);
			await refused(await post(JSON.stringify(good), { "content-type": "application/json; charset=utf-16" }), 415);
			await refused(await post(JSON.stringify(good), { "content-encoding": "br" }), 415);
		});

		test("an unknown model, and one the token may not use: 404, in the same words", async () => {
			const asks = (model: string, headers?: Record<string, string>) =>
				post("model" in good ? asJson({ model }) : JSON.stringify(good), headers, path(model));
			await refused(await asks("no-such-model"), 404);
			const { key } = await gateway.token({ models: ["demo"] });
			const kind = await refused(await asks("other", { authorization: `Bearer ${key}` }), 404);
			expect(kind).toMatch(/model_not_found|not_found_error|NOT_FOUND/);
			for (const model of ["DEMO", "demo%20", " demo"])
				expect((await asks(model, { authorization: `Bearer ${key}` })).status).toBeOneOf([400, 404]);
		});

		test("an address that is not on the list: 403; a forged X-Forwarded-For does not help", async () => {
			const { key } = await gateway.token({ ips: ["10.9.8.7"] });
			const kind = await refused(
				await post(JSON.stringify(good), { authorization: `Bearer ${key}`, "x-forwarded-for": "10.9.8.7" }),
				403,
			);
			expect(kind).toMatch(/ip_not_allowed|permission_error|PERMISSION_DENIED/);
		});

		test("a token that has expired: 401", async () => {
			const { key } = await gateway.token({ expiresAt: "2020-01-01T00:00:00Z" });
			await refused(await withKey(key), 401);
		});

		test("a quota below what the call may cost", async () => {
			const { key } = await gateway.token({ quota: 0 });
			const response = await withKey(key);
			expect(response.status).toBeOneOf([statuses?.["quota"] ?? 429, 403]);
			kindOf(await response.json());
		});

		test("more than a minute may bring: 429 with retry-after", async () => {
			const { key } = await gateway.token({ rateLimit: { requestsPerMinute: 1 } });
			expect((await withKey(key)).status).toBe(200);
			const response = await withKey(key);
			expect(Number(response.headers.get("retry-after"))).toBeWithin(1, 61);
			expect(await refused(response, 429)).toMatch(/rate_limit|RESOURCE_EXHAUSTED/);
		});

		test.each(["GET", "PUT", "DELETE", "PATCH"])("%s: 405 or 404, never an answer", async (method) => {
			const response = await fetch(gateway.url + path(), {
				method,
				headers: { authorization: `Bearer ${gateway.key}` },
			});
			expect(response.status).toBeOneOf([404, 405]);
			kindOf(await response.json());
		});

		test("an address nearby that is none: 404", async () => {
			const nearby = path().replace(/\/models\/.*|$/, "/no/such/address");
			await refused(await post(JSON.stringify(good), {}, nearby), 404);
		});

		test("header values with control characters in the body go nowhere they could split anything", async () => {
			const response = await post(asJson({ user: "a\r\nx-evil: 1", metadata: { user_id: "a\r\nx-evil: 1" } }));
			expect(response.status).toBeLessThan(500);
			expect(response.headers.get("x-evil")).toBeNull();
		});

		test("afterwards all is well, and no rule or route has failed", async () => {
			expect((await post(JSON.stringify(good))).status).toBe(200);
			expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
		});
	});

test.each([
	"/v1beta/models/..%2f..:generateContent",
	"/v1beta/models/a:b:c",
	"/v1beta/models/%00:generateContent",
	"/v1beta/models/../../admin/tokens:generateContent",
])("%s reaches nothing", async (path) => {
	const response = await gateway.ask(path, { contents: [{ parts: [{ text: "x" }] }] });
	expect(response.status).toBeOneOf([400, 404, 405]);
});
