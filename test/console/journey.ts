/** A gateway as it ships, and a browser in which Ada, an admin, has signed in: where each journey begins. */
import type { Browser, Locator, Page } from "playwright-core";
import type { TestGateway } from "#core/testing";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";
import { launch, openWindow, type Watched } from "./browser.ts";
import { joined, password, startShipped } from "./world.ts";

export interface Journey {
	readonly gateway: TestGateway;
	/** Takes callbacks. */
	readonly hook: Receiver;
	/** Ada's. */
	readonly page: Page;
	newWindow(): Promise<Watched>;
	signIn(page: Page, name: string, word?: string): Promise<void>;
	/** Opens one of Ada's pages. */
	go(name: string): Promise<void>;
	/** What lies open beside her page, and a button in it. */
	sheet(): Locator;
	button(name: string): Locator;
	/** The status that a key is answered with. */
	answers(key: string): Promise<number>;
	/** Asks a model; gives the call's request id. */
	speak(key: string, model?: string): Promise<string>;
	/** What pages did that none may do. */
	wrongs(): readonly string[];
	stop(): Promise<void>;
}

const signIn = async (page: Page, name: string, word = password): Promise<void> => {
	await page.goto("/console");
	await page.getByLabel("Name").fill(name);
	await page.getByLabel("Password").fill(word);
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { level: 1, name: "Tokens" }).waitFor();
};

const asKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

const around = (gateway: TestGateway, browser: Browser, hook: Receiver, ada: Watched): Journey => {
	const { page } = ada;
	const windows = [ada];
	const sheet = (): Locator => page.getByRole("dialog");
	return {
		gateway,
		hook,
		page,
		signIn,
		sheet,
		button: (name) => sheet().getByRole("button", { name }),
		async newWindow() {
			const window = await openWindow(browser, gateway.url);
			windows.push(window);
			return window;
		},
		async go(name) {
			// By its address, so that a journey which broke off does not stand in the way of the next.
			await page.goto(`/console/${name.toLowerCase()}`);
			await page.getByRole("heading", { level: 1, name }).waitFor();
		},
		answers: async (key) => (await gateway.ask("/v1/me", undefined, asKey(key))).status,
		async speak(key, model = "demo") {
			const body = { model, messages: [{ role: "user", content: "Hello" }] };
			const answer = await gateway.ask("/v1/chat/completions", body, asKey(key));
			await answer.text();
			return answer.headers.get("x-request-id") ?? "";
		},
		wrongs: () => windows.flatMap((window) => window.wrongs),
		async stop() {
			await browser.close();
			await gateway.stop();
			await hook.close();
		},
	};
};

/** With the settings of some plugins changed. */
export const startJourney = async (changed: Readonly<Record<string, unknown>> = {}): Promise<Journey> => {
	const hook = await startReceiver(status(200));
	const gateway = await startShipped({
		webhooks: { allowPrivateNetworks: true },
		demo: { wordMs: 0, taskSeconds: 0 },
		...changed,
	});
	await joined(gateway, "Ada", "admin");
	const browser = await launch();
	const ada = await openWindow(browser, gateway.url);
	await signIn(ada.page, "Ada");
	return around(gateway, browser, hook, ada);
};
