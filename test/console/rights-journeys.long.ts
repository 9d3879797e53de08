/** An invited person whose rights are few, and change while they look. A world of its own. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";
import { joined } from "./world.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("a member", () => {
	let at: Journey;
	let page: Page;
	let person = "";
	let token = "";
	let key = "";
	beforeAll(async () => {
		at = await startJourney();
		await joined(at.gateway, "Bob", "member");
		const people = (await at.gateway.admin("GET", "/admin/people"))["data"] as Record<string, unknown>[];
		person = `/admin/people/${people.find(({ name }) => name === "Bob")?.["id"]}`;
		({ id: token, key } = await at.gateway.token({ name: "bobs", owner: person.split("/").at(-1) }));
		page = (await at.newWindow()).page;
		await at.signIn(page, "Bob");
	});
	afterAll(() => at.stop());

	test("is told what holds for all their tokens, and that they are the owner", async () => {
		expect(await page.getByRole("heading", { name: "All your tokens together" }).count()).toBe(0);
		await at.gateway.admin("PATCH", person, {
			ceiling: 3,
			budgets: [{ amount: 2, per: "day" }],
			limits: { models: ["demo", "fast"] },
		});
		await page.reload();
		const bounds = page.getByRole("region", { name: "All your tokens together" });
		for (const words of ["of $3.00 in all", "of $2.00 a day", "models: demo, fast"])
			await bounds.getByText(words).waitFor();
		const spent = { used: 3, budgets: [{ amount: 2, per: "day", used: 3, remaining: 0 }] };
		await page.route("**/v1/session", async (route) => {
			const told = (await (await route.fetch()).json()) as object;
			await route.fulfill({ json: { ...told, ...spent } });
		});
		await page.reload();
		// More was spent before the budget was made as small as this.
		await bounds.getByText(/^\$3\.00of \$2\.00 a day$/).waitFor();
		expect(await bounds.getByText("of $3.00 a day").count()).toBe(0);
		await page.unroute("**/v1/session");
		await page.getByRole("link", { name: "bobs" }).click();
		await page.getByRole("dialog").getByText("Bob", { exact: true }).waitFor();
		expect(await page.getByRole("dialog").getByText("per_").count()).toBe(0);
		await page.keyboard.press("Escape");
	});

	test("sees why their own callback did not arrive, from its task, and sends it again; others' they do not see", async () => {
		const order = { kind: "image", model: "demo", prompt: "A portico at dawn" };
		const asBob = { headers: { authorization: `Bearer ${key}` } };
		const { id } = (await (await at.gateway.ask("/v1/tasks", order, asBob)).json()) as { id: string };
		const { id: other } = await at.gateway.token({ name: "another's" });
		const url = `${at.hook.origin}/bobs`;
		const insert = (message: string, owner: string, subject: string) =>
			sql`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
				VALUES (${message}, ${owner}, ${subject}, 1, 'SUCCESS', ${url}, ${at.hook.origin}, '{}', 'dead', ${Date.now()}, 1, 1)`;
		await at.gateway.store.write([
			insert("msg_bobs", token, id),
			insert("msg_others", other, "task_others"),
			sql`INSERT INTO delivery_attempts (delivery, lease, number, cause, started_at, duration_ms, address, status, error)
				VALUES ('msg_bobs', '1', 1, 'schedule', ${Date.now()}, 240, '203.0.113.9', 503, 'http_503')`,
		]);
		await page.goto(`/console/tasks/${id}`);
		const callback = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "Dead" });
		await callback.getByText("status 503").waitFor();
		await callback.getByRole("link", { name: "SUCCESS" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click();
		await page.getByRole("dialog").locator(".state", { hasText: "Delivered" }).waitFor();
		expect(at.hook.received.map(({ path }) => path)).toEqual(["/bobs"]);
		await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
		await page.getByText("1 callback", { exact: true }).waitFor();
		expect(await page.getByText("operators of alerts").count()).toBe(0);
		await page.goto("/console/tokens");
	});

	test("whose ceiling is reached, or who is disabled, has no token that is said to work", async () => {
		await at.gateway.admin("PATCH", person, { ceiling: 0 });
		await page.reload();
		await page.getByRole("row", { name: /bobs.*Owner has spent all/ }).waitFor();
		await at.go("Tokens");
		await at.page.getByRole("row", { name: /bobs.*Bob.*Owner has spent all/ }).waitFor();
		await at.gateway.admin("POST", `${person}/disable`);
		await at.page.goto(`/console/tokens/${token}`);
		await at.sheet().getByText("Owner disabled").waitFor();
		await at.gateway.admin("POST", `${person}/enable`);
	});

	test("sees of a token that somebody deletes that it is gone", async () => {
		await page.goto("/console");
		await at.signIn(page, "Bob");
		await page.getByRole("link", { name: "bobs" }).click();
		await page.getByRole("dialog").getByText("Created").waitFor();
		await at.gateway.admin("DELETE", `/admin/tokens/${token}`);
		await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
		await page.getByRole("dialog").getByText("There is no token").waitFor();
		expect(
			await page
				.getByRole("dialog")
				.getByText(/Created|Working/)
				.count(),
		).toBe(0);
		await page.getByRole("dialog").getByRole("link", { name: "see them" }).click();
		await page.waitForURL(`**/console/calls?token=${token}`);
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
