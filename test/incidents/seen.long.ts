/** The same incidents as an operator sees them in the console: the page says what happened, to whom, since when and what to do. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { hasBrowser, launch, openWindow, patience, type Watched } from "../console/browser.ts";
import { joined } from "../console/world.ts";
import { type IncidentWorld, startIncidentWorld } from "./world.ts";

setDefaultTimeout(patience);

/** What the page says of the time: when it was, or how long ago. */
const sinceWhen = /\d\d:\d\d:\d\d|just now|ago|more|Nov/;

describe.skipIf(!hasBrowser)("the console", () => {
	let at: IncidentWorld;
	let browser: Browser;
	let window: Watched;
	let page: Page;
	beforeAll(async () => {
		at = await startIncidentWorld();
		const [name = "", value = ""] = (await joined(at.gateway, "Operator", "admin")).split("=");
		browser = await launch();
		window = await openWindow(browser, at.gateway.url);
		await window.context.addCookies([{ name, value, url: at.gateway.url }]);
		page = window.page;
	});
	afterAll(async () => {
		await browser.close();
		await at.stop();
	});

	test.each([
		"a dead key",
		"a key that is no token's",
		"the used-up budget of a person",
		"an open circuit",
		"a task that failed",
		"a dead callback",
		"a reload that failed",
		"a full disk",
	])("tells of %s", async (what) => {
		const incident = await at.incidents[what]?.();
		if (!incident) throw new Error(`nobody plays ${what}`);
		for (const words of incident.says) expect(incident.told).toContain(words);
		await page.goto(incident.page);
		for (const words of incident.says) await page.getByText(words).filter({ visible: true }).first().waitFor();
		const text = (await page.locator("body").allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
		expect(text).toMatch(sinceWhen);
		if (what !== "an open circuit") expect(text).toContain("What to do:");
		await incident.mend?.();
		if (!incident.mend) return;
		await page.goto(incident.page);
		await page.getByRole("heading", { level: 1 }).waitFor();
		await page.getByText("What to do:").waitFor({ state: "detached" });
	});

	test("did nothing that a page must not do", () => {
		expect(window.wrongs).toEqual([]);
	});
});
