/**
 * How every page looks, beside the pictures that are kept. `npm run pictures` makes them anew, for whoever has looked at
 * them: what axe finds nothing wrong with may still be black on black.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Clock } from "#core";
import type { TestGateway } from "#core/testing";
import { hasBrowser, launch, openWindow, patience } from "./browser.ts";
import { complaintAbout } from "./compare.ts";
import { fillWithDemo } from "./demo-data.ts";
import { joined, password, startShipped } from "./world.ts";

setDefaultTimeout(patience);

const keep = process.env["PORTICO_PICTURES"] === "keep";

const looks = [
	{ name: "light", look: {} },
	{ name: "dark", look: { dark: true } },
	{ name: "narrow", look: { width: 390, height: 800 } },
] as const;

const pages = ["Tokens", "Usage", "Calls", "Tasks", "Callbacks", "Playground", "Models", "Config", "People"] as const;

/** What is another each time stands as one thing: ids, ports, folders. */
const evened = (page: Page): Promise<void> =>
	page.evaluate(() => {
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let node = walker.nextNode(); node; node = walker.nextNode())
			node.textContent = (node.textContent ?? "")
				.replace(/(?<=_)[0-9a-f]{12,}/g, (id) => "0".repeat(id.length))
				.replace(/sk-\w{3}…\w{4}/g, "sk-abc…wxyz")
				.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8787")
				.replace(/\/tmp\/portico-test-\w+/g, "/etc/portico");
	});

/** As of a small gateway: what plugins there are is no matter of looks. */
const answers: Readonly<Record<string, unknown>> = {
	"/admin/plugins": {
		data: [
			{
				name: "tokens",
				summary: "Issues tokens (API keys) and recognises them.",
				gives: ["authenticators"],
				needs: [],
			},
			{
				name: "quota",
				summary: "Holds a token to an amount of money.",
				gives: ["policies"],
				needs: ["store", "clock"],
			},
		],
	},
	"/admin/audit?limit=30": {
		data: ["disable", "create"].map((verb, index) => ({
			...{ id: verb, verb, kind: "token", object: "tok_1", name: "old-prototype", address: "192.0.2.7" },
			at: Date.UTC(2026, 10, 20, 9, 30 - index),
			operator: { id: "per_1", name: "Ada" },
			changes: verb === "create" ? { quota: { to: 5 } } : {},
		})),
		hasMore: false,
	},
	"/admin/config": { file: "/etc/portico/portico.yaml", text: "server:\n  port: 8787\nplugins:\n  - use: tokens\n" },
};

describe.skipIf(!hasBrowser)("a page looks as it was approved:", () => {
	let gateway: TestGateway;
	let browser: Browser;
	const windows = new Map<string, Page>();
	let now = Date.UTC(2026, 10, 20, 10);

	beforeAll(async () => {
		const clock: Clock = {
			now: () => now,
			monotonic: () => performance.now(),
			after(milliseconds, action) {
				const timer = setTimeout(action, milliseconds);
				return () => clearTimeout(timer);
			},
		};
		gateway = await startShipped({}, { clock });
		await fillWithDemo(gateway, now, () => {
			now += 1_000;
		});
		now += 1_000;
		await joined(gateway, "Ada", "admin");
		browser = await launch();
		for (const { name, look } of looks) {
			const { page, context } = await openWindow(browser, gateway.url, look, { timezoneId: "UTC", locale: "en-GB" });
			await context.clock.setFixedTime(now);
			for (const [path, json] of Object.entries(answers))
				await context.route(gateway.url + path, (route) => route.fulfill({ json }));
			windows.set(name, page);
			await page.goto("/console");
			await page.getByLabel("Name").fill("Ada");
			await page.getByLabel("Password").fill(password);
			await page.keyboard.press("Enter");
			await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
		}
	});
	afterAll(async () => {
		await browser.close();
		await gateway.stop();
	});

	test.each(pages.flatMap((name) => looks.map(({ name: look }) => [name, look] as const)))(
		"%s, %s",
		async (name, look) => {
			const page = windows.get(look);
			if (!page) throw new Error(`no window is ${look}`);
			await page.goto(`/console/${name.toLowerCase()}`);
			await page.getByRole("heading", { level: 1, name }).waitFor();
			await page.locator("main :is(table, .empty, form, .panel)").first().waitFor();
			await page.waitForLoadState("networkidle");
			await page.evaluate(() => document.fonts.ready);
			await evened(page);
			expect(complaintAbout(`${name.toLowerCase()}-${look}`, await page.screenshot(), keep)).toBeUndefined();
		},
	);

	test.skipIf(keep)("and one whose letters nobody can see is not", async () => {
		const page = windows.get("dark");
		await page?.goto("/console/tokens");
		await page?.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
		await page?.evaluate(() => document.documentElement.style.setProperty("--ink", "var(--paper)"));
		const picture = await page?.screenshot();
		expect(complaintAbout("tokens-dark", picture ?? new Uint8Array(), false)).toContain("% of the points");
	});
});
