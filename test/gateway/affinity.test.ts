/** Which calls go to the same target, so that a provider's cache keeps hitting: those of one session, in every protocol. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let world: TestGateway;
beforeAll(async () => {
	const targets = ["one", "two"].map((model) => ({ upstream: "demo", model, weight: 1 }));
	world = await startGateway({
		plugins: [
			...["tokens", "ledger", "chat-completions", "responses", "messages", "generate-content", "demo"],
			{ use: "router", with: { models: [{ name: "m", targets }] } },
		],
	});
});
afterAll(() => world.stop());

/** To which models calls of these sessions went, in their order. */
const modelsOf = async (ask: (session: string) => Promise<Response>): Promise<readonly unknown[]> => {
	const answers = await Promise.all(sessions.map(ask));
	for (const answer of answers) expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
	await world.admin("GET", "/admin/usage");
	const rows = answers.map(({ headers }) => world.admin("GET", `/admin/calls/${headers.get("x-request-id") ?? ""}`));
	return (await Promise.all(rows)).map(({ attempts }) => (attempts as { model: string }[])[0]?.model);
};

const sessions = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/** The header of a session. */
const init = (session: string): RequestInit => ({ headers: { "x-session-affinity": session } });

const messages = [{ role: "user", content: "Hello" }];
const generateContent = "/v1beta/models/m:generateContent";
const bodies: readonly [string, (session?: string) => object][] = [
	["/v1/chat/completions", (session) => ({ model: "m", messages, prompt_cache_key: session })],
	["/v1/responses", (session) => ({ model: "m", input: "Hello", prompt_cache_key: session })],
	["/v1/messages", (session) => ({ model: "m", max_tokens: 10, messages, metadata: { user_id: session } })],
	[generateContent, () => ({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] })],
];

test.each(bodies)("of %s by a header, after what the body says", async (path, body) => {
	const told = await modelsOf((session) => world.ask(path, body(), init(session)));
	expect(new Set(told).size).toBe(2);
	expect(await modelsOf((session) => world.ask(path, body(), init(session)))).toEqual(told);
	// No upstream of this test has a cache that a request to Google's could name.
	if (path === generateContent) return;
	expect(await modelsOf((session) => world.ask(path, body(session), init("a")))).toEqual(told);
});
