/** A plugin that reads a vendor's price list: each model costs what the list says now, and what it does not say has no price. */
import { expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway, startUpstream } from "#core/testing";
import { writeStranger } from "./stranger.ts";

const plugin = (url: string) => `import { add, definePlugin, routes, t } from "#core";
import { upstreamPrices } from "#core/plugins/prices";

export default definePlugin({
	name: "vendor-prices",
	summary: "Reads the vendor's price list.",
	config: t.Object({}),
	gives: [routes, upstreamPrices],
	setup() {
		let list = new Map();
		const read = async () => {
			const { data } = await (await fetch("${url}/models")).json();
			list = new Map(data.map(({ id, input, output }) => [id, { input, output }]));
		};
		return {
			start: read,
			offers: [
				add(upstreamPrices, { upstream: "vendor", price: (model) => list.get(model) }),
				add(routes, {
					method: "POST",
					path: "/admin/vendor-prices",
					access: "admin",
					summary: "Reads it anew.",
					handle: async () => (await read(), Response.json({})),
				}),
			],
		};
	},
});
`;

const answer = {
	choices: [{ index: 0, message: { role: "assistant", content: "Good morning." }, finish_reason: "stop" }],
	usage: { prompt_tokens: 1_000, completion_tokens: 1_000 },
};

test("a call costs what the list says, under a quota too; what is not in it, or is -1 there, is refused", async () => {
	let rate = 1;
	const vendor = startUpstream(({ path }) =>
		path === "/models"
			? Response.json({
					data: [
						{ id: "small", input: rate, output: rate },
						{ id: "any", input: -1, output: -1 },
					],
				})
			: Response.json(answer),
	);
	const stranger = writeStranger(plugin(vendor.url));
	const gateway = await startGateway({
		plugins: [
			...["tokens", "chat-completions", "prices", "quota", "ledger"],
			{ use: stranger.file },
			{
				use: "router",
				with: {
					upstreams: [{ name: "vendor", protocol: "chat-completions", url: vendor.url, key: "k" }],
					models: ["small", "any", "unlisted"].map((name) => ({ name, targets: [{ upstream: "vendor" }] })),
				},
			},
		],
	});
	try {
		const { key } = await gateway.token({ quota: 1 });
		const ask = async (model: string) => {
			const body = { model, max_tokens: 9, messages: [{ role: "user", content: "Hello" }] };
			const headers = { authorization: `Bearer ${key}` };
			return (await gateway.ask("/v1/chat/completions", body, { headers })).status;
		};
		expect([await ask("small"), await ask("any"), await ask("unlisted")]).toEqual([200, 403, 403]);
		rate = 2;
		await gateway.admin("POST", "/admin/vendor-prices");
		expect(await ask("small")).toBe(200);
		const rows = asList((await gateway.admin("GET", "/admin/calls?model=small"))["data"]).map(asRecord);
		// What was told beyond the hold is the operator's.
		expect(rows.map(({ cost, excess }) => Number(cost) + Number(excess))).toEqual([0.004, 0.002]);
	} finally {
		await gateway.stop();
		await vendor.stop();
		stranger.remove();
	}
});
