/** What a caller hears at an address that is not served, and with a key that is not known, through the front door. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"embeddings",
			"responses",
			"messages",
			"generate-content",
			"tasks",
			"video",
			"image",
			"webhooks",
			"demo",
			{ use: "router", with: { models: [{ name: "m", targets: [{ upstream: "demo", model: "demo" }] }] } },
		],
	});
});
afterAll(() => gateway.stop());

const get = async (path: string, headers: Record<string, string>) => {
	const response = await fetch(gateway.url + path, { headers });
	return { status: response.status, body: await response.json() };
};

describe("an address that is not served", () => {
	test.each(["/v1/skills", "/v1/evals", "/skills"])("%s, asked with a bearer: in OpenAI's shape", async (path) => {
		const { status, body } = await get(path, { authorization: `Bearer ${gateway.key}` });
		expect({ status, body }).toEqual({
			status: 404,
			body: {
				error: {
					message: `GET ${path} is not served here; GET /openapi.json lists what is.`,
					type: "invalid_request_error",
					param: null,
					code: "not_found",
				},
			},
		});
	});

	test("for Anthropic's client in Anthropic's shape", async () => {
		const { status, body } = await get("/v1/skills", { "anthropic-version": "2023-06-01", "x-api-key": gateway.key });
		expect(status).toBe(404);
		expect(body).toMatchObject({
			type: "error",
			error: {
				type: "not_found_error",
				message: "GET /v1/skills is not served here; GET /openapi.json lists what is.",
			},
		});
	});

	test("for Google's client in Google's shape, and the key in its query is not repeated", async () => {
		for (const [path, headers] of [
			["/v1/skills", { "x-goog-api-key": gateway.key }],
			[`/v1/skills?key=${gateway.key}`, {}],
		] as const) {
			const { status, body } = await get(path, headers);
			expect(status).toBe(404);
			expect(body).toMatchObject({
				error: {
					code: 404,
					status: "NOT_FOUND",
					message: "GET /v1/skills is not served here; GET /openapi.json lists what is.",
				},
			});
		}
	});

	test.each([
		["/v1/conversations/conv_1/items", "send the whole conversation, or previous_response_id, to POST /v1/responses"],
		["/v1/files", "there is no file store"],
		["/v1beta/files", "there is no file store"],
		["/openai/v1/uploads", "there is no file store"],
		["/v1/messages/batches", "send each request by itself"],
		["/v1/threads/thread_1/runs", "ask by POST /v1/responses"],
		["/v1beta/interactions", "ask by POST /v1beta/models/MODEL:generateContent"],
		["/v1/realtime/client_secrets", "send sound to POST /v1/chat/completions"],
		["/v1/images/variations", "change a picture by POST /v1/images/edits"],
	])("%s, which clients' libraries have: with what to do in its place", async (path, advice) => {
		const answer = await gateway.ask(path, {});
		expect(answer.status).toBe(404);
		expect(await answer.text()).toContain(`is not served here: ${advice}`);
	});

	test("is told with the page that lists those that are, which needs no key", async () => {
		const response = await gateway.ask("/v2/chat", { model: "m", messages: [{ role: "user", content: "Hi" }] });
		expect(response.status).toBe(404);
		const said = await response.text();
		expect(said).toContain("POST /v2/chat is not served here; GET /openapi.json lists what is.");
		const listed = await get("/openapi.json", {});
		expect(Object.keys(listed.body.paths)).toContain("/v1/chat/completions");
	});

	test("a method that the path does not have is named with those it has", async () => {
		const { status, body } = await get("/v1/chat/completions", { authorization: `Bearer ${gateway.key}` });
		expect(status).toBe(405);
		expect(body).toMatchObject({
			error: { message: "GET /v1/chat/completions is not served here; this address takes POST." },
		});
	});

	test("a key that got into the path is not repeated, and a long path is cut", async () => {
		const { body } = await get(`/v1/${gateway.key}`, { authorization: `Bearer ${gateway.key}` });
		expect(JSON.stringify(body)).not.toContain(gateway.key.slice(0, 12));
		const long = await get(`/v1/${"x".repeat(5000)}`, { authorization: `Bearer ${gateway.key}` });
		expect(JSON.stringify(long.body).length).toBeLessThan(500);
	});
});

describe("a key that is not known", () => {
	test.each(["/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/chat/completions"])(
		"at %s begins with OpenAI's words and is not repeated",
		async (path) => {
			const key = "sk-proj-0123456789abcdefghij";
			const response = await gateway.ask(path, { model: "m" }, { headers: { authorization: `Bearer ${key}` } });
			const text = await response.text();
			expect(response.status).toBe(401);
			expect(JSON.parse(text)).toMatchObject({
				error: { message: expect.stringMatching(/^Incorrect API key provided/), code: "invalid_api_key" },
			});
			expect(text).not.toContain("0123456789");
			expect(response.headers.get("x-should-retry")).toBe("false");
		},
	);

	test("at /v1/models too", async () => {
		const { status, body } = await get("/v1/models", { authorization: "Bearer sk-wrong" });
		expect(status).toBe(401);
		expect(body).toMatchObject({ error: { message: expect.stringMatching(/^Incorrect API key provided/) } });
	});
});

describe("the list of models, whose address three protocols share", () => {
	const anthropic = { "anthropic-version": "2023-06-01" };

	test("a model that there is none of: for each client in its own shape", async () => {
		for (const path of ["/v1/models/nope", "/models/nope"]) {
			const asked = await get(path, { ...anthropic, "x-api-key": gateway.key });
			expect(asked).toMatchObject({ status: 404, body: { type: "error", error: { type: "not_found_error" } } });
		}
		const google = await get("/v1/models/nope", { "x-goog-api-key": gateway.key });
		expect(google).toMatchObject({ status: 404, body: { error: { code: 404, status: "NOT_FOUND" } } });
		const other = await get("/v1/models/nope", { authorization: `Bearer ${gateway.key}` });
		expect(other).toMatchObject({ status: 404, body: { error: { code: "model_not_found", param: "model" } } });
	});

	test("a key that is not known: for each client in its own shape", async () => {
		const asked = await get("/v1/models", { ...anthropic, "x-api-key": "sk-wrong" });
		expect(asked).toMatchObject({ status: 401, body: { type: "error", error: { type: "authentication_error" } } });
		const google = await get("/v1/models?key=sk-wrong", {});
		expect(google.body).toMatchObject({ error: { code: google.status, status: expect.any(String) } });
	});
});
