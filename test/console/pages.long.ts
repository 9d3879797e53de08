/** Every page as an admin sees it: by its address, light, dark and narrow, with nothing that axe complains of. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { sql } from "drizzle-orm";
import type { Browser, Page } from "playwright-core";
import type { TestGateway } from "#core/testing";
import { hasBrowser, launch, openWindow, patience, type Watched } from "./browser.ts";
import { fillWithDemo } from "./demo-data.ts";
import { joined, password, startShipped } from "./world.ts";

setDefaultTimeout(patience);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const looks = [
	{ name: "light", look: {} },
	{ name: "dark", look: { dark: true } },
	{ name: "narrow", look: { width: 390, height: 800 } },
] as const;

/** As long as names may be, without a place to break. */
const unbroken = "unbroken".repeat(12);

const names = ["Tokens", "Usage", "Calls", "Tasks", "Callbacks", "Playground", "Models", "Config", "People"] as const;

/** What axe finds, in short. */
const complaints = async (page: Page, look = ""): Promise<readonly string[]> => {
	// Not as a script of the page, which its policy would refuse.
	await page.evaluate(axe);
	// The dark page is the light one in other colours.
	return await page.evaluate(async (dark) => {
		const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
		const run = (
			globalThis as unknown as {
				axe: {
					run(node: Document, options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
				};
			}
		).axe;
		const { violations } = await run.run(document, { runOnly: dark ? ["color-contrast"] : tags });
		return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)}`);
	}, look === "dark");
};

/** By how much the page, or the dialog that is open, is wider than what shows it. */
const sideways = (page: Page): Promise<number> =>
	page.evaluate(() => {
		const shown = [document.documentElement, ...document.querySelectorAll("dialog[open]")];
		return Math.max(...shown.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
	});

/** On the narrowest screen that WCAG asks for (1.4.10) nothing scrolls sideways either. */
const narrowest = async (page: Page): Promise<number> => {
	const before = page.viewportSize();
	await page.setViewportSize({ width: 320, height: 640 });
	const found = await sideways(page);
	if (before) await page.setViewportSize(before);
	return found;
};

/** Polls run all the time; a page is there when it shows its heading and something below. */
const settled = async (page: Page, title: string): Promise<void> => {
	await page.getByRole("heading", { level: 1, name: title }).waitFor();
	await page.locator("main :is(table, .empty, form, .panel)").first().waitFor();
	await page.locator("[aria-busy=true]").waitFor({ state: "detached" });
};

describe.skipIf(!hasBrowser)("a page of the console", () => {
	let gateway: TestGateway;
	let browser: Browser;
	const windows = new Map<string, Watched>();

	beforeAll(async () => {
		gateway = await startShipped();
		await fillWithDemo(gateway, Date.now());
		await gateway.ask("/v1/chat/completions", { model: "demo", messages: [{ role: "user", content: "Hello" }] });
		await gateway.ask("/v1/chat/completions", { model: "none", messages: [{ role: "user", content: "Hello" }] });
		const { id, key } = await gateway.token({ name: unbroken, models: [unbroken], quota: 1234.5 });
		await gateway.ask(
			"/v1/chat/completions",
			{ model: unbroken, messages: [] },
			{ headers: { authorization: `Bearer ${key}` } },
		);
		await joined(gateway, "Ada", "admin");
		await joined(gateway, unbroken.slice(0, 60), "member");
		await gateway.store.write([
			sql`UPDATE tokens SET owner = (SELECT id FROM persons WHERE role = 'member') WHERE id = ${id}`,
		]);
		browser = await launch();
		for (const { name, look } of looks) {
			const window = await openWindow(browser, gateway.url, look);
			windows.set(name, window);
			await window.page.goto("/console");
			await window.page.getByLabel("Name").fill("Ada");
			await window.page.getByLabel("Password").fill(password);
			await window.page.keyboard.press("Enter");
			await settled(window.page, "Tokens");
		}
	});
	afterAll(async () => {
		await browser.close();
		await gateway.stop();
	});

	const pageIn = (look: string): Page => {
		const window = windows.get(look);
		if (!window) throw new Error(`no window is ${look}`);
		return window.page;
	};

	test.each(names.flatMap((name) => looks.map(({ name: look }) => [name, look] as const)))(
		"%s, %s, loads by its address, fits, and axe finds nothing",
		async (name, look) => {
			const page = pageIn(look);
			await page.goto(`/console/${name.toLowerCase()}`);
			await settled(page, name);
			expect(await page.locator("main").count()).toBe(1);
			expect(await page.locator("h1").count()).toBe(1);
			expect(await page.locator("nav a[aria-current=page]").textContent()).toStartWith(name);
			expect(await sideways(page)).toBe(0);
			expect(await complaints(page, look)).toEqual([]);
			if (look === "narrow") expect(await narrowest(page)).toBe(0);
		},
	);

	test.each([1360, 1141, 1140, 901])("no table hides a column on a screen of %d points", async (width) => {
		const page = pageIn("light");
		const before = page.viewportSize();
		await page.setViewportSize({ width, height: 820 });
		for (const name of names) {
			await page.goto(`/console/${name.toLowerCase()}`);
			await settled(page, name);
			const hidden = await page
				.locator("section.table")
				.evaluateAll((tables) => tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
			expect([name, Math.max(0, ...hidden)]).toEqual([name, 0]);
		}
		if (before) await page.setViewportSize(before);
	});

	test.each(looks.map(({ name }) => name))("dialogs and sheets, %s, fit, and axe finds nothing", async (look) => {
		const page = pageIn(look);
		await page.goto("/console/tokens");
		await page.getByRole("button", { name: "Create token" }).click();
		await page.getByLabel(/^Quota/).waitFor();
		expect(await complaints(page)).toEqual([]);
		expect([await sideways(page), await narrowest(page)]).toEqual([0, 0]);
		await page.keyboard.press("Escape");
		await page.getByRole("link", { name: unbroken }).click();
		await page.getByRole("dialog").getByText("Created").waitFor();
		expect(await complaints(page)).toEqual([]);
		for (const name of ["Edit", "Cancel", "Rotate", "Cancel", "Delete"]) {
			await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
			expect([name, await sideways(page), await narrowest(page)]).toEqual([name, 0, 0]);
		}
		await page.keyboard.press("Escape");
		await page.keyboard.press("Escape");
		// "Sign out" stands in one line too.
		const lines = await page.getByRole("button", { name: "Sign out", exact: true }).evaluate((one) => {
			const letters = document.createRange();
			letters.selectNodeContents(one);
			return letters.getClientRects().length;
		});
		expect(lines).toBe(1);
		await page.getByRole("button", { name: "Account" }).click();
		expect(await page.getByRole("dialog").getByRole("heading", { name: "Ada" }).isVisible()).toBe(true);
		expect([await sideways(page), await narrowest(page)]).toEqual([0, 0]);
		await page.goto("/console/people");
		await page.getByRole("button", { name: "Disable Ada" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).waitFor();
		expect(await complaints(page)).toEqual([]);
		expect([await sideways(page), await narrowest(page)]).toEqual([0, 0]);
		await page.goto("/console/calls");
		await page.locator("main [data-row]").first().click();
		await page.getByRole("dialog").getByText("What was tried").waitFor();
		expect(await complaints(page)).toEqual([]);
		expect(await sideways(page)).toBe(0);
	});

	test("the way in, in every look, is as good", async () => {
		for (const { look } of looks) {
			const { page, context, wrongs } = await openWindow(browser, gateway.url, look);
			const [ada] = (await gateway.admin("GET", "/admin/people"))["data"] as { id: string }[];
			const linkFor = async (terms: object): Promise<string> =>
				String((await gateway.admin("POST", "/admin/invitations", terms))["link"]);
			for (const [path, title] of [
				["/console", "Sign in"],
				[await linkFor({}), "Welcome to Portico"],
				[await linkFor({ person: ada?.id }), "Another password for Ada"],
				["/console/join#abc", "This link is not valid"],
			] as const) {
				// What follows a # alone would load nothing anew.
				await page.goto("/livez");
				await page.goto(path);
				await page.getByRole("heading", { name: title }).waitFor();
				expect(await complaints(page)).toEqual([]);
				expect(await sideways(page)).toBe(0);
			}
			expect(wrongs).toEqual([]);
			await context.close();
		}
	});

	test("nothing was asked of others, refused by the policy or thrown", () => {
		expect([...windows.values()].flatMap(({ wrongs }) => wrongs)).toEqual([]);
	});
});
