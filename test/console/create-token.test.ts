/**
 * The specification's sentence, as a person lives it: from the printed link to a call that the copied key answers. And the
 * key is nowhere once its dialog is closed.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import type { TestGateway } from "#core/testing";
import { hasBrowser, launch, openWindow, patience, type Watched } from "./browser.ts";
import { password, printedLink, startShipped } from "./world.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("a person with the printed link", () => {
	let gateway: TestGateway;
	let browser: Browser;
	let window: Watched;
	let link = "";
	let key = "";

	beforeAll(async () => {
		const models = ["demo", "house"].map((name) => ({ name, targets: [{ upstream: "demo" }] }));
		gateway = await startShipped({ router: { models } });
		browser = await launch();
		window = await openWindow(browser, gateway.url);
	});
	afterAll(async () => {
		await browser.close();
		await gateway.stop();
	});

	test("joins with a name and a password, and the secret leaves the address bar", async () => {
		const { page } = window;
		link = await printedLink(gateway);
		await page.goto(link);
		await page.getByLabel("Name").fill("Ada");
		expect(page.url()).toBe(`${gateway.url}/console/join`);
		const written = await page.locator("input[type=password]").all();
		for (const field of written) await field.fill("short");
		await page.keyboard.press("Enter");
		const refusal = page.getByText("A password has at least 12 characters");
		await refusal.waitFor();
		await written[0]?.fill(password);
		await page.getByText("This is not the same as above.").waitFor();
		// What the server said was of another password.
		expect(await refusal.count()).toBe(0);
		for (const field of await page.locator("input[type=password]").all()) await field.fill(password);
		await page.keyboard.press("Enter");
		await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
		expect(page.url()).toBe(`${gateway.url}/console/tokens`);
		expect(await page.evaluate(() => document.cookie)).toBe("");
	});

	test("sees where nothing was asked yet a call at a model that this gateway has", async () => {
		const { page } = window;
		await page.getByRole("link", { name: "Usage" }).click();
		expect(await page.getByLabel("A call").textContent()).toContain('-d \'{"model":"house",');
		await page.getByRole("link", { name: "Tokens" }).click();
	});

	test("creates a token whose key is shown once", async () => {
		const { page } = window;
		await page.getByRole("button", { name: "Create token" }).click();
		const form = page.getByRole("dialog");
		await form.getByLabel(/^Name/).fill("support-bot");
		await form.getByLabel(/Quota/).fill("2.50");
		await form.getByLabel(/Models/).fill("demo, gpt-*");
		await form.getByLabel(/Expires/).fill("2030-01-31 12:00");
		await form.getByLabel(/Addresses/).fill("127.0.0.0/8");
		await form.getByLabel(/Requests per minute/).fill("60");
		await form.getByRole("button", { name: "Create" }).click();
		const shown = page.getByRole("dialog", { name: /Copy the key/ });
		key = (await shown.locator(".key code").textContent()) ?? "";
		expect(key).toMatch(/^sk-[0-9A-Za-z]{49}$/);
		const [token] = (await gateway.admin("GET", "/admin/tokens?name=support-bot"))["data"] as Record<string, unknown>[];
		expect(token?.["settings"]).toEqual({
			quota: 2.5,
			models: ["demo", "gpt-*"],
			expiresAt: new Date("2030-01-31T12:00").toISOString(),
			ips: ["127.0.0.0/8"],
			rateLimit: { requestsPerMinute: 60 },
		});
	});

	test("finds no key in the snippets, each of which names the variable", async () => {
		const { page } = window;
		await page.getByRole("tab").first().waitFor();
		const tabs = await page.getByRole("tab").all();
		expect(tabs.length).toBeGreaterThanOrEqual(6);
		const copy = page.getByRole("tabpanel").getByRole("button").first();
		for (const tab of tabs) {
			await tab.click();
			const panel = page.getByRole("tabpanel");
			const snippets = await panel.locator("pre").allTextContents();
			const snippet = snippets.join("\n");
			expect(snippet).toContain("$PORTICO_KEY");
			// Each can be copied into its place as it stands.
			for (const one of snippets) expect(one).not.toMatch(/^#/);
			if (snippet.startsWith("{")) expect(JSON.parse(snippets[0] ?? "")).toBeObject();
			expect(await panel.textContent()).toContain("Put the key in the place of $PORTICO_KEY");
			expect(snippet).not.toContain(key);
			// Of this tab nothing was copied yet, whatever was of the first.
			expect(await copy.textContent()).toBe("Copy");
			if (tab === tabs[0]) await copy.click();
		}
	});

	test("cannot lose it by Esc, and copies it", async () => {
		const { page } = window;
		await page.keyboard.press("Escape");
		await page.keyboard.press("Escape");
		await page.getByText(key).waitFor();
		await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).first().click();
		await page.locator(".key").getByText("Copied", { exact: true }).waitFor();
		expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
		await page.getByRole("button", { name: "I have copied it" }).click();
		await page.getByRole("dialog").waitFor({ state: "detached" });
	});

	/** Looks for a key wherever a browser keeps things, then once more after it went back, forth and loaded the page anew. */
	const expectNowhere = async (secret: string): Promise<void> => {
		const { page, context } = window;
		await page.getByText("support-bot").first().waitFor();
		const places = await page.evaluate(async () => ({
			page: document.documentElement.outerHTML,
			fields: [...document.querySelectorAll("input, textarea")]
				.map((field) => (field as HTMLInputElement).value)
				.join(),
			local: JSON.stringify({ ...localStorage }),
			session: JSON.stringify({ ...sessionStorage }),
			history: JSON.stringify(history.state),
			address: location.href,
			databases: JSON.stringify(await indexedDB.databases()),
			caches: JSON.stringify(await caches.keys()),
		}));
		for (const [place, content] of Object.entries(places))
			expect([place, content.includes(secret)]).toEqual([place, false]);
		expect(places.page).toContain("support-bot");
		expect(JSON.stringify(await context.storageState())).not.toContain(secret);
		await page.goBack();
		await page.goForward();
		await page.reload();
		await page.getByText("support-bot").first().waitFor();
		expect(await page.content()).not.toContain(secret);
	};

	test("the key is in no place of the browser any more", () => expectNowhere(key));

	test("and the copied key answers a call", async () => {
		const body = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
		const answer = await gateway.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } });
		expect(answer.status).toBe(200);
		expect(await answer.text()).toContain("demo model");
	});

	test("a rotated key is shown once too, and the key before ends at once where nobody gave it time", async () => {
		const { page } = window;
		const answers = async (secret: string): Promise<number> =>
			(await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${secret}` } })).status;
		await page.getByRole("link", { name: "support-bot" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
		await page.getByRole("dialog").getByRole("button", { name: "Rotate the key" }).click();
		const shown = page.getByRole("dialog", { name: /Copy the key/ });
		const next = (await shown.locator(".key code").textContent()) ?? "";
		expect(next).toMatch(/^sk-[0-9A-Za-z]{49}$/);
		await page.keyboard.press("Escape");
		expect(await shown.isVisible()).toBe(true);
		await shown.getByRole("button", { name: "I have copied it" }).click();
		await shown.waitFor({ state: "detached" });
		expect([await answers(key), await answers(next)]).toEqual([401, 200]);
		await expectNowhere(next);
	});

	test("the link is of no use any more, and its page says so before anything is written", async () => {
		const { page } = await openWindow(browser, gateway.url);
		await page.goto(link);
		await page.getByRole("heading", { name: "This link is not valid" }).waitFor();
		// Nobody writes a password for nothing.
		expect(await page.locator("input").count()).toBe(0);
		expect(page.url()).toBe(`${gateway.url}/console/join`);
		await page.getByRole("link", { name: "Sign in" }).click();
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
	});

	test("nothing was asked of others, refused by the policy or thrown", () => expect(window.wrongs).toEqual([]));
});
