/** Upstreams that strangers bring: what a bare `fetch` says of a connection that failed, and one that holds no conversations. */
import { expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway, startUpstream } from "#core/testing";
import { writeStranger } from "./stranger.ts";

const plugin = (url: string) => `import { add, definePlugin, t, upstreams } from "#core";
export default definePlugin({
	name: "own-fetch",
	summary: "Asks by a fetch of its own.",
	config: t.Object({}),
	gives: [upstreams],
	setup: ({ name }) => ({
		offers: [
			add(upstreams, {
				name,
				protocols: ["chat-completions"],
				send: ({ path, body, headers }, { abort }) =>
					fetch("${url}" + path, { method: "POST", body, headers, signal: abort.signal, redirect: "error" }),
			}),
		],
	}),
});
`;

test("a failed connection: nothing is charged, the next target answers, and no failure of Portico's is logged", async () => {
	const gone = startUpstream();
	await gone.stop();
	const message = { role: "assistant", content: "Good morning." };
	const answer = {
		choices: [{ index: 0, message, finish_reason: "stop" }],
		usage: { prompt_tokens: 1, completion_tokens: 1 },
	};
	const other = startUpstream(() => Response.json(answer));
	const stranger = writeStranger(plugin(gone.url));
	const alone = [{ upstream: "own-fetch" }];
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"messages",
			{ use: "prices", with: { default: { input: 1_000, output: 1_000 } } },
			"quota",
			"ledger",
			{ use: stranger.file },
			{
				use: "router",
				with: {
					upstreams: [{ name: "other", protocol: "chat-completions", url: other.url, key: "k" }],
					models: [
						{ name: "alone", targets: alone },
						{ name: "both", targets: [...alone, { upstream: "other" }] },
					],
				},
			},
		],
	});
	try {
		const { key } = await gateway.token({ quota: 10 });
		const ask = (model: string) => {
			const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
			return gateway.ask("/v1/messages", body, { headers: { authorization: `Bearer ${key}` } });
		};
		const refused = await ask("alone");
		expect([refused.status, await refused.json()]).toMatchObject([
			502,
			{
				error: {
					message:
						'The upstream "own-fetch" could not be reached. Ask again, or ask the operator to check its address.',
				},
			},
		]);
		const [row] = asList(asRecord(await gateway.admin("GET", "/admin/calls?limit=1"))["data"]);
		expect(asRecord(row)["cost"]).toBe(0);
		const answered = await ask("both");
		expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining("Good morning.")]);
		expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
	} finally {
		await gateway.stop();
		await other.stop();
		stranger.remove();
	}
});

test("a send that answers no Response is told by the name of its upstream", async () => {
	const stranger = writeStranger(plugin("").replace(/fetch\(.*\),\n/, "undefined,\n"));
	const router = { use: "router", with: { models: [{ name: "m", targets: [{ upstream: "own-fetch" }] }] } };
	const gateway = await startGateway({ plugins: ["tokens", "chat-completions", { use: stranger.file }, router] });
	try {
		const asked = { model: "m", messages: [{ role: "user", content: "Hello" }] };
		expect((await gateway.ask("/v1/chat/completions", asked)).status).toBe(502);
		const error = 'TypeError: "own-fetch" sent and got no Response';
		expect(gateway.log.filter(({ level }) => level === "error")).toMatchObject([{ error }]);
	} finally {
		await gateway.stop();
		stranger.remove();
	}
});

test("an upstream of endpoints alone says so to whoever talks to it", async () => {
	const stranger = writeStranger(`import { add, definePlugin, t, upstreams } from "#core";
const vectors = { object: "list", data: [{ object: "embedding", index: 0, embedding: [1] }], usage: { prompt_tokens: 1, total_tokens: 1 } };
export default definePlugin({
	name: "vectors",
	summary: "Serves embeddings alone.",
	config: t.Object({}),
	gives: [upstreams],
	setup: ({ name }) => ({
		offers: [add(upstreams, { name, protocols: [], endpoints: { embeddings: "openai" }, send: async () => Response.json(vectors) })],
	}),
});
`);
	const router = { use: "router", with: { models: [{ name: "m", targets: [{ upstream: "vectors" }] }] } };
	const spoken = ["chat-completions", "messages", "generate-content", "responses", "embeddings"];
	const gateway = await startGateway({ plugins: ["tokens", ...spoken, { use: stranger.file }, router] });
	try {
		expect((await gateway.ask("/v1/embeddings", { model: "m", input: "Hello" })).status).toBe(200);
		const messages = [{ role: "user", content: "Hello" }];
		for (const [path, body] of [
			["/v1/chat/completions", { model: "m", messages }],
			["/v1/messages", { model: "m", max_tokens: 9, messages }],
			["/v1/responses", { model: "m", input: "Hello" }],
			["/v1beta/models/m:generateContent", { contents: [{ parts: [{ text: "Hello" }] }] }],
		] as const) {
			const refused = await gateway.ask(path, body);
			expect([refused.status, await refused.text()]).toEqual([
				400,
				expect.stringContaining("holds no conversations. It serves embeddings."),
			]);
		}
	} finally {
		await gateway.stop();
		stranger.remove();
	}
});
