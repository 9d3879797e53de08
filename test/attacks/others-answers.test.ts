/** Promise: whoever fills the room of kept answers, by however many tokens, loses answers of their own and nobody else's. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";
import { joined } from "../support/people-world.ts";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"people",
			{ use: "responses", with: { keptBytes: 400_000, keptBytesPerToken: 60_000 } },
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		],
	});
});
afterAll(() => gateway.stop());

const ask = async (key: string, input: string, previous?: string): Promise<{ status: number; id: string }> => {
	const body = { model: "demo", input, previous_response_id: previous };
	const response = await gateway.ask("/v1/responses", body, { headers: { authorization: `Bearer ${key}` } });
	const { id } = (await response.json()) as { readonly id?: string };
	return { status: response.status, id: id ?? "" };
};

test("an answer of somebody who keeps little stays where a member fills the room by a hundred tokens", async () => {
	const { key } = await gateway.token();
	const { id } = await ask(key, "x".repeat(10_000));
	const mallory = await joined(gateway, "mallory");
	for (let number = 0; number < 100; number++) {
		const { body } = await mallory.ask("POST", "/admin/tokens", { name: "one of many" });
		expect((await ask(String(body["key"]), "x".repeat(8_000))).status).toBe(200);
	}
	expect((await ask(key, "and?", id)).status).toBe(200);
});
