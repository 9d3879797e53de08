/** Names of tokens are shown in terminals, logs and pages: they hold no control characters, and something to see and to click on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await startGateway({ plugins: ["tokens"] });
});
afterAll(() => gateway.stop());

const ask = async (method: string, path: string, body: object): Promise<number> =>
	(await gateway.ask(path, body, { method, headers: { authorization: `Bearer ${gateway.adminToken}` } })).status;

test.each(["a\nb", "\u001b[2J", "x\u0085", " ", "\u3000\u00a0"])(
	"%j is refused, at creation and at a change",
	async (name) => {
		const { id } = await gateway.token();
		expect(await ask("POST", "/admin/tokens", { name })).toBe(400);
		expect(await ask("PATCH", `/admin/tokens/${id}`, { name })).toBe(400);
	},
);

test("other letters are names", async () => {
	expect(await ask("POST", "/admin/tokens", { name: "Zoë's laptop 🐈 – büro" })).toBe(201);
});
