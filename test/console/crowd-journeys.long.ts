/** Where there are many: more tokens than a page shows, and several who look after them. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Locator } from "playwright-core";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";
import { joined } from "./world.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("an operator among others", () => {
	let at: Journey;
	let ops: ScriptedUpstream;
	beforeAll(async () => {
		ops = startUpstream(() => new Response());
		const secret = `whsec_${btoa("an example, nobody's secret 1234")}`;
		at = await startJourney({ alerts: { url: `${ops.url}/ops`, secret, privateNetwork: true } });
	});
	afterAll(async () => {
		await at.stop();
		await ops.stop();
	});

	test("reads what they were told, beside whether it arrived", async () => {
		await at.gateway.admin("POST", "/admin/alerts/test");
		await until(() => ops.received.length === 1);
		await at.go("Callbacks");
		const row = at.page.getByRole("row", { name: /alert\.test.*alerts of this gateway arrive here/ });
		await row.getByRole("link", { name: "alert.test" }).click();
		await at.sheet().getByText("This is a test: alerts of this gateway arrive here.").waitFor();
		// Alerts are of no task and no token, so no link leads to one.
		expect(await at.sheet().getByRole("link").count()).toBe(0);
		await at.sheet().getByText("Delivered").waitFor();
		await at.button("Close").click();
	});

	test("finds a token among more than a page shows, and is told what was looked at", async () => {
		const { id } = await at.gateway.token({ name: "z-hidden" });
		const [shown] = (await at.gateway.admin("GET", "/admin/tokens?limit=1"))["data"] as unknown[];
		await at.page.route(/tokens\?limit=1000$/, (route) => route.fulfill({ json: { data: [shown], hasMore: true } }));
		await at.go("Tokens");
		await at.page.getByText("1 of more than 1,000").waitFor();
		await at.page.getByLabel("Find a token").fill("Z-hid");
		await at.page.getByRole("link", { name: "z-hidden" }).click();
		await at.sheet().getByText(id).waitFor();
		await at.button("Close").click();
		await at.page.getByLabel("Find a token").fill("nobody's");
		await at.page.getByText("All were looked at for how their name begins").waitFor();
		await at.page.getByRole("button", { name: "Show all tokens" }).focus();
		await at.page.keyboard.press("Enter");
		await at.page.getByText("1 of more than 1,000").waitFor();
		expect(await at.page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Find a token");
		await at.page.unroute(/tokens\?limit=1000$/);
	});

	test("keeps the tokens of one state in the address, past a reload and a look at one", async () => {
		const { id } = await at.gateway.token({ name: "stopped-one" });
		await at.gateway.admin("POST", `/admin/tokens/${id}/disable`);
		await at.go("Tokens");
		await at.page.getByText(/^Stopped \d+$/).click();
		await at.page.waitForURL("**/console/tokens?state=stopped");
		await at.page.reload();
		await at.page.getByRole("link", { name: "stopped-one" }).click();
		await at.sheet().getByText(id).waitFor();
		await at.button("Close").click();
		await at.page.waitForURL("**/console/tokens?state=stopped");
		expect(await at.page.getByRole("link", { name: "z-hidden" }).count()).toBe(0);
		await at.page.getByText(/^All \d+$/).click();
		await at.page.getByRole("link", { name: "z-hidden" }).waitFor();
		expect(at.page.url()).toBe(`${at.gateway.url}/console/tokens`);
	});

	test("changes what they changed, and not what somebody else did meanwhile", async () => {
		const { id } = await at.gateway.token({ name: "shared", quota: 5, models: ["demo"] });
		await at.page.goto(`/console/tokens/${id}`);
		await at.button("Edit").click();
		await at.sheet().getByLabel(/^Name/).fill("renamed");
		await at
			.sheet()
			.getByLabel(/Models/)
			.fill("");
		await at.gateway.admin("PATCH", `/admin/tokens/${id}`, { quota: 50, expiresAt: "2099-01-01T00:00:00Z" });
		await at.button("Save").click();
		await at.sheet().getByRole("heading", { name: "renamed" }).waitFor();
		const { name, settings } = await at.gateway.admin("GET", `/admin/tokens/${id}`);
		expect([name, settings]).toEqual(["renamed", { quota: 50, expiresAt: "2099-01-01T00:00:00Z" }]);

		await joined(at.gateway, "Rose", "member");
		const people = (await at.gateway.admin("GET", "/admin/people"))["data"] as Record<string, unknown>[];
		const path = `/admin/people/${people.find((one) => one["name"] === "Rose")?.["id"]}`;
		await at.go("People");
		await at.page.getByRole("link", { name: "Rose", exact: true }).click();
		await at.sheet().getByLabel("Ceiling").fill("3");
		await at.gateway.admin("PATCH", path, { role: "admin" });
		await at.button("Save").click();
		await at.sheet().waitFor({ state: "detached" });
		expect(await at.gateway.admin("GET", path)).toMatchObject({ role: "admin", ceiling: 3 });
	});

	test("sees what fails before hundreds of names, and finds one of these", async () => {
		const named = (name: string, upstream: string) => ({ name, targets: [{ upstream }] });
		const data = [
			...Array.from({ length: 300 }, (_, index) => named(`model-${index}`, "demo")),
			named("last", "spare"),
		];
		await at.page.route("**/admin/models", (route) => route.fulfill({ json: { data } }));
		await at.go("Models");
		await at.page.getByRole("row", { name: /model-199/ }).waitFor();
		expect(await at.page.getByRole("row", { name: /model-200/ }).count()).toBe(0);
		await at.page.getByText("200 of 301 are shown").waitFor();
		await at.page.getByRole("button", { name: "Show 200 more" }).press("Enter");
		await at.page.getByRole("row", { name: /model-299/ }).waitFor();
		expect(await at.page.getByRole("button", { name: "Show 200 more" }).count()).toBe(0);
		const top = (name: string) =>
			at.page.getByRole("heading", { level: 2, name }).evaluate((one) => one.getBoundingClientRect().top);
		expect(await top("Upstreams")).toBeLessThan(await top("Where would a call go?"));
		expect(await top("Where would a call go?")).toBeLessThan(await top("Names"));
		await at.page.keyboard.press("/");
		await at.page.keyboard.type("SPARE");
		await at.page.getByText("1 of 301").waitFor();
		await at.page.getByRole("row", { name: /last/ }).waitFor();
		await at.page.unroute("**/admin/models");
	});

	test("sees amounts of any length apart from each other", async () => {
		await at.page.route("**/admin/usage?*", async (route) => {
			const response = await route.fetch();
			const { data, ...rest } = (await response.json()) as { data: object[] };
			const dear = data.map((sum) => ({ ...sum, calls: 12_345_678_901_234, cost: 98_765_432_109_876.5 }));
			await route.fulfill({ response, json: { ...rest, data: dear } });
		});
		await at.speak((await at.gateway.token()).key);
		await at.go("Usage");
		const figures = at.page.locator(".figures dd.large");
		await figures.filter({ hasText: "98,765,432,109,876" }).waitFor();
		for (const figure of await figures.all())
			expect(await figure.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
		await at.page.unroute("**/admin/usage?*");
	});

	test("reads an amount of millions, and when a token ends, in one line", async () => {
		const lines = (where: Locator) =>
			where.evaluate((one) => {
				const letters = document.createRange();
				letters.selectNodeContents(one);
				return new Set([...letters.getClientRects()].map(({ top }) => top)).size;
			});
		const before = at.page.viewportSize();
		await at.page.setViewportSize({ width: 320, height: 640 });
		await at.page.route("**/admin/usage?*", async (route) => {
			const response = await route.fetch();
			const { data, ...rest } = (await response.json()) as { data: object[] };
			const [first = {}] = data;
			await route.fulfill({ response, json: { ...rest, data: [{ ...first, cost: 1_000_145.1 }] } });
		});
		await at.go("Usage");
		const charged = at.page.locator(".figures dd.large", { hasText: "$1,000,145.10" });
		await charged.waitFor();
		expect(await lines(charged)).toBe(1);
		await at.page.unroute("**/admin/usage?*");

		await at.page.setViewportSize({ width: 1440, height: 820 });
		const [day, models] = [86_400_000, ["demo", "gpt-*", "claude-*"]];
		const expiresAt = new Date(Date.now() + 20 * day).toISOString();
		await at.gateway.token({
			name: "a name of some length which takes what others leave it",
			quota: 5,
			models,
			expiresAt,
		});
		await at.go("Tokens");
		const row = at.page.getByRole("row", { name: /a name of some length/ });
		expect(await lines(row.locator('td[data-title="Ends"]'))).toBe(1);
		if (before) await at.page.setViewportSize(before);
	});

	test("finds a person among many, and the calls of their tokens", async () => {
		await at.gateway.store.write([
			sql`INSERT INTO persons (id, name, name_key, role, password, disabled, created_at, limits)
				WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 249)
				SELECT 'per_many_' || i, 'Guest ' || i, 'guest ' || i, 'member', 'x', 0, 1, '{}' FROM n`,
		]);
		const { id, key } = await at.gateway.token({ name: "of a guest" });
		await at.gateway.store.write([sql`UPDATE tokens SET owner = 'per_many_249' WHERE id = ${id}`]);
		await at.speak(key);
		await at.go("People");
		const persons = at.page.getByRole("region", { name: "People" }).getByRole("row");
		await at.page.getByText(/200 of 25\d are shown/).waitFor();
		expect(await persons.count()).toBe(201);
		await at.page.getByLabel("Find a person").fill("GUEST 249");
		await until(async () => (await persons.count()) === 2, "one person");
		// Nothing is left of sessions that are over, so nobody is said never to have been here.
		await persons.getByText("signed out").waitFor();
		await at.page.getByLabel("Find a person").fill("nobody");
		await at.page.getByRole("button", { name: "Show everybody" }).click();
		await at.page.getByLabel("Find a person").fill("guest 249");
		await at.page.getByRole("link", { name: "Guest 249", exact: true }).click();
		await at.sheet().getByRole("link", { name: "See the calls of their tokens" }).click();
		await at.page.getByRole("heading", { level: 1, name: "Calls" }).waitFor();
		await at.page.getByRole("button", { name: /Of Guest 249/ }).waitFor();
		await at.page.getByRole("row", { name: /of a guest/ }).waitFor();
		await at.gateway.store.write([sql`DELETE FROM persons WHERE id LIKE 'per_many_%'`]);
	});

	test("sees the dearest tokens of many, and what all others cost together", async () => {
		await at.gateway.store.write([
			sql`INSERT INTO ledger (id, at, token, model, upstream, ending, cost, excess, detail, input_tokens, cached_tokens, output_tokens, reasoning_tokens)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
				SELECT 'many_' || i, ${Date.now()}, 'tok_many_' || i, 'demo', 'demo', 'completed', 1000000 + i, 0, '{}', 1, 0, 1, 0 FROM n`,
		]);
		const asked = at.page.waitForResponse(/usage\?by=token%2Cending/);
		await at.go("Usage");
		const { data } = (await (await asked).json()) as { data: unknown[] };
		expect(data.length).toBe(100);
		const table = at.page.getByRole("region", { name: "By token" });
		await table.getByRole("link", { name: "tok_many_150" }).waitFor();
		expect(await table.getByRole("row").count()).toBe(101);
		await table.getByText(/and 5\d more for \$50.* together, all of them in the CSV/).waitFor();
	});

	test("turns pages of callbacks, and the way back leads to the page before", async () => {
		const { id } = await at.gateway.token({ name: "busy" });
		await at.gateway.store.write(
			Array.from(
				{ length: 130 },
				(
					_,
					index,
				) => sql`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
					VALUES (${`msg_${index}`}, ${id}, ${`task_${index}`}, 1, 'SUCCESS', 'https://a.example/', 'https://a.example', '{}', 'dead', ${Date.now() - index}, 1, 1)`,
			),
		);
		await at.go("Callbacks");
		await at.page.getByRole("button", { name: "Dead", exact: true }).click();
		await at.page.getByText("100 callbacks").waitFor();
		await at.page.getByRole("button", { name: "Older" }).click();
		await at.page.getByText("30 callbacks").waitFor();
		expect(await at.page.getByRole("button", { name: "Older" }).count()).toBe(0);
		await at.page.goBack();
		await at.page.getByText("100 callbacks").waitFor();
	});

	test("reads on in what was changed, and keeps what they have read in sight", async () => {
		for (let index = 0; index < 35; index++) await at.gateway.token({ name: `made ${index}` });
		await at.go("People");
		const lines = at.page.getByRole("region", { name: "Who changed what" }).getByRole("row");
		const more = at.page.getByRole("button", { name: "Show more" });
		await more.focus();
		const asked = at.page.waitForRequest(/audit\?limit=60/);
		await at.page.keyboard.press("Enter");
		await asked;
		expect(await lines.count()).toBeGreaterThanOrEqual(31);
		await lines.nth(35).waitFor();
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
