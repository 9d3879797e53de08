/** Chromium, where this machine has one, and pages that note everything a page must not do. */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";

/** The usual places; `CHROMIUM` names another. */
const places = [
	process.env["CHROMIUM"],
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	"/opt/google/chrome/chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const program = places.find((place) => place !== undefined && existsSync(place));

export const hasBrowser = program !== undefined;

if (!hasBrowser)
	console.warn("SKIPPED: no Chromium here, so nobody looked at the console. Install it, or name it in CHROMIUM.");

/**
 * For whole tests, milliseconds; a test that is ended takes its browser along, and all tests after it fail too. A machine
 * that is eight times slower than ours is slow, not wrong.
 */
export const patience = 180_000;

export const launch = (): Promise<Browser> =>
	chromium.launch({ executablePath: program ?? "", args: ["--no-sandbox", "--disable-gpu"] });

export interface Watched {
	readonly context: BrowserContext;
	readonly page: Page;
	/** Page errors, words on the console, violations of the policy, requests to other servers. */
	readonly wrongs: string[];
}

/** A window of its own, with cookies and storage of its own. */
export const openWindow = async (
	browser: Browser,
	origin: string,
	look: { readonly dark?: boolean; readonly width?: number; readonly height?: number } = {},
	place: { readonly timezoneId?: string; readonly locale?: string } = {},
): Promise<Watched> => {
	const context = await browser.newContext({
		...place,
		baseURL: origin,
		viewport: { width: look.width ?? 1360, height: look.height ?? 820 },
		colorScheme: look.dark ? "dark" : "light",
		reducedMotion: "reduce",
		permissions: ["clipboard-read", "clipboard-write"],
	});
	const page = await context.newPage();
	page.setDefaultTimeout(30_000);
	const wrongs: string[] = [];
	page.on("pageerror", (error) => wrongs.push(`page error: ${error.message}`));
	page.on("console", (message) => {
		// Chromium tells of every answer that is no 2xx; the page says itself what was refused.
		if (message.type() === "error" && !/Failed to load resource/.test(message.text())) wrongs.push(message.text());
	});
	page.on("request", (request) => {
		const { protocol, origin: asked } = new URL(request.url());
		if (protocol !== "data:" && asked !== origin) wrongs.push(`a request to ${request.url()}`);
	});
	await page.addInitScript(() => {
		document.addEventListener("securitypolicyviolation", (event) => {
			console.error(`policy violated: ${event.violatedDirective} ${event.blockedURI}`);
		});
	});
	return { context, page, wrongs };
};
