/** A submission whose answer was lost is asked for again by its key, also when what it cost was the last of a quota. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { stopAll, submit, world } from "../../test/support/scripted-tasks.ts";

beforeEach(resetScript);
afterEach(stopAll);

test("the last task that a quota was spent on is given again, and nothing else", async () => {
	const at = await world({
		more: ["quota", "ledger", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }],
	});
	scripted.submit = async () => ({ outcome: "done", made });
	const { key } = await at.token({ quota: 0.5 });
	const as = (name: string): RequestInit => ({
		headers: { authorization: `Bearer ${key}`, "idempotency-key": name },
	});
	const first = await submit(at, {}, as("one"));
	expect(first.status).toBe(202);
	await at.pass(3000, 500);

	const again = await submit(at, {}, as("one"));
	expect([again.status, again.body["id"], again.body["status"]]).toEqual([202, first.body["id"], "SUCCESS"]);
	expect(await at.store.all(sql`SELECT ending FROM ledger`)).toEqual([{ ending: "completed" }]);

	expect((await submit(at, { prompt: "a dog" }, as("one"))).status).toBe(409);
	expect((await submit(at, {}, as("two"))).status).toBe(429);
	expect((await submit(at, {}, { headers: { authorization: `Bearer ${key}` } })).status).toBe(429);
	expect(scripted.submitted).toHaveLength(1);
});
