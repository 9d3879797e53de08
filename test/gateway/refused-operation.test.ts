/** The row of a call that was refused before its body was read says what its route is for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let world: TestGateway;
beforeAll(async () => {
	const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	world = await startGateway({
		plugins: [
			...["tokens", "expiry", "ledger", "chat-completions", "responses", "messages", "generate-content"],
			...["embeddings", "rerank", "demo", router],
		],
	});
});
afterAll(() => world.stop());

/** The status of a call with this key and body, and the operation in its row. */
const operationOf = async (path: string, key: string, type: string, body: string): Promise<readonly unknown[]> => {
	const headers = { authorization: `Bearer ${key}`, "content-type": type };
	return await rowOf(await fetch(world.url + path, { method: "POST", headers, body }), "operation");
};

/** The status of an answer, and what its row says of these. */
const rowOf = async (response: Response, ...names: readonly string[]): Promise<readonly unknown[]> => {
	await response.body?.cancel();
	await world.admin("GET", "/admin/usage");
	const row = await world.admin("GET", `/admin/calls/${response.headers.get("x-request-id") ?? ""}`);
	return [response.status, ...names.map((name) => row[name])];
};

test.each([
	["/v1/embeddings", "embeddings"],
	["/v2/rerank", "rerank"],
	["/v1/chat/completions", "generate"],
])("%s", async (path, operation) => {
	const unknown = `sk-${"a".repeat(49)}`;
	expect(await operationOf(path, unknown, "application/json", "{}")).toEqual([401, operation]);
	expect(await operationOf(path, world.key, "text/plain", "no json")).toEqual([415, operation]);
	expect(await operationOf(path, world.key, "application/json", "{")).toEqual([400, operation]);
	const { id, key } = await world.token();
	await world.admin("POST", `/admin/tokens/${id}/disable`);
	expect(await operationOf(path, key, "application/json", "{}")).toEqual([401, operation]);
});

/** A key that is refused before anything is read. */
const disabledKey = async (): Promise<string> => {
	const { id, key } = await world.token();
	await world.admin("POST", `/admin/tokens/${id}/disable`);
	return key;
};

test.each([
	["/v1/messages", "messages", "generate"],
	["/v1/messages/count_tokens", "messages", "count_tokens"],
	["/v1/responses/input_tokens", "responses", "count_tokens"],
	["/v1/responses/compact", "responses", "compact"],
	["/v1beta/models/demo:generateContent", "generate-content", "generate"],
	["/v1beta/models/demo:countTokens", "generate-content", "count_tokens"],
	["/v1beta/demo:countTokens", "generate-content", "count_tokens"],
])("%s is of %s, to %s", async (path, protocol, operation) => {
	const refused = async (key: string, body: string) => {
		const headers = { "x-api-key": key, "content-type": "application/json" };
		return await rowOf(await fetch(world.url + path, { method: "POST", headers, body }), "protocol", "operation");
	};
	expect(await refused(await disabledKey(), "{}")).toEqual([401, protocol, operation]);
	expect(await refused(world.key, "{")).toEqual([400, protocol, operation]);
});

test.each(["/v1/models", "/v1/models/demo", "/v1beta/models", "/v1beta/models/demo"])("a list: %s", async (path) => {
	const headers = { "x-api-key": await disabledKey() };
	for (const method of ["GET", "HEAD"])
		expect(await rowOf(await fetch(world.url + path, { method, headers }), "protocol", "operation")).toEqual([
			401,
			"models",
			"models",
		]);
});

test("a route of no model is told by its plugin", async () => {
	const headers = { "x-api-key": await disabledKey() };
	expect(await rowOf(await fetch(`${world.url}/v1/responses/resp_1`, { headers }), "protocol", "operation")).toEqual([
		401,
		"responses",
		"responses",
	]);
});
