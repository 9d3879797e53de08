/** How many tokens a request is: the upstream that would answer it is asked, whichever protocol it speaks. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";

const counting = {
	messages: { path: "/v1/messages/count_tokens", answer: { input_tokens: 41 } },
	responses: { path: "/v1/responses/input_tokens", answer: { object: "response.input_tokens", input_tokens: 41 } },
	"generate-content": { path: "/v1beta/models/up:countTokens", answer: { totalTokens: 41 } },
} as const;
type Name = keyof typeof counting;
const names = Object.keys(counting) as Name[];

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream();
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			...names,
			{
				use: "router",
				with: {
					upstreams: [
						...names.map((protocol) => ({
							name: protocol,
							protocol,
							url: upstream.url + { messages: "", responses: "/v1", "generate-content": "/v1beta" }[protocol],
						})),
						{ name: "chat-completions", protocol: "chat-completions", url: `${upstream.url}/v1` },
					],
					models: [...names, "chat-completions"].map((name) => ({
						name: `m-${name}`,
						targets: [{ upstream: name, model: "up" }],
					})),
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const content = "How long is this?";
const ask = (client: Name, model: string): Promise<Response> => {
	if (client === "messages")
		return gateway.ask("/v1/messages/count_tokens", { model, messages: [{ role: "user", content }] });
	if (client === "responses") return gateway.ask("/v1/responses/input_tokens", { model, input: content });
	return gateway.ask(`/v1beta/models/${model}:countTokens`, {
		contents: [{ role: "user", parts: [{ text: content }] }],
	});
};

const countIn: Readonly<Record<Name, (body: never) => unknown>> = {
	messages: ({ input_tokens: count }: { input_tokens: unknown }) => count,
	responses: ({ input_tokens: count }: { input_tokens: unknown }) => count,
	"generate-content": ({ totalTokens: count }: { totalTokens: unknown }) => count,
};

describe.each(names)("a client of %s", (client) => {
	test.each(names)("hears the count of an upstream of %s", async (spoken) => {
		upstream.answer(() => Response.json(counting[spoken].answer));
		upstream.received.length = 0;
		const response = await ask(client, `m-${spoken}`);
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-estimated")).toBeNull();
		expect(countIn[client]((await response.json()) as never)).toBe(41);
		const [asked] = upstream.received;
		expect(asked?.path).toBe(counting[spoken].path);
		expect(asked?.text).toContain(content);
		// The count routes refuse to hear of the answer.
		expect(asked?.text).not.toMatch(/max_(output_)?tokens|"stream"|"store"/i);
	});

	test("gets an estimate, marked so, where the upstream's protocol cannot count", async () => {
		upstream.received.length = 0;
		const response = await ask(client, "m-chat-completions");
		expect(response.status).toBe(200);
		expect(response.headers.get("x-portico-estimated")).toBe("true");
		expect(Number(countIn[client]((await response.json()) as never))).toBeGreaterThan(3);
		expect(upstream.received).toEqual([]);
	});

	test("gets an estimate where the upstream has no such route", async () => {
		upstream.answer(() => new Response("no such page", { status: 404 }));
		const response = await ask(client, "m-messages");
		expect([response.status, response.headers.get("x-portico-estimated")]).toEqual([200, "true"]);
	});
});
