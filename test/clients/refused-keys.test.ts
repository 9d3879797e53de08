/** An upstream that refuses the operator's key: clients give up as they do at the vendor itself, and do not ask three times. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

const refusals: Readonly<Record<string, () => Response>> = {
	"an unknown key": () =>
		Response.json({ error: { message: "Incorrect API key provided.", code: "invalid_api_key" } }, { status: 401 }),
	"an empty account": () =>
		Response.json(
			{
				error: { message: "You exceeded your current quota.", type: "insufficient_quota", code: "insufficient_quota" },
			},
			{ status: 429 },
		),
};

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let asked = 0;
let refuse = (): Response => Response.json({});
const protocols = ["chat-completions", "responses", "messages"];
beforeAll(async () => {
	upstream = startUpstream(() => {
		asked++;
		return refuse();
	});
	const far = { name: "far", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "far-key" };
	const models = [{ name: "m", targets: [{ upstream: "far" }] }];
	gateway = await startGateway({
		plugins: ["tokens", ...protocols, { use: "router", with: { upstreams: [far], models } }],
	});
});
beforeEach(() => {
	asked = 0;
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const messages = [{ role: "user" as const, content: "Hello" }];
const openai = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 1 });
const anthropic = () => new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 1 });
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
	"chat-completions": async () => await openai().chat.completions.create({ model: "m", messages }),
	responses: async () => await openai().responses.create({ model: "m", input: "Hello", stream: true }),
	messages: async () => await anthropic().messages.create({ model: "m", max_tokens: 10, messages }),
};

for (const [what, answer] of Object.entries(refusals))
	test.each(Object.keys(calls))(`${what}: a client of %s asks once`, async (protocol) => {
		refuse = answer;
		const failure = await calls[protocol]?.().catch((error: unknown) => error);
		expect(failure).toMatchObject({ status: 502, message: expect.stringContaining("must look at its key") });
		expect(asked).toBe(1);
	});

test("another failure of the upstream is asked for again", async () => {
	refuse = () => Response.json({ error: { message: "Something broke." } }, { status: 500 });
	await calls["messages"]?.().catch(() => undefined);
	expect(asked).toBe(2);
});
