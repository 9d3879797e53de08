/** Who may do what: the config, invitations, passwords: each page as a person lives it, against a gateway as it ships. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";
import { joined, password } from "./world.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("somebody", () => {
	let at: Journey;
	beforeAll(async () => {
		at = await startJourney();
	});
	afterAll(() => at.stop());

	test("checks the config file, and reloads it", async () => {
		const file = join(at.gateway.folder, "portico.yaml");
		const good = readFileSync(file, "utf8");
		await at.go("Config");
		await at.page.getByRole("button", { name: "Check the file" }).click();
		await at.page.getByText("The file is good.").waitFor();
		writeFileSync(file, "plugins: [{ use: nobody }]");
		await at.page.getByRole("button", { name: "Reload" }).click();
		await at.page.getByText("The file is not good; what runs stays.").waitFor();
		await at.page
			.getByRole("listitem")
			.filter({ hasText: /nobody/ })
			.waitFor();
		writeFileSync(file, good);
		await at.page.getByRole("button", { name: "Reload" }).click();
		await at.page.getByText("The file is good and runs.").waitFor();
		await at.go("People");
		await at.page.getByRole("row", { name: /^reload config/ }).waitFor();
	});

	test("who is the only admin stays one, and reads in words what was changed", async () => {
		const [ada] = (await at.gateway.admin("GET", "/admin/people"))["data"] as { id: string }[];
		await at.gateway.admin("POST", "/admin/tokens", {
			name: "worded",
			owner: ada?.id,
			models: ["gemini-3-*", "demo"],
			rateLimit: { requestsPerMinute: 20 },
			tags: { "cost-center": "4711" },
		});
		await at.go("Tokens");
		await at.page.getByRole("link", { name: "worded", exact: true }).click();
		for (const words of ["Rate limit", "requests per minute: 20", "cost-center: 4711"])
			await at.sheet().getByText(words, { exact: true }).waitFor();
		await at.button("Close").click();
		await at.go("People");
		await at.page
			.getByRole("row", {
				name: /create token worded.*models: gemini-3-\*, demo.*rateLimit: requestsPerMinute 20.*owner: Ada/,
			})
			.waitFor();
		await at.page.getByRole("button", { name: "Disable Ada" }).click();
		// One stray click stops nobody's applications.
		await at.sheet().getByText("calls with their tokens are refused until").waitFor();
		await at.button("Cancel").click();
		await at.page.getByRole("button", { name: "Disable Ada" }).click();
		await at.button("Disable").click();
		await at.page
			.getByRole("alert")
			.getByText(/make somebody one first/)
			.waitFor();
		await at.button("Cancel").click();
		await at.page.getByRole("row", { name: /Ada.*May sign in/ }).waitFor();
	});

	test("invites somebody, who joins elsewhere and sees what is theirs", async () => {
		await at.go("People");
		await at.page.getByRole("button", { name: "Invite somebody" }).click();
		// No number is no limit of none: it would lift the ceiling.
		await at.sheet().getByLabel("Ceiling").fill("3,50");
		await at.button("Make the link").click();
		await at
			.sheet()
			.getByRole("alert")
			.getByText(/ceiling/)
			.waitFor();
		await at.sheet().getByLabel("Ceiling").fill("3");
		await at.button("Make the link").click();
		const link = (await at.sheet().locator(".key code").textContent()) ?? "";
		for (let times = 0; times < 2; times++) await at.page.keyboard.press("Escape");
		await at.button("I have copied it").click();

		const bob = await at.newWindow();
		await bob.page.goto(link);
		await bob.page.getByLabel("Name").fill("Bob");
		for (const field of await bob.page.locator("input[type=password]").all()) await field.fill(password);
		await bob.page.keyboard.press("Enter");
		await bob.page.getByText("No token yet.").waitFor();
		const links = bob.page.getByRole("navigation").getByRole("link");
		expect(await links.allTextContents()).toEqual(["Tokens", "Usage", "Calls", "Tasks", "Callbacks", "Playground"]);
		await bob.page.goto("/console/people");
		await bob.page.getByRole("heading", { name: "There is no such page" }).waitFor();
		await bob.page.getByRole("button", { name: "Sign out" }).click();
		await bob.page.getByText(/^Password forgotten\? An administrator makes a link/).waitFor();
		await at.signIn(bob.page, "bob");
		expect(await bob.page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
		await bob.page.getByRole("button", { name: "Create token" }).click();
		await bob.page.getByLabel(/^Name/).fill("bobs");
		await bob.page.getByRole("button", { name: "Create", exact: true }).click();
		const key = (await bob.page.locator(".key code").textContent()) ?? "";
		await bob.page.getByRole("button", { name: "I have copied it" }).click();
		await at.speak(key);
		await bob.page.getByRole("link", { name: "Calls" }).click();
		await bob.page.getByRole("row", { name: /bobs/ }).waitFor();
		expect(await bob.page.locator("main [data-row]").count()).toBe(1);
		await at.go("Tokens");
		await at.page.getByRole("row", { name: /bobs.*Bob/ }).waitFor();

		await at.go("People");
		await at.page.getByRole("row", { name: /Bob.*of \$3\.00 in all/ }).waitFor();
		await at.page.getByRole("link", { name: "Bob", exact: true }).click();
		await at.sheet().getByLabel("Ceiling").fill("3 dollars");
		await at.button("Save").click();
		await at
			.sheet()
			.getByRole("alert")
			.getByText(/ceiling/)
			.waitFor();
		await at.sheet().getByLabel("Ceiling").fill("3");
		await at.button("Add to budgets").click();
		await at.sheet().getByLabel("Amount").fill("2");
		await at.sheet().getByLabel("Per", { exact: true }).selectOption("day");
		await at.button("Save").click();
		await at.page.getByRole("row", { name: /Bob.*of \$3\.00 in all.*of \$2\.00 a day/ }).waitFor();
		await at.page.getByRole("link", { name: "Bob", exact: true }).click();
		await at.button("Remove 1 of Budgets").click();
		await at.button("Save").click();
		await at.page.getByRole("row", { name: /of \$2\.00 a day/ }).waitFor({ state: "detached" });
	});

	test("changes the password, which ends other sessions, and signs out everywhere", async () => {
		const [eve, elsewhere] = [await at.newWindow(), await at.newWindow()];
		await joined(at.gateway, "Eve", "member");
		for (const window of [eve, elsewhere]) await at.signIn(window.page, "Eve");
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
		// By its address: the page may have noticed by itself and have no links any more.
		await elsewhere.page.goto("/console/usage");
		await elsewhere.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
		await at.signIn(elsewhere.page, "Eve", "quite other words");
		await here.getByRole("button", { name: "Sign out everywhere" }).click();
		await here.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
		await elsewhere.page.goto("/console/calls");
		await elsewhere.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
