/** A stranger's upstream whose `send` is a bare `fetch`: where its connection fails, that is told, goes on and costs as at any other. */
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

test("nothing is charged, the next target answers, and no failure of Portico's is logged", async () => {
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
