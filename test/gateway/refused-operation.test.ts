/** The row of a call that was refused before its body was read says what its route is for. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let world: TestGateway;
beforeAll(async () => {
	const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
	world = await startGateway({
		plugins: ["tokens", "expiry", "ledger", "chat-completions", "embeddings", "rerank", "demo", router],
	});
});
afterAll(() => world.stop());

/** The status of a call with this key and body, and the operation in its row. */
const operationOf = async (path: string, key: string, type: string, body: string): Promise<readonly unknown[]> => {
	const headers = { authorization: `Bearer ${key}`, "content-type": type };
	const response = await fetch(world.url + path, { method: "POST", headers, body });
	await response.body?.cancel();
	await world.admin("GET", "/admin/usage");
	const row = await world.admin("GET", `/admin/calls/${response.headers.get("x-request-id") ?? ""}`);
	return [response.status, row["operation"]];
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
