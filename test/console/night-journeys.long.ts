/** What an operator lives at night: calls fail, and they go from the first page to the cause. A world of its own, with upstreams that fail or hang. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { correctionRow } from "../../plugins/ledger/row.ts";
import { insertRows } from "../../plugins/ledger/tables.ts";
import { until } from "../support/moved-clock.ts";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";

setDefaultTimeout(patience);

/** As long as a model's name may be, without a place to break. */
const longName = "unbroken".repeat(30);

const upstreamNamed = (name: string, url: string) => ({
	name,
	protocol: "chat-completions",
	url: `${url}/${name}`,
	key: "k",
});

describe.skipIf(!hasBrowser)("an operator", () => {
	let at: Journey;
	let upstream: ScriptedUpstream;
	beforeAll(async () => {
		upstream = startUpstream(async ({ path, signal }) => {
			if (path.startsWith("/hanging")) await new Promise((resolve) => signal.addEventListener("abort", resolve));
			return Response.json({ error: { message: "The vendor is down." } }, { status: 500 });
		});
		at = await startJourney({
			router: {
				upstreams: ["broken", "hanging"].map((name) => upstreamNamed(name, upstream.url)),
				models: [
					...["demo", longName].map((name) => ({ name, targets: [{ upstream: "demo", model: "demo" }] })),
					...["broken", "hanging"].map((name) => ({ name, targets: [{ upstream: name }] })),
				],
			},
		});
	});
	afterAll(async () => {
		await at.stop();
		await upstream.stop();
	});

	/** A client has its answer a moment before the ledger has its row. */
	const calls = (token: string, amount: number): Promise<void> =>
		until(async () => {
			const { data } = await at.gateway.admin("GET", `/admin/calls?token=${token}`);
			return (data as unknown[]).length === amount;
		}, `${amount} calls in the ledger`);

	test("goes from the sums to the calls that most often went wrong", async () => {
		const { id, key } = await at.gateway.token({ name: "exporter" });
		for (const model of ["demo", "broken", "broken", "none"]) await at.speak(key, model);
		await calls(id, 4);
		await at.go("Usage");
		const row = at.page.getByRole("row", { name: /exporter/ });
		const link = row.getByRole("link", { name: "2 upstream failed" });
		await link.waitFor();
		// Of all together the page tells how many did not complete, for they ended in several ways.
		await at.page.getByRole("link", { name: /\d not completed$/ }).waitFor();
		// A name that nobody knows has no sum of its own.
		await at.page.getByRole("link", { name: "no known model", exact: true }).click();
		await at.page.getByText("1 call", { exact: true }).waitFor();
		await at.page.goBack();
		await link.waitFor();
		for (const name of [/^broken/, /broken.*2 upstream failed/])
			await at.page.getByRole("row", { name }).getByRole("link", { name: "2 upstream failed" }).first().waitFor();
		await link.click();
		await at.page.getByRole("heading", { level: 1, name: "Calls" }).waitFor();
		await at.page.getByText("2 calls", { exact: true }).waitFor();
		const chosen = (name: string) =>
			at.page.getByLabel(name, { exact: true }).evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text);
		expect([await chosen("Token"), await chosen("Ending")]).toEqual(["exporter", "Upstream failed"]);
		expect(await chosen("Time")).toStartWith("Since 1 ");
		await at.page.goBack();
		await at.page
			.getByRole("row", { name: /^hanging|^broken/ })
			.first()
			.waitFor();

		await at.page.goto(`/console/calls?upstream=broken&from=2020-01-01&token=${id}`);
		await at.page.getByText("2 calls", { exact: true }).waitFor();
		await at.page.getByRole("button", { name: /At broken/ }).focus();
		await at.page.keyboard.press("Enter");
		await at.page.getByText("4 calls", { exact: true }).waitFor();
		// It went with what it stood for, and whoever uses keys does not begin at the top again.
		expect(await at.page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
		await at.page.getByLabel("Time", { exact: true }).selectOption("Last hour");
		await at.page.waitForURL((url) => url.search === `?token=${id}&span=hour`);
		await at.page.getByText("4 calls", { exact: true }).waitFor();
	});

	test("sees only calls that went otherwise than well, however they ended", async () => {
		const { id, key } = await at.gateway.token({ name: "now and then" });
		await at.speak(key);
		await at.speak(key, "nobody-has-this");
		await calls(id, 2);
		await at.page.goto(`/console/calls?token=${id}`);
		await at.page.getByText("2 calls", { exact: true }).waitFor();
		await at.page.getByLabel("Ending").selectOption("Not completed");
		await at.page.getByText("1 call", { exact: true }).waitFor();
		await at.page.getByRole("row", { name: /nobody-has-this.*Refused/ }).waitFor();
		expect(new URL(at.page.url()).searchParams.get("ending")).toBe("not_completed");
	});

	test("finds the calls of the minutes in which it went wrong", async () => {
		const { id, key } = await at.gateway.token({ name: "at night" });
		await at.speak(key);
		await calls(id, 1);
		await at.gateway.store.write([
			sql`UPDATE ledger SET at = ${new Date(2027, 0, 31, 2, 29, 59).getTime()} WHERE token = ${id}`,
		]);
		await at.page.goto(`/console/calls?token=${id}`);
		await at.page.getByLabel("Time", { exact: true }).selectOption("From … until …");
		const write = async (name: string, words: string) => {
			await at.page.getByLabel(name, { exact: true }).fill(words);
			await at.page.keyboard.press("Enter");
		};
		await write("From", "2027-01-31 02:00");
		await write("until", "2027-01-31 02:30");
		await at.page.getByText("1 call", { exact: true }).waitFor();
		const { searchParams } = new URL(at.page.url());
		const given = ["from", "to"].map((name) => new Date(searchParams.get(name) ?? "").getTime());
		expect(given).toEqual([new Date(2027, 0, 31, 2).getTime(), new Date(2027, 0, 31, 2, 30).getTime()]);
		await write("until", "2027-01-31 02:29");
		await at.page.getByText("No call is like that.").waitFor();
		await write("until", "two");
		await at.page.getByText("to must be a date such as").waitFor();
		await write("until", "");
		await at.page.getByText("1 call", { exact: true }).waitFor();
		await write("From", "");
		expect(await at.page.getByLabel("From", { exact: true }).count()).toBe(0);
		await at.page.waitForURL((url) => url.search === `?token=${id}`);
	});

	test("goes from the sum of calls without a token to these calls", async () => {
		for (let call = 0; call < 2; call++) await at.speak("sk-unknown");
		await until(async () => {
			const { data } = await at.gateway.admin("GET", "/admin/calls?without=token");
			return (data as unknown[]).length > 0;
		}, "a call without a token in the ledger");
		await at.go("Usage");
		await at.page
			.getByRole("row", { name: /^no token/ })
			.getByRole("link", { name: /refused/ })
			.click();
		await at.page.getByRole("heading", { level: 1, name: "Calls" }).waitFor();
		await at.page
			.getByRole("cell", { name: /unknown key/ })
			.first()
			.waitFor();
		const lack = at.page.getByRole("button", { name: /No token/ });
		await lack.waitFor();
		const strangers = at.page.getByRole("row", { name: /unknown key/ });
		expect(await at.page.getByRole("row").count()).toBe(1 + (await strangers.count()));
		await lack.click();
		await at.page.waitForURL((url) => !url.searchParams.has("without"));
		// Whoever chooses a token wants no call without one.
		await at.page.goto("/console/calls?without=token");
		await at.page.getByLabel("Token", { exact: true }).selectOption({ index: 1 });
		await at.page.waitForURL((url) => !url.searchParams.has("without") && url.searchParams.has("token"));
	});

	test("chooses a token by its name, and one that is gone stays chosen", async () => {
		const { id, key } = await at.gateway.token({ name: "retired" });
		for (const name of ["team 10", "Team 9", "alpha", "two", "two"]) await at.gateway.token({ name });
		await at.speak(key);
		await calls(id, 1);
		await at.gateway.admin("DELETE", `/admin/tokens/${id}`);
		await at.page.goto(`/console/calls?token=${id}`);
		const choice = at.page.getByLabel("Token", { exact: true });
		await choice.getByText("team 10").waitFor({ state: "attached" });
		await at.page.getByText("1 call", { exact: true }).waitFor();
		expect(await choice.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text)).toBe("retired");
		const names = await choice.locator("option").allTextContents();
		expect(names.filter((name) => /^(team|alpha)/i.test(name))).toEqual(["alpha", "Team 9", "team 10"]);
		// Two of one name are told apart by their keys.
		expect(new Set(names.filter((name) => /^two \(sk-.{3}….{4}\)$/.test(name))).size).toBe(2);
	});

	test("reads the usage on a phone, whatever models are called", async () => {
		const { id, key } = await at.gateway.token({ name: "wide" });
		for (let call = 0; call < 3; call++) await at.speak(key, longName);
		await calls(id, 3);
		await at.page.setViewportSize({ width: 360, height: 760 });
		await at.go("Usage");
		await at.page.getByRole("button", { name: "Calls", exact: true }).click();
		await at.page.locator(".legend").getByText(longName).waitFor();
		const wide = await at.page.evaluate(() => {
			const inside = [...document.querySelectorAll(".legend span, main td, main code")];
			return Math.max(...inside.map((one) => one.getBoundingClientRect().right)) - innerWidth;
		});
		expect(wide).toBeLessThanOrEqual(0);
		expect(await at.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
		await at.page.setViewportSize({ width: 1360, height: 820 });
	});

	test("is told of an attempt that had not answered, and of what a node left behind", async () => {
		const { id, key } = await at.gateway.token({ name: "impatient" });
		const headers = { authorization: `Bearer ${key}` };
		const body = { model: "hanging", messages: [{ role: "user", content: "Hello" }] };
		const client = new AbortController();
		const before = upstream.received.length;
		const asked = at.gateway.ask("/v1/chat/completions", body, { headers, signal: client.signal });
		await until(() => upstream.received.length > before);
		client.abort();
		await asked.catch(() => undefined);
		await calls(id, 1);
		await at.page.goto(`/console/calls?token=${id}`);
		const row = at.page.getByRole("row", { name: /hanging/ });
		expect(await row.getByRole("cell").last().textContent()).toBe("Client left");
		await row.getByRole("link").click();
		await at.sheet().getByText("had not answered yet").waitFor();
		await at.sheet().getByText("The upstream had not answered when the call ended").waitFor();
		// Whoever left was told nothing.
		expect(
			await at
				.sheet()
				.getByText(/internal|The client was told/)
				.count(),
		).toBe(0);

		const now = Date.now();
		const rows = (["crash", "lease_lost", "lease_found"] as const).map((reason, index) =>
			correctionRow({ id: `gone_${reason}`, tokenId: id, amount: 120_000 - index, reason, at: now }),
		);
		await at.gateway.store.write(insertRows(rows));
		await at.page.goto("/console/calls/gone_crash");
		await at.sheet().getByText("Its node went away: nobody knows which upstream was asked.").waitFor();
		await at.page.goto("/console/calls/gone_lease_lost");
		await at.sheet().getByText("A node fell silent").waitFor();
		await at.page.goto("/console/calls/gone_lease_found");
		await at.sheet().getByText("The node came back").waitFor();
		await at.sheet().getByRole("heading", { name: "A charge of no call" }).waitFor();
		// Nobody knows what was asked and used: nothing is said of it, and nothing made up to be asked again.
		expect(
			await at
				.sheet()
				.getByText(/Used|Asked in|curl|own checks/)
				.count(),
		).toBe(0);
	});

	test("sees that the server is away, where nothing was loaded yet and above what was", async () => {
		const notice = at.page.getByRole("alert").getByText("this page tries again");
		await at.go("Tokens");
		await at.page.getByRole("link", { name: "exporter" }).waitFor();
		await at.page.context().setOffline(true);
		await at.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
		await notice.waitFor();
		expect(await at.page.getByRole("link", { name: "exporter" }).isVisible()).toBe(true);
		await at.page.getByRole("link", { name: "Playground" }).click();
		await at.page.getByRole("heading", { level: 1, name: "Playground" }).waitFor();
		await notice.waitFor();
		await at.page.context().setOffline(false);
		await at.page.getByLabel("Prompt").waitFor();

		const { page } = await at.newWindow();
		await page.route("**/v1/session", (route) => route.abort());
		await page.goto("/console/usage");
		await page.locator("main.gate").getByRole("heading", { name: "The console cannot begin" }).waitFor();
		expect(await page.title()).toBe("The console cannot begin · Portico");
		await page.getByRole("alert").getByText("this page tries again").waitFor();
	});

	test("sees what is chosen, and how much is used, in their own colours too", async () => {
		await at.go("Usage");
		await at.page.getByRole("row", { name: /exporter/ }).waitFor();
		await at.page.emulateMedia({ forcedColors: "active" });
		const background = (selector: string) =>
			at.page
				.locator(selector)
				.first()
				.evaluate((one) => getComputedStyle(one).backgroundColor);
		for (const [chosen, other] of [
			[".segments [aria-pressed=true]", ".segments [aria-pressed=false]"],
			["nav a[aria-current]", "nav a:not([aria-current])"],
		] as const)
			expect(await background(chosen)).not.toBe(await background(other));
		const line = at.page.locator(".line").first();
		expect(await line.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe("solid");
		await at.page.getByRole("row", { name: /exporter.*%/ }).waitFor();
		// On the reader's own ground, what calls for action is in the letters that go with it.
		await at.page.route("**/admin/deliveries?status=dead*", (route) => route.fulfill({ json: { data: [{}] } }));
		await at.go("Callbacks");
		const alarm = at.page.locator("nav a[aria-current] .alarm");
		const colour = (one: Element): string => getComputedStyle(one).color;
		expect(await alarm.evaluate(colour)).toBe(await at.page.locator("nav a[aria-current]").evaluate(colour));
		await at.page.unroute("**/admin/deliveries?status=dead*");
		await at.page.emulateMedia({ forcedColors: "none" });
	});

	test("has the focus in the field that asks, in the moment in which it comes", async () => {
		await at.go("Tokens");
		await at.page.keyboard.press("c");
		await at.sheet().getByLabel(/^Name/).fill("kept");
		await at.page.route("**/v1/session", (route) => route.fulfill({ json: { signedIn: false } }));
		// Whoever sees a field writes in it: what is typed before it has the focus would stand in another.
		const focused = await at.page.evaluate(
			() =>
				new Promise<string | undefined>((resolve) => {
					const watch = new MutationObserver(() => {
						if (!document.body.textContent?.includes("Sign in again")) return;
						watch.disconnect();
						resolve(document.activeElement?.getAttribute("autocomplete") ?? undefined);
					});
					watch.observe(document, { childList: true, subtree: true });
					document.dispatchEvent(new Event("visibilitychange"));
				}),
		);
		expect(focused).toBe("current-password");
		await at.page.unroute("**/v1/session");
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
