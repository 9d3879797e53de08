/** One journey for each page, as a person lives it, against a gateway as it ships. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Browser, Locator, Page } from "playwright-core";
import type { TestGateway } from "#core/testing";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";
import { hasBrowser, launch, openWindow, type Watched } from "./browser.ts";
import { joined, password, startShipped } from "./world.ts";

describe.skipIf(!hasBrowser)("somebody", () => {
	let gateway: TestGateway;
	let browser: Browser;
	let hook: Receiver;
	let ada: Watched;
	let page: Page;
	const windows: Watched[] = [];

	const newWindow = async (): Promise<Watched> => {
		const window = await openWindow(browser, gateway.url);
		windows.push(window);
		return window;
	};

	const signIn = async (at: Page, name: string, word = password): Promise<void> => {
		await at.goto("/console");
		await at.getByLabel("Name").fill(name);
		await at.getByLabel("Password").fill(word);
		await at.keyboard.press("Enter");
		await at.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
	};

	beforeAll(async () => {
		hook = await startReceiver(status(200));
		gateway = await startShipped({ webhooks: { allowPrivateNetworks: true }, demo: { wordMs: 0, taskSeconds: 0 } });
		await joined(gateway, "Ada", "admin");
		browser = await launch();
		ada = await newWindow();
		page = ada.page;
		await signIn(page, "Ada");
	}, 30_000);
	afterAll(async () => {
		await browser.close();
		await gateway.stop();
		await hook.close();
	});

	const go = async (name: string): Promise<void> => {
		// By its address, so that a journey which broke off does not stand in the way of the next.
		await page.goto(`/console/${name.toLowerCase()}`);
		await page.getByRole("heading", { level: 1, name }).waitFor();
	};
	const sheet = (): Locator => page.getByRole("dialog");
	const button = (name: string | RegExp): Locator => sheet().getByRole("button", { name });
	const answers = async (key: string): Promise<number> =>
		(await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } })).status;

	const speak = async (key: string, model = "demo"): Promise<string> => {
		const body = { model, messages: [{ role: "user", content: "Hello" }] };
		const answer = await gateway.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } });
		await answer.text();
		return answer.headers.get("x-request-id") ?? "";
	};

	test("changes a token, disables it, rotates its key with a grace, and deletes it", async () => {
		const { id, key } = await gateway.token({ name: "errand", quota: 5 });
		await go("Tokens");
		await page.getByRole("link", { name: "errand" }).click();
		await button("Edit").click();
		await sheet().getByLabel(/^Name/).fill("errands");
		await sheet().getByLabel(/Quota/).fill("7.25");
		await sheet().getByRole("button", { name: "Add to budgets" }).click();
		await sheet().getByLabel("Amount").fill("2");
		await sheet().getByLabel("Per", { exact: true }).selectOption("day");
		await button("Save").click();
		await sheet().getByRole("heading", { name: "errands" }).waitFor();
		const settings = async () => (await gateway.admin("GET", `/admin/tokens/${id}`))["settings"];
		expect(await settings()).toEqual({ quota: 7.25, budgets: [{ amount: 2, per: "day" }] });
		await sheet().getByText("of $2.00 a day").waitFor();

		await button("Disable").click();
		await sheet().locator(".state", { hasText: "Disabled" }).waitFor();
		expect(await answers(key)).toBe(401);
		await button("Enable").click();
		await sheet().locator(".state", { hasText: "Working" }).waitFor();

		await button("Rotate").click();
		await sheet().getByRole("button", { name: "In an hour" }).click();
		await button("Rotate the key").click();
		const shown = page.getByRole("dialog", { name: /Copy the key/ });
		const next = (await shown.locator(".key code").textContent()) ?? "";
		expect(next).not.toBe(key);
		expect([await answers(key), await answers(next)]).toEqual([200, 200]);
		await shown.getByRole("button", { name: "I have copied it" }).click();
		await sheet().getByText("Key before").waitFor();

		await button("Delete").click();
		await sheet()
			.getByText(/stay in the usage/)
			.waitFor();
		await button("Delete it").click();
		await page.getByRole("link", { name: "errands" }).waitFor({ state: "detached" });
		expect([await answers(key), await answers(next)]).toEqual([401, 401]);
	}, 30_000);

	test("sees what was used by day and by hour, and saves it as a table", async () => {
		const { key } = await gateway.token({ name: "counted" });
		for (let call = 0; call < 3; call++) await speak(key);
		await go("Usage");
		const row = page.getByRole("row", { name: /counted/ });
		expect(await row.getByRole("cell").nth(1).textContent()).toBe("3");
		expect(await page.getByRole("img", { name: /Stacked columns of dollars a day/ }).count()).toBe(1);
		await page.getByRole("button", { name: "24 h" }).click();
		await page.getByRole("heading", { name: "By hour" }).waitFor();
		await page.getByRole("heading", { name: "Time taken" }).waitFor();
		const saved = page.waitForEvent("download");
		await page.getByRole("button", { name: "CSV" }).click();
		const lines = readFileSync(await (await saved).path(), "utf8")
			.trim()
			.split("\r\n");
		expect(lines[0]).toStartWith("hour,token,token name,person,model,upstream,calls");
		expect(lines.filter((line) => line.includes(",counted,")).map((line) => line.split(",")[6])).toEqual(["3"]);
	}, 20_000);

	test("finds a call by its id, and is told why it went wrong and what to do", async () => {
		const { key } = await gateway.token({ name: "caller" });
		const [good, bad] = [await speak(key), await speak(key, "no-such-model")];
		await go("Calls");
		await page.getByLabel("Open a call by its request id").fill(bad);
		await page.keyboard.press("Enter");
		await sheet().getByText("What to do:").waitFor();
		await sheet().getByText("No upstream was asked.").waitFor();
		await button("Close").click();
		await page.goto(`/console/calls/${good}`);
		await sheet().getByText("answered (200)").waitFor();
		await sheet().getByText("At the door: let in").waitFor();
		await sheet().getByRole("button", { name: "Copy" }).click();
		const curl = await page.evaluate(() => navigator.clipboard.readText());
		expect(curl).toContain(`${gateway.url}/v1/chat/completions`);
		expect(curl).toContain("$PORTICO_KEY");
		await button("Close").click();
		await page.getByLabel("Ending").selectOption("refused");
		await page
			.getByRole("row", { name: /Completed/ })
			.first()
			.waitFor({ state: "detached" });
		expect(await page.getByRole("row", { name: /no-such-model/ }).count()).toBe(1);
	}, 20_000);

	test("follows a task to its result", async () => {
		const { key } = await gateway.token({ name: "painter" });
		const headers = { authorization: `Bearer ${key}` };
		const body = { kind: "image", model: "demo-image", prompt: "A door in the sun" };
		const task = (await (await gateway.ask("/v1/tasks", body, { headers })).json()) as { id: string };
		await go("Tasks");
		await page.getByRole("link", { name: "A door in the sun" }).click();
		await sheet().locator(".state", { hasText: "Done" }).waitFor({ timeout: 15_000 });
		expect(await sheet().getByRole("link", { name: "image" }).getAttribute("href")).toContain(task.id);
		await sheet().getByRole("link", { name: "painter" }).waitFor();
		await button("Close").click();
	}, 30_000);

	test("sends a dead callback again, and tests an address", async () => {
		const { id: token } = await gateway.token({ name: "called back" });
		const url = `${hook.origin}/hook`;
		await gateway.store.write([
			sql`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
				VALUES ('msg_dead_1', ${token}, 'task_dead', 1, 'SUCCESS', ${url}, ${hook.origin}, '{"a":1}', 'dead', ${Date.now()}, 1, 1)`,
		]);
		await go("Callbacks");
		await page.getByRole("button", { name: "Dead", exact: true }).click();
		await page.getByRole("link", { name: "SUCCESS" }).click();
		await button("Send again").click();
		await sheet().locator(".state", { hasText: "Delivered" }).waitFor({ timeout: 15_000 });
		await sheet()
			.getByText(/by hand/)
			.waitFor();
		expect(hook.received.map(({ path, body }) => [path, body.toString()])).toEqual([["/hook", '{"a":1}']]);
		await button("Close").click();

		await page.getByRole("button", { name: "Test an address" }).click();
		await sheet().getByLabel("Address").fill(`${hook.origin}/tried`);
		await button("Send").click();
		await sheet().getByText("Delivered", { exact: true }).waitFor();
		expect(hook.received.at(-1)?.path).toBe("/tried");
		await sheet().getByLabel("Address").fill("ftp://nowhere");
		await button("Send").click();
		await sheet().getByRole("alert").waitFor();
		await button("Close").click();
	}, 30_000);

	test("asks where a call would go", async () => {
		await gateway.token({ name: "narrow", models: ["other"] });
		await go("Models");
		await page.getByLabel("Model").fill("demo");
		await page.getByRole("button", { name: "Explain" }).click();
		await page.getByText("First to demo demo").waitFor();
		await page.getByLabel("Token", { exact: true }).selectOption({ label: "narrow" });
		await page.getByRole("button", { name: "Explain" }).click();
		await page.getByText(/Refused by model-list/).waitFor();
		await page.getByLabel("Model").fill("nothing-of-the-kind");
		await page.getByRole("button", { name: "Explain" }).click();
		await page
			.getByRole("alert")
			.getByText(/No model "nothing-of-the-kind"/)
			.waitFor();
	}, 20_000);

	test("asks a model through each protocol, and sees words and events", async () => {
		await go("Playground");
		await page.getByRole("button", { name: /Make one/ }).click();
		await page.getByText(/This key may ask for/).waitFor();
		for (const protocol of ["chat-completions", "responses", "messages", "generate-content"]) {
			await page.getByRole("button", { name: protocol, exact: true }).click();
			await page.getByRole("tab", { name: "Answer" }).click();
			await page.getByLabel("Prompt").fill(`Words by ${protocol}`);
			await page.getByRole("button", { name: "Send" }).click();
			await page.locator(".answer", { hasText: `You said: Words by ${protocol}` }).waitFor();
			await page.getByRole("link", { name: "Explain this call" }).waitFor();
			await page.getByRole("tab", { name: "Events" }).click();
			expect((await page.locator(".events").textContent())?.match(/data:/g)?.length).toBeGreaterThan(3);
			await page.getByRole("tab", { name: "curl" }).click();
			expect(await page.getByRole("tabpanel").textContent()).toContain("$PORTICO_KEY");
		}
		await page.getByRole("link", { name: "Explain this call" }).click();
		await sheet().getByText("generate-content, streamed").waitFor();
		await button("Close").click();
	}, 30_000);

	test("checks the config file, and reloads it", async () => {
		const file = join(gateway.folder, "portico.yaml");
		const good = readFileSync(file, "utf8");
		await go("Config");
		await page.getByRole("button", { name: "Check the file" }).click();
		await page.getByText("The file is good.").waitFor();
		writeFileSync(file, "plugins: [{ use: nobody }]");
		await page.getByRole("button", { name: "Reload" }).click();
		await page.getByText("The file is not good; what runs stays.").waitFor();
		await page
			.getByRole("listitem")
			.filter({ hasText: /nobody/ })
			.waitFor();
		writeFileSync(file, good);
		await page.getByRole("button", { name: "Reload" }).click();
		await page.getByText("The file is good and runs.").waitFor();
		await go("People");
		await page.getByRole("row", { name: /^reload config/ }).waitFor();
	}, 30_000);

	test("invites somebody, who joins elsewhere and sees what is theirs", async () => {
		await go("People");
		await page.getByRole("button", { name: "Invite somebody" }).click();
		await sheet().getByLabel("Ceiling").fill("3");
		await button("Make the link").click();
		const link = (await sheet().locator(".key code").textContent()) ?? "";
		await button("I have copied it").click();

		const bob = await newWindow();
		await bob.page.goto(link);
		await bob.page.getByLabel("Name").fill("Bob");
		for (const field of await bob.page.locator("input[type=password]").all()) await field.fill(password);
		await bob.page.keyboard.press("Enter");
		await bob.page.getByText("No token yet.").waitFor();
		const links = bob.page.getByRole("navigation").getByRole("link");
		expect(await links.allTextContents()).toEqual(["Tokens", "Usage", "Calls", "Tasks", "Playground"]);
		await bob.page.goto("/console/people");
		await bob.page.getByRole("heading", { name: "There is no such page" }).waitFor();
		await bob.page.getByRole("button", { name: "Sign out" }).click();
		await signIn(bob.page, "bob");
		await bob.page.getByRole("button", { name: "Create token" }).click();
		await bob.page.getByLabel(/^Name/).fill("bobs");
		await bob.page.getByRole("button", { name: "Create", exact: true }).click();
		const key = (await bob.page.locator(".key code").textContent()) ?? "";
		await bob.page.getByRole("button", { name: "I have copied it" }).click();
		await speak(key);
		await bob.page.getByRole("link", { name: "Calls" }).click();
		await bob.page.getByRole("row", { name: /bobs/ }).waitFor();
		expect(await bob.page.locator("main [data-row]").count()).toBe(1);
		await go("Tokens");
		await page.getByRole("row", { name: /bobs.*Bob/ }).waitFor();
	}, 30_000);

	test("changes the password, which ends other sessions, and signs out everywhere", async () => {
		const [eve, elsewhere] = [await newWindow(), await newWindow()];
		await joined(gateway, "Eve", "member");
		for (const window of [eve, elsewhere]) await signIn(window.page, "Eve");
		const { page: here } = eve;
		await here.getByRole("button", { name: "Account" }).click();
		await here.getByLabel("Password now").fill("wrong words here");
		for (const field of ["New password", "New password again"])
			await here.getByLabel(field, { exact: true }).fill("quite other words");
		await here.getByRole("button", { name: "Change the password" }).click();
		await here.getByRole("alert").getByText("The name or the password is wrong.").waitFor();
		await here.getByLabel("Password now").fill(password);
		await here.getByRole("button", { name: "Change the password" }).click();
		await here.getByText("The password is changed.").waitFor();
		await elsewhere.page.getByRole("link", { name: "Usage" }).click();
		await elsewhere.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
		await signIn(elsewhere.page, "Eve", "quite other words");
		await here.getByRole("button", { name: "Sign out everywhere" }).click();
		await here.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
		await elsewhere.page.getByRole("link", { name: "Calls" }).click();
		await elsewhere.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
	}, 30_000);

	test("and no page asked others, broke the policy or threw", () => {
		expect(windows.flatMap(({ wrongs }) => wrongs)).toEqual([]);
	});
});
