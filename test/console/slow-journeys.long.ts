/** What somebody with a slow line or a slow laptop lives: answers that are late, lost or overtaken, pages that come a while after their link. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";
import { joined, password } from "./world.ts";

setDefaultTimeout(patience);

/** Keeps the answers to what matches until they are let go. */
const hold = async (page: Page, address: string | RegExp) => {
	const held: Route[] = [];
	const { promise: first, resolve: some } = Promise.withResolvers<void>();
	await page.route(address, (route) => {
		held.push(route);
		some();
	});
	return {
		held,
		first,
		async letGo() {
			for (const route of held) await route.continue();
			await page.unroute(address);
		},
	};
};

/** As whoever comes back to the tab: what the page shows is asked anew. */
const lookAgain = (page: Page): Promise<unknown> =>
	page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

describe.skipIf(!hasBrowser)("somebody", () => {
	let at: Journey;
	beforeAll(async () => {
		at = await startJourney();
	});
	afterAll(() => at.stop());

	test("sees an answer that takes longer than the page asks anew", async () => {
		const list = await hold(at.page, "**/admin/tokens?*");
		await at.gateway.token({ name: "late" });
		await at.page.goto("/console/tokens");
		await list.first;
		for (let times = 0; times < 3; times++) await lookAgain(at.page);
		expect(list.held).toHaveLength(1);
		const told = at.page.locator("main").getByRole("status");
		await told.getByText("Waiting for the server …").waitFor();
		await list.letGo();
		await at.page.getByRole("link", { name: "late" }).waitFor();
		await told.getByText("Waiting").waitFor({ state: "detached" });
	});

	test("loses no letter of a filter while the page is still being filled", async () => {
		const { key } = await at.gateway.token({ name: "asker" });
		await at.speak(key, "no-such");
		const tokens = await hold(at.page, "**/admin/tokens?*");
		await at.go("Calls");
		await tokens.first;
		const model = at.page.getByLabel("Model");
		await model.pressSequentially("no-");
		await tokens.letGo();
		await at.page.getByLabel("Token", { exact: true }).getByText("asker").waitFor({ state: "attached" });
		await model.pressSequentially("such");
		await at.page.keyboard.press("Enter");
		await at.page.getByRole("row", { name: /no-such/ }).waitFor();
		expect(new URL(at.page.url()).search).toBe("?model=no-such");
	});

	test("opens a page for the first time while nothing answers, and sees it once the server is back", async () => {
		await at.go("Tokens");
		await at.page.context().setOffline(true);
		await at.page.getByRole("link", { name: "Usage" }).click();
		await at.page.getByRole("alert").getByText("The server does not answer.").waitFor();
		expect(await at.page.getByRole("button", { name: "Load the console again" }).count()).toBe(0);
		await at.page.context().setOffline(false);
		await at.page.locator("main :is(.empty, .figures)").waitFor();
		expect(await at.page.getByRole("heading", { level: 1 }).textContent()).toBe("Usage");
	});

	test("is told of an update where the part is gone and the server answers", async () => {
		await at.go("Tokens");
		const parts = (address: URL) => address.pathname.endsWith(".js");
		await at.page.route(parts, (route) => route.fulfill({ status: 404, body: "" }));
		await at.page.getByRole("link", { name: "Callbacks" }).click();
		await at.page.getByText("it was probably updated meanwhile").waitFor();
		await at.page.unroute(parts);
		await at.page.getByRole("button", { name: "Load the console again" }).click();
		await at.page.locator("main :is(.empty, table, .panel)").first().waitFor();
	});

	test("is shown what was chosen last, whatever is asked anew meanwhile", async () => {
		await at.go("Tokens");
		await at.page.getByRole("link", { name: "late" }).click();
		const change = await hold(at.page, "**/disable");
		await at.button("Disable").click();
		await change.first;
		await at.page.keyboard.press("Escape");
		await at.page.getByRole("link", { name: "asker" }).click();
		await at.sheet().getByText("Created").waitFor();
		await change.letGo();
		await at.page.locator("tr", { hasText: "late" }).locator(".state", { hasText: "Disabled" }).waitFor();
		expect(await at.sheet().getByRole("heading", { name: "asker" }).isVisible()).toBe(true);
	});

	test("stays on the page at a key that goes elsewhere only after G, however early it is pressed", async () => {
		await at.go("Tokens");
		await at.page.evaluate(() => {
			Object.defineProperty(performance, "now", { value: () => 900 });
		});
		await at.page.keyboard.press("u");
		await at.page.keyboard.press("c");
		await at.sheet().getByRole("heading", { name: "Create a token" }).waitFor();
		await at.page.keyboard.press("Escape");
		await at.page.keyboard.press("g");
		await at.page.keyboard.press("u");
		await at.page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
	});

	test("is told that a change may have been done or not when its answer is lost", async () => {
		await at.go("Tokens");
		await at.page.keyboard.press("c");
		await at.sheet().getByLabel(/^Name/).fill("lost");
		await at.sheet().getByLabel(/Quota/).waitFor();
		await at.page.route("**/admin/tokens", (route) => route.abort());
		await at.button("Create").click();
		await at
			.sheet()
			.getByRole("alert")
			.getByText(/nobody knows whether this was done/)
			.waitFor();
		await at.page.unroute("**/admin/tokens");
	});

	test("need not load the console again when the server comes back", async () => {
		const { page } = await at.newWindow();
		await page.clock.install();
		await page.route("**/v1/session", (route) => route.abort());
		await page.goto("/console");
		await page.getByRole("heading", { name: "The console cannot begin" }).waitFor();
		await page.unroute("**/v1/session");
		await page.clock.runFor(6_000);
		await page.getByRole("heading", { name: "Sign in" }).waitFor();
	});

	test("begins at the heading of a page that comes a while after its link was followed", async () => {
		await at.go("Tokens");
		await at.page.getByRole("navigation").getByRole("link", { name: "Usage" }).focus();
		const part = await hold(at.page, "**/assets/part-*");
		await at.page.keyboard.press("Enter");
		await part.first;
		await part.letGo();
		await at.page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
		expect(await at.page.evaluate(() => document.activeElement?.outerHTML)).toStartWith("<h1");
	});

	test("is not charged for the rest of an answer that they leave, and is told of one that broke off", async () => {
		await at.go("Playground");
		await at.page.getByRole("button", { name: /Make one/ }).click();
		await at.page.getByText(/This key may ask for/).waitFor();
		const asked = await hold(at.page, "**/v1/chat/completions");
		await at.page.getByRole("button", { name: "Send" }).click();
		await asked.first;
		const left = at.page.waitForEvent("requestfailed");
		await at.page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
		expect((await left).url()).toEndWith("/v1/chat/completions");
		await at.page.unroute("**/v1/chat/completions");

		await at.go("Playground");
		await at.page.getByLabel("Key").fill(`sk-${"A".repeat(49)}`);
		const body =
			'data: {"choices":[{"delta":{"content":"So"}}]}\n\ndata: {"error":{"message":"The vendor broke off."}}\n\n';
		await at.page.route("**/v1/chat/completions", (route) => route.fulfill({ contentType: "text/event-stream", body }));
		await at.page.getByRole("button", { name: "Send" }).click();
		await at.page.getByRole("alert").getByText("The vendor broke off.").waitFor();
		await at.page.unroute("**/v1/chat/completions");
	});

	test("is told that there is nothing at an address that is mistyped", async () => {
		await at.page.goto("/console/calls/req_%C3");
		await at.sheet().getByRole("alert").waitFor();
		await at.button("Close").click();
		await at.sheet().waitFor({ state: "detached" });
		expect(await at.page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
	});

	test("loses neither what they wrote nor a key that is shown once when their session ends or they go back", async () => {
		await joined(at.gateway, "Bob", "member");
		await joined(at.gateway, "Eve", "member");
		const { page } = await at.newWindow();
		await at.signIn(page, "Bob");
		const people = (await at.gateway.admin("GET", "/admin/people"))["data"] as Record<string, unknown>[];
		const endSession = (): Promise<unknown> =>
			at.gateway.admin("POST", `/admin/people/${people.find(({ name }) => name === "Bob")?.["id"]}/sign-out`);
		const again = page.getByRole("dialog", { name: "Sign in again" });
		const comeBack = async (): Promise<void> => {
			expect(await again.getByLabel("Name").inputValue()).toBe("Bob");
			await page.keyboard.type(password);
			await page.keyboard.press("Enter");
			await again.waitFor({ state: "detached" });
		};
		await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
		await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
		await page.getByRole("navigation").getByRole("link", { name: "Tokens" }).click();
		await page.getByRole("button", { name: "Create token" }).click();
		const form = page.getByRole("dialog", { name: "Create a token" });
		await form.getByLabel(/^Name/).fill("long form");
		await form.getByLabel(/Quota/).fill("7");
		await endSession();
		await form.getByRole("button", { name: "Create" }).click();
		await again.waitFor();
		await page.keyboard.press("Escape");
		await comeBack();
		expect(await form.getByLabel(/Quota/).inputValue()).toBe("7");
		// Another tab that signs out takes the cookie along.
		await page.context().clearCookies();
		await form.getByRole("button", { name: "Create" }).click();
		await again.waitFor();
		expect(await page.getByText("This route needs the admin token").count()).toBe(0);
		await comeBack();
		await form.getByRole("button", { name: "Create" }).click();

		const shown = page.getByRole("dialog", { name: /Copy the key/ });
		const key = (await shown.locator(".key code").textContent()) ?? "";
		await page.goBack();
		await page.waitForURL("**/console/tokens");
		const asked = page.waitForEvent("dialog").then(async (dialog) => {
			await dialog.dismiss();
			return dialog.type();
		});
		await page.evaluate(() => location.reload());
		expect(await asked).toBe("beforeunload");
		await endSession();
		await lookAgain(page);
		await again.waitFor();
		await comeBack();
		expect(await shown.locator(".key code").textContent()).toBe(key);
		await shown.getByRole("button", { name: "I have copied it" }).click();

		// Somebody else is shown nothing of it.
		await page.keyboard.press("c");
		await form.getByLabel(/^Name/).fill("Bob's");
		await endSession();
		await lookAgain(page);
		await again.getByLabel("Name").fill("Eve");
		await again.getByLabel("Password").fill(password);
		await page.keyboard.press("Enter");
		await page.locator(".me").getByText("Eve").waitFor();
		expect(await page.getByRole("dialog").count()).toBe(0);
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
