/** An operator in haste: a key has leaked, a bill has grown, and buttons are clicked twice. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Locator } from "playwright-core";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";
import { joined } from "./world.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("an operator in haste", () => {
	let at: Journey;
	beforeAll(async () => {
		at = await startJourney();
	});
	afterAll(() => at.stop());

	/** The second click comes when what the first one did is seen, within the time in which two make a double click. */
	const clickTwice = async (button: Locator, between: Locator): Promise<void> => {
		const box = await button.boundingBox();
		if (!box) throw new Error("the button is not on the screen");
		const { mouse } = at.page;
		await mouse.move(box.x + box.width / 2, box.y + 3);
		await mouse.down({ clickCount: 1 });
		await mouse.up({ clickCount: 1 });
		await between.waitFor();
		await mouse.down({ clickCount: 2 });
		await mouse.up({ clickCount: 2 });
	};

	test("finds the token of a leaked key by the key, which is sent nowhere", async () => {
		const { key } = await at.gateway.token({ name: "leaked" });
		await at.gateway.token({ name: "another" });
		const asked: string[] = [];
		at.page.on("request", (request) => asked.push(request.url()));
		// As where there are more tokens than a page shows, so that the server is asked too.
		await at.page.route(/tokens\?limit=1000$/, async (route) => {
			const answer = (await (await route.fetch()).json()) as object;
			await route.fulfill({ json: { ...answer, hasMore: true } });
		});
		await at.go("Tokens");
		await at.page.getByLabel("Find a token").fill(` ${key}\n`);
		await at.page.getByRole("link", { name: "another" }).waitFor({ state: "detached" });
		await at.page.getByRole("link", { name: "leaked" }).click();
		await clickTwice(at.button("Disable"), at.button("Enable"));
		await at.sheet().locator(".state", { hasText: "Disabled" }).waitFor();
		expect(await at.answers(key)).toBe(401);
		expect(asked.filter((url) => url.includes(key))).toEqual([]);
		await at.page.unroute(/tokens\?limit=1000$/);
	});

	test("sees whose calls a bill grew by", async () => {
		const [grown, steady] = [await at.gateway.token({ name: "grown" }), await at.gateway.token({ name: "steady" })];
		const hourMs = 3_600_000;
		const charged = (token: string, hoursAgo: number, dollars: number) =>
			sql`INSERT INTO ledger (id, at, token, model, upstream, ending, cost, excess, detail, input_tokens, cached_tokens, output_tokens, reasoning_tokens)
				VALUES (${`${token}-${hoursAgo}`}, ${Date.now() - hoursAgo * hourMs}, ${token}, 'dear', 'far', 'completed', ${dollars * 1e6}, 0, '{}', 1, 0, 1, 0)`;
		await at.gateway.store.write([
			...[charged(grown.id, 30, 1), charged(grown.id, 2, 7)],
			...[charged(steady.id, 30, 2), charged(steady.id, 2, 2)],
		]);
		await at.page.goto("/console/usage?period=day");
		await at.page.getByRole("row", { name: /grown.*\$7\.00/ }).waitFor();
		// The ledger began in the time before: with less than a whole one nothing is compared.
		expect(await at.page.getByText(/before \$/).count()).toBe(0);
		await at.gateway.store.write([charged(steady.id, 60, 1)]);
		await at.page.reload();
		await at.page.getByText(", before $0.13").waitFor();
		await at.page.getByRole("row", { name: /grown.*\$7\.00 before \$1\.00/ }).waitFor();
		await at.page.getByRole("row", { name: /dear.*\$9\.00 before \$3\.00/ }).waitFor();
		expect(await at.page.getByRole("row", { name: /steady/ }).textContent()).not.toContain("before");
	});

	test("goes from the sums to the person who spent, and from their token to them", async () => {
		const people = (await at.gateway.admin("GET", "/admin/people"))["data"] as Record<string, unknown>[];
		const ada = String(people.find(({ name }) => name === "Ada")?.["id"]);
		const { id, key } = await at.gateway.token({ name: "of Ada", owner: ada });
		await at.speak(key);
		await at.page.goto("/console/usage");
		await at.page.getByRole("region", { name: "By person" }).getByRole("link", { name: "Ada" }).click();
		await at.sheet().getByLabel("Ceiling").waitFor();
		await at.page.waitForURL(`**/console/people/${ada}`);
		await at.button("Close").click();
		await at.page.waitForURL("**/console/people");
		await at.page.goto(`/console/tokens/${id}`);
		await at.sheet().getByRole("link", { name: "Ada" }).click();
		await at.sheet().getByLabel("Ceiling").waitFor();
		await at.page.goto("/console/people/per_nobody");
		await at.sheet().getByText("There is no such person").waitFor();
		await at.button("Close").click();
	});

	test("disables a person by two clicks too", async () => {
		await joined(at.gateway, "Mallory", "member");
		await at.go("People");
		const button = (verb: string) => at.page.getByRole("button", { name: `${verb} Mallory` });
		await clickTwice(button("Disable"), at.button("Cancel"));
		await clickTwice(at.button("Disable"), button("Enable"));
		// Whatever the second click asks for is asked before this answer.
		await at.go("People");
		await at.page.getByRole("row", { name: /Mallory.*Disabled/ }).waitFor();
	});

	test("does not put away a key that nobody has read, on a phone", async () => {
		const before = at.page.viewportSize();
		await at.page.setViewportSize({ width: 360, height: 740 });
		await at.go("Tokens");
		await at.page.getByRole("button", { name: "Create token" }).click();
		await at
			.sheet()
			.getByLabel(/^Quota/)
			.waitFor();
		await at.sheet().getByLabel(/^Name/).fill("phone");
		await clickTwice(at.button("Create"), at.button("I have copied it"));
		await at.sheet().getByText(/^sk-/).waitFor();
		await at.button("I have copied it").click();
		await at.sheet().waitFor({ state: "detached" });
		if (before) await at.page.setViewportSize(before);
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
