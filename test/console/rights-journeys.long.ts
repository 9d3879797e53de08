/** An invited person whose rights are few, and change while they look. A world of its own. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
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
	beforeAll(async () => {
		at = await startJourney();
		await joined(at.gateway, "Bob", "member");
		const people = (await at.gateway.admin("GET", "/admin/people"))["data"] as Record<string, unknown>[];
		person = `/admin/people/${people.find(({ name }) => name === "Bob")?.["id"]}`;
		token = (await at.gateway.token({ name: "bobs", owner: person.split("/").at(-1) })).id;
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
