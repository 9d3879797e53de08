/** A gateway with people, and browsers that ask it: each keeps its cookie and says where its page is from. */
import { startGateway, type TestGateway } from "#core/testing";

export interface Answer {
	readonly status: number;
	readonly body: Readonly<Record<string, unknown>>;
	readonly headers: Headers;
}

export interface Browser {
	cookie: string;
	/** Asks as a page of the server does. */
	ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export const password = "correct horse battery";

const answerOf = async (response: Response): Promise<Answer> => {
	const text = await response.text();
	const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
	return { status: response.status, body, headers: response.headers };
};

/** Asks with exactly these headers. */
export const rawAsk = async (url: string, init: RequestInit): Promise<Answer> => answerOf(await fetch(url, init));

export const createBrowser = (url: string): Browser => ({
	cookie: "",
	async ask(method, path, body, headers = {}) {
		const response = await fetch(url + path, {
			method,
			headers: {
				origin: url,
				"sec-fetch-site": "same-origin",
				...(this.cookie !== "" && { cookie: this.cookie }),
				...(body !== undefined && { "content-type": "application/json" }),
				...headers,
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		for (const cookie of response.headers.getSetCookie()) this.cookie = cookie.split(";")[0] ?? "";
		return await answerOf(response);
	},
});

export const secretOf = (link: unknown): string => String(link).split("#")[1] ?? "";

/** Invites somebody and lets them join: their browser is signed in. */
export const joined = async (
	world: TestGateway,
	name: string,
	terms: Readonly<Record<string, unknown>> = {},
): Promise<Browser & { readonly id: string }> => {
	const { link } = await world.admin("POST", "/admin/invitations", terms);
	const browser = createBrowser(world.url);
	const { status, body } = await browser.ask("POST", "/v1/session/join", { secret: secretOf(link), name, password });
	if (status !== 201) throw new Error(`${name} could not join: ${status} ${JSON.stringify(body)}`);
	return Object.assign(browser, { id: String(body["id"]) });
};

/** As the shipped config has it, with a demo model. */
export const peoplePlugins = [
	"tokens",
	"expiry",
	"model-list",
	"ip-whitelist",
	"prices",
	"quota",
	"rate-limit",
	"chat-completions",
	{ use: "demo", with: { wordMs: 0 } },
	{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	"ledger",
	"people",
];

export const startPeopleWorld = (options: Partial<Parameters<typeof startGateway>[0]> = {}): Promise<TestGateway> =>
	startGateway({ plugins: peoplePlugins, ...options });
