/** The same incidents as an operator sees them in the console: the page says what happened, to whom, since when and what to do. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Browser } from "playwright-core";
import { hasBrowser, launch, openWindow, patience, type Watched } from "../console/browser.ts";
import { joined } from "../console/world.ts";
import { type CallWorld, callIncidents, startCallWorld } from "./call-world.ts";
import type { Incident } from "./incident.ts";
import { type IncidentWorld, startIncidentWorld } from "./world.ts";

setDefaultTimeout(patience);

/** Tasks and callbacks go by the clock of the database, which tests do not move. */
const today = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/** When it was, or how long ago. */
const sinceWhen = new RegExp(`2[23] Nov, 03:\\d\\d:\\d\\d|${today}, \\d\\d:\\d\\d:\\d\\d|just now|(?:min|h) ago`);

/** What a person at that gateway has before them: their clock shows the gateway's time, whatever day it is here. */
interface OperatorWindow extends Watched {
	readonly world: CallWorld | IncidentWorld;
}

describe.skipIf(!hasBrowser)("the console", () => {
	let ofCalls: CallWorld;
	let beyond: IncidentWorld;
	let browser: Browser;
	let atCalls: OperatorWindow;
	let atBeyond: OperatorWindow;

	const signedIn = async (world: CallWorld | IncidentWorld): Promise<OperatorWindow> => {
		const { gateway } = world;
		const [name = "", value = ""] = (await joined(gateway, "Operator", "admin")).split("=");
		const window = await openWindow(browser, gateway.url);
		await window.context.addCookies([{ name, value, url: gateway.url }]);
		return { ...window, world };
	};
	beforeAll(async () => {
		browser = await launch();
		ofCalls = await startCallWorld();
		beyond = await startIncidentWorld();
		atCalls = await signedIn(ofCalls);
		atBeyond = await signedIn(beyond);
	});
	afterAll(async () => {
		await browser.close();
		await ofCalls.stop();
		await beyond.stop();
	});

	/** What a person reads there, once all of it stands there: the dialog, where one is open. */
	const read = async (
		{ page, context, world }: OperatorWindow,
		path: string,
		words: readonly string[],
	): Promise<string> => {
		await context.clock.setFixedTime(world.clock.now());
		await page.goto(path);
		const inDialog = path.split("/").length > 3;
		const place = inDialog ? page.locator("dialog[open]") : page.locator("body");
		for (const end = performance.now() + patience / 6; ; ) {
			const text = (await place.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
			if (words.every((one) => text.includes(one)) || performance.now() > end) return text;
			await page.waitForTimeout(20);
		}
	};

	const look = async (window: OperatorWindow, { page, says, seen = [], list }: Incident): Promise<void> => {
		const words = [...says, ...seen, "What to do:"];
		const text = await read(window, page, words);
		for (const one of words) expect(text).toContain(one);
		expect(text).toMatch(sinceWhen);
		if (!list) return;
		const listed = await read(window, list.page, list.seen);
		for (const one of list.seen) expect(listed).toContain(one);
	};

	test.each(callIncidents)("tells of %s", async (what) => {
		await look(atCalls, await ofCalls.play(what));
	});

	test.each([
		"the used-up budget of a person",
		"a task that failed",
		"a dead callback",
		"a reload that failed",
		"a full disk",
	])("tells of %s", async (what) => {
		const incident = await beyond.incidents[what]?.();
		if (!incident) throw new Error(`nobody plays ${what}`);
		await look(atBeyond, incident);
		await incident.mend?.();
		if (!incident.mend) return;
		await atBeyond.page.goto(incident.page);
		await atBeyond.page.getByRole("heading", { level: 1 }).waitFor();
		await atBeyond.page.getByText("What to do:").waitFor({ state: "detached" });
	});

	test("did nothing that a page must not do", () => {
		expect([...atCalls.wrongs, ...atBeyond.wrongs]).toEqual([]);
	});
});
