/** The console of a gateway with few plugins and no demo: what it has not is told, and texts name a model that it has. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { startGateway, type TestGateway } from "#core/testing";
import { hasBrowser, launch, openWindow, patience, type Watched } from "./browser.ts";
import { password, printedLink } from "./world.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("a small gateway", () => {
	let gateway: TestGateway;
	let browser: Browser;
	let window: Watched;

	beforeAll(async () => {
		const models = ["text-embedding-3-small", "house"].map((name) => ({ name, targets: [{ upstream: "demo" }] }));
		const router = { use: "router", with: { models } };
		gateway = await startGateway({ plugins: ["people", "console", "tokens", "chat-completions", "demo", router] });
		browser = await launch();
		window = await openWindow(browser, gateway.url);
		const { page } = window;
		await page.goto(await printedLink(gateway));
		await page.getByLabel("Name").fill("Ada");
		for (const field of await page.locator("input[type=password]").all()) await field.fill(password);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
	});
	afterAll(async () => {
		await browser.close();
		await gateway.stop();
	});

	test.each([
		["Usage", "ledger"],
		["Calls", "ledger"],
		["Tasks", "tasks"],
		["Callbacks", "webhooks"],
	])("%s says which plugin is missing", async (name, plugin) => {
		const { page } = window;
		await page.getByRole("link", { name, exact: true }).click();
		await page.getByText(`Its config has no use: ${plugin} among the plugins.`).waitFor();
		expect(await page.getByText("is not served here").count()).toBe(0);
	});

	test("the playground begins with a model that it has", async () => {
		const { page } = window;
		await page.getByRole("link", { name: "Playground" }).click();
		await page.getByLabel("Model").waitFor();
		await page.waitForFunction(() => [...document.querySelectorAll("input")].some(({ value }) => value === "house"));
		expect(await page.getByLabel("Model").inputValue()).toBe("house");
	});
});
