/** A gateway of tasks alone, without a router: who is refused there is a row of the ledger as anywhere. */
import { expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway } from "#core/testing";

test("a refusal at the door is a row where no plugin gives a router", async () => {
	const gateway = await startGateway({ plugins: ["tokens", "expiry", "ledger", "demo", "webhooks", "tasks", "image"] });
	try {
		const { key } = await gateway.token({ expiresAt: "2001-01-01T00:00:00Z" });
		const order = { kind: "image", model: "demo-image", prompt: "A lighthouse." };
		for (const wrong of [key, "sk-nobodys"])
			expect((await gateway.ask("/v1/tasks", order, { headers: { authorization: `Bearer ${wrong}` } })).status).toBe(
				401,
			);
		const rows = asList((await gateway.admin("GET", "/admin/calls"))["data"]).map(asRecord);
		expect(rows.map(({ status, operation }) => [status, operation])).toEqual([
			[401, "task"],
			[401, "task"],
		]);
	} finally {
		await gateway.stop();
	}
});
