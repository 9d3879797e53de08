/** What is asked of models: keys, usage, calls, where a call would go, the playground: each page as a person lives it, against a gateway as it ships. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { until } from "../support/moved-clock.ts";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("somebody", () => {
	let at: Journey;
	beforeAll(async () => {
		at = await startJourney();
	});
	afterAll(() => at.stop());

	test("changes a token, disables it, rotates its key with a grace, and deletes it", async () => {
		const { id, key } = await at.gateway.token({ name: "errand", quota: 5 });
		await at.go("Tokens");
		await at.page.getByRole("link", { name: "errand" }).click();
		await at.sheet().getByText("Created").waitFor();
		await at.page.keyboard.press("e");
		await at.sheet().getByLabel(/^Name/).fill("errands");
		await at.sheet().getByLabel(/Quota/).fill("7.25");
		await at.sheet().getByRole("button", { name: "Add to budgets" }).click();
		await at.sheet().getByLabel("Amount").fill("2");
		await at.sheet().getByLabel("Per", { exact: true }).selectOption("day");
		await at.button("Save").click();
		await at.sheet().getByRole("heading", { name: "errands" }).waitFor();
		const settings = async () => (await at.gateway.admin("GET", `/admin/tokens/${id}`))["settings"];
		expect(await settings()).toEqual({ quota: 7.25, budgets: [{ amount: 2, per: "day" }] });
		await at.sheet().getByText("of $2.00 a day").waitFor();

		await at.button("Disable").click();
		await at.sheet().locator(".state", { hasText: "Disabled" }).waitFor();
		expect(await at.answers(key)).toBe(401);
		await at.button("Enable").click();
		await at.sheet().locator(".state", { hasText: "Working" }).waitFor();

		await at.button("Rotate").click();
		await at.sheet().getByRole("button", { name: "In an hour" }).click();
		await at.button("Rotate the key").click();
		const shown = at.page.getByRole("dialog", { name: /Copy the key/ });
		const next = (await shown.locator(".key code").textContent()) ?? "";
		expect(next).not.toBe(key);
		expect([await at.answers(key), await at.answers(next)]).toEqual([200, 200]);
		await shown.getByRole("button", { name: "I have copied it" }).click();
		await at.sheet().getByText("Key before").waitFor();

		await at.button("Delete").click();
		await at
			.sheet()
			.getByText(/stay in the usage/)
			.waitFor();
		await at.button("Delete it").click();
		await at.page.getByRole("link", { name: "errands" }).waitFor({ state: "detached" });
		expect([await at.answers(key), await at.answers(next)]).toEqual([401, 401]);
	});

	test("is heard at a key as soon as the sheet shows what it answers", async () => {
		await at.gateway.token({ name: "quick" });
		await at.go("Tokens");
		// Faster than any hand: in the moment in which the sheet's words come into the page, before they are painted.
		await at.page.evaluate(() => {
			const watch = new MutationObserver(() => {
				if (!document.querySelector("dialog")?.textContent?.includes("Created")) return;
				watch.disconnect();
				document.dispatchEvent(new KeyboardEvent("keydown", { key: "e" }));
			});
			watch.observe(document, { childList: true, subtree: true });
		});
		await at.page.getByRole("link", { name: "quick" }).click();
		await at.sheet().getByLabel(/^Name/).waitFor();
	});

	test("has the focus in what is open, by keys alone, and at the heading when that is gone", async () => {
		await at.gateway.token({ name: "handled" });
		await at.go("Tokens");
		const focused = () => at.page.evaluate(() => document.activeElement?.closest("dialog, h1, [data-row]")?.tagName);
		const press = async (name: string) => {
			await at.button(name).focus();
			await at.page.keyboard.press("Enter");
		};
		await at.page.getByRole("link", { name: "handled" }).focus();
		await at.page.keyboard.press("Enter");
		await at.sheet().getByText("Created").waitFor();
		expect(await focused()).toBe("DIALOG");
		for (const name of ["Rotate", "Delete"]) {
			await press(name);
			await at.sheet().getByText("Created").waitFor({ state: "detached" });
			expect(await focused()).toBe("DIALOG");
			await at.page.keyboard.press("Escape");
			await at.sheet().getByText("Created").waitFor();
			expect(await focused()).toBe("DIALOG");
		}
		await at.page.keyboard.press("Escape");
		await at.sheet().waitFor({ state: "detached" });
		expect(await focused()).toBe("A");
		await at.page.keyboard.press("Enter");
		await press("Delete");
		await press("Delete it");
		await at.page.getByRole("link", { name: "handled" }).waitFor({ state: "detached" });
		expect(await focused()).toBe("H1");
	});

	test("sees what was used by day and by hour, and saves it as a table", async () => {
		const { key } = await at.gateway.token({ name: "counted" });
		for (let call = 0; call < 3; call++) await at.speak(key);
		// A client has its answer a moment before the ledger has its row.
		const sums = async () => JSON.stringify((await at.gateway.admin("GET", "/admin/usage?by=token"))["data"]);
		await until(async () => /"tokenName":"counted","calls":3/.test(await sums()), "three calls in the ledger");
		await at.go("Usage");
		const row = at.page.getByRole("row", { name: /counted/ });
		expect(await row.getByRole("cell").first().textContent()).toBe("3");
		await at.page.getByRole("img", { name: /Stacked columns of calls a day/ }).waitFor();
		await at.page.getByRole("button", { name: "24 h" }).click();
		await at.page.getByRole("heading", { name: "By hour" }).waitFor();
		await at.page.getByRole("heading", { name: "Time taken" }).waitFor();
		const saved = at.page.waitForEvent("download");
		await at.page.getByRole("button", { name: "CSV" }).click();
		const lines = readFileSync(await (await saved).path(), "utf8")
			.trim()
			.split("\r\n");
		expect(lines[0]).toStartWith("hour,token,token name,person,model,upstream,calls");
		expect(lines.filter((line) => line.includes(",counted,")).map((line) => line.split(",")[6])).toEqual(["3"]);
	});

	test("sees the chart in a browser whose language is none", async () => {
		await at.speak((await at.gateway.token({ name: "drawn" })).key);
		const { page } = await at.newWindow();
		// As a browser under the locale "C" says it.
		await page.addInitScript(() => Object.defineProperty(navigator, "language", { value: "C", configurable: true }));
		await at.signIn(page, "Ada");
		await page.getByRole("link", { name: "Usage" }).click();
		await page.locator(".chart canvas").waitFor();
	});

	test("finds a call by its id, and is told why it went wrong and what to do", async () => {
		const { key } = await at.gateway.token({ name: "caller" });
		const [good, bad] = [await at.speak(key), await at.speak(key, "no-such-model")];
		await at.go("Calls");
		await at.page.getByLabel("Open a call by its request id").fill(bad);
		await at.page.keyboard.press("Enter");
		await at.sheet().getByText("What to do:").waitFor();
		await at.sheet().getByText("No upstream was asked.").waitFor();
		await at.button("Close").click();
		await at.page.goto(`/console/calls/${good}`);
		await at.sheet().getByText("answered (200)").waitFor();
		await at.sheet().getByText("Portico's own checks: passed").waitFor();
		await at.sheet().getByRole("button", { name: "Copy" }).click();
		const curl = await at.page.evaluate(() => navigator.clipboard.readText());
		expect(curl).toContain(`${at.gateway.url}/v1/chat/completions`);
		expect(curl).toContain("$PORTICO_KEY");
		await at.button("Close").click();
		await at.page.getByLabel("Ending").selectOption("refused");
		await at.page
			.getByRole("row", { name: /Completed/ })
			.first()
			.waitFor({ state: "detached" });
		await at.page.getByRole("row", { name: /no-such-model/ }).waitFor();
	});

	test("asks where a call would go", async () => {
		await at.gateway.token({ name: "narrow", models: ["other"] });
		await at.go("Models");
		await at.page.getByLabel("Model").fill("demo");
		await at.page.getByRole("button", { name: "Explain" }).click();
		await at.page.getByText("First to demo demo").waitFor();
		await at.page.getByLabel("Token", { exact: true }).selectOption({ label: "narrow" });
		await at.page.getByRole("button", { name: "Explain" }).click();
		await at.page.getByText(/Refused by model-list/).waitFor();
		await at.page.getByLabel("Model").fill("nothing-of-the-kind");
		await at.page.getByRole("button", { name: "Explain" }).click();
		await at.page
			.getByRole("alert")
			.getByText(/No model "nothing-of-the-kind"/)
			.waitFor();
	});

	test("asks a model through each protocol, and sees words and events", async () => {
		await at.go("Playground");
		await at.page.getByRole("button", { name: /Make one/ }).click();
		await at.page.getByText(/This key may ask for/).waitFor();
		for (const protocol of ["chat-completions", "responses", "messages", "generate-content"]) {
			await at.page.getByRole("button", { name: protocol, exact: true }).click();
			await at.page.getByRole("tab", { name: "Answer" }).click();
			await at.page.getByLabel("Prompt").fill(`Words by ${protocol}`);
			if (protocol === "messages") await at.page.keyboard.press("Control+Enter");
			else await at.page.getByRole("button", { name: "Send" }).click();
			await at.page.locator(".answer", { hasText: `You said: Words by ${protocol}` }).waitFor();
			await at.page.getByRole("link", { name: "Explain this call" }).waitFor();
			await at.page.getByRole("tab", { name: "Events" }).click();
			expect((await at.page.locator(".events").textContent())?.match(/data:/g)?.length).toBeGreaterThan(3);
			await at.page.getByRole("tab", { name: "curl" }).click();
			expect(await at.page.getByRole("tabpanel").textContent()).toContain("$PORTICO_KEY");
		}
		await at.page.getByRole("link", { name: "Explain this call" }).click();
		await at.sheet().getByText("generate-content, streamed").waitFor();
		await at.button("Close").click();
	});

	test("whose first call is refused goes from there to what to do", async () => {
		await at.go("Playground");
		expect(await at.page.getByText("Nothing was asked yet.").count()).toBe(1);
		await at.page.getByRole("button", { name: /Make one/ }).click();
		await at.page.getByText(/This key may ask for/).waitFor();
		await at.page.getByLabel("Model").fill("none-such");
		await at.page.getByRole("button", { name: "Send" }).click();
		await at.page.getByRole("alert").getByText("does not exist").waitFor();
		expect(await at.page.locator(".answer").textContent()).toBe("No words came.");
		await at.page.getByRole("link", { name: "Explain this call" }).click();
		await at.sheet().getByText("What to do:").waitFor();
		await at.button("Close").click();
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
