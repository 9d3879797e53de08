/** The client's own user as a tag: only where the operator wants it, in each protocol's field. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway, type TestGateway } from "#core/testing";

const start = (ledger: object): Promise<TestGateway> =>
	startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			"responses",
			"demo",
			{ use: "ledger", with: ledger },
			{ use: "router", with: { models: [{ name: "m", targets: [{ upstream: "demo", model: "demo" }] }] } },
		],
	});

let keeping: TestGateway;
let plain: TestGateway;
beforeAll(async () => {
	keeping = await start({ endUser: true, tags: ["app"] });
	plain = await start({});
});
afterAll(async () => {
	await keeping.stop();
	await plain.stop();
});

const messages = [{ role: "user", content: "hello" }];
const calls: readonly (readonly [string, object, string | undefined])[] = [
	["/v1/chat/completions", { messages, user: "ann@example.org" }, "ann@example.org"],
	["/v1/chat/completions", { messages, user: "ann", safety_identifier: "hash-1" }, "hash-1"],
	["/v1/messages", { messages, max_tokens: 9, metadata: { user_id: "bob" } }, "bob"],
	["/v1/responses", { input: "hello", safety_identifier: "hash-2" }, "hash-2"],
	["/v1/chat/completions", { messages, user: "x".repeat(400) }, "x".repeat(128)],
	["/v1/chat/completions", { messages }, undefined],
];

const tagsOf = async (gateway: TestGateway, path: string, body: object) => {
	const response = await gateway.ask(path, { model: "m", ...body }, { headers: { "x-portico-tags": "app=web" } });
	await response.text();
	expect(response.status).toBe(200);
	return (await gateway.admin("GET", `/admin/calls/${response.headers.get("x-request-id")}`))["tags"];
};

describe("a call's user", () => {
	for (const [path, body, user] of calls)
		test(`${path} ${JSON.stringify(body).slice(0, 90)}`, async () => {
			expect(await tagsOf(keeping, path, body)).toEqual({ app: "web", ...(user !== undefined && { end_user: user }) });
			expect(await tagsOf(plain, path, body)).toEqual({});
		});

	test("has sums of its own", async () => {
		const { data } = await keeping.admin("GET", "/admin/usage?by=tag:end_user");
		const users = asList(data).map((sum) => asRecord(sum)["tag:end_user"]);
		expect(users.toSorted()).toEqual(["ann@example.org", "bob", "hash-1", "hash-2", "x".repeat(128), null].toSorted());
	});

	test("of a request that cannot be read stops nothing but that request", async () => {
		const response = await keeping.ask("/v1/chat/completions", { model: "m", messages: "none" });
		expect(response.status).toBe(400);
	});
});
