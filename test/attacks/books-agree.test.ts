/**
 * Promise: what a call costs is what its price says, reckoned here anew in whole numbers, for every kind of token and unit, at
 * every protocol and endpoint, passed and translated; and all who tell of it (headers, the token, its owner, budgets, calls,
 * sums, metrics) tell the same, to the micro-dollar.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord, asText } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { joined } from "../support/people-world.ts";
import { costOf, priceOf, type Rates, random, tables } from "./reckoned.ts";
import { conversation } from "./reckoned-conversations.ts";
import { beside } from "./reckoned-endpoints.ts";
import { sized } from "./sized.ts";

let gateway: TestGateway;
let upstream: ScriptedUpstream;
const protocols = {
	chat: "chat-completions",
	messages: "messages",
	responses: "responses",
	gemini: "generate-content",
};
const roots: Readonly<Record<string, string>> = { messages: "", gemini: "/v1beta" };

beforeAll(async () => {
	upstream = startUpstream();
	const models = tables.map((rates, at) => [`*-${at}`, priceOf(rates)] as const);
	gateway = await startGateway({
		plugins: [
			"tokens",
			...Object.values(protocols),
			"embeddings",
			"rerank",
			"completions",
			"audio",
			{ use: "prices", with: { models: Object.fromEntries(models) } },
			"quota",
			"ledger",
			"metrics",
			"people",
			{
				use: "router",
				with: {
					upstreams: Object.entries(protocols).map(([name, protocol]) => ({
						name,
						protocol,
						url: upstream.url + (roots[name] ?? "/v1"),
						key: "up-key",
						...(name === "chat" && { endpoints: ["rerank"] }),
					})),
					models: Object.keys(protocols).map((name) => ({
						name: `${name}-*`,
						targets: [{ upstream: name }],
						caps: { thinking: "always", maxOutput: 4_000 },
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

const microDollars = (dollars: unknown): number => Math.round(Number(dollars) * 1e6);

test("every call, every total", async () => {
	const budgets = [
		{ amount: 100_000, per: "day" },
		{ amount: 100_000, per: "month", zone: "Asia/Kathmandu" },
	];
	const person = await joined(gateway, "Ada", { ceiling: 100_000, budgets });
	const made = asRecord((await person.ask("POST", "/admin/tokens", { name: "one" })).body);
	const [id, key] = [String(made["id"]), String(made["key"])];
	await gateway.admin("PATCH", `/admin/tokens/${id}`, { quota: 100_000, explain: true, budgets });
	const wrong: unknown[] = [];
	let sum = 0;
	const calls = sized(400, 20_000);
	for (let call = 0; call < calls; call++) {
		const table = random(tables.length);
		const model = (protocol: string) => `${protocol}-${table}`;
		const scene = random(3) === 0 ? beside(model) : conversation(model);
		upstream.answer(scene.answer);
		const isForm = scene.body instanceof FormData;
		const response = await fetch(gateway.url + scene.path, {
			method: "POST",
			headers: {
				authorization: `Bearer ${key}`,
				"x-goog-api-key": key,
				...(!isForm && { "content-type": "application/json" }),
			},
			body: scene.body instanceof FormData ? scene.body : JSON.stringify(scene.body),
		});
		const text = await response.text();
		const cost = costOf(scene.used, tables[table] as Rates);
		sum += cost;
		const header = response.headers.get("x-portico-cost");
		const row = asRecord(await gateway.admin("GET", `/admin/calls/${response.headers.get("x-request-id")}`));
		const told = [row["cost"], ...(header === null ? [] : [header])].map(microDollars);
		if (response.status !== 200 || told.some((one) => one !== cost) || row["excess"] !== 0)
			wrong.push({
				path: scene.path,
				status: response.status,
				cost,
				told,
				excess: row["excess"],
				used: scene.used,
				row,
				text,
			});
	}
	expect(wrong.slice(0, 3)).toEqual([]);

	while (gateway.portico.openCalls() > 0) await new Promise((resolve) => setImmediate(resolve));
	const me = asRecord(
		await (await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } })).json(),
	);
	const token = await gateway.admin("GET", `/admin/tokens/${id}`);
	const owner = await gateway.admin("GET", `/admin/people/${person.id}`);
	const usedOf = (value: unknown): unknown[] => asList(value).map((one) => asRecord(one)["used"]);
	const sums = async (by: string): Promise<number> => {
		const { data } = await gateway.admin("GET", `/admin/usage?by=${by}&token=${id}`);
		return asList(data).reduce((all: number, one) => all + microDollars(asRecord(one)["cost"]), 0);
	};
	const page = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	const counted = [...(await page.text()).matchAll(/^portico_cost_dollars_total\{.*\} (\S+)$/gm)].map(([, one]) =>
		Number(one),
	);
	expect({
		me: microDollars(me["used"]),
		budgets: usedOf(me["budgets"]).map(microDollars),
		token: microDollars(token["used"]),
		held: asText(token["reserved"]) ?? token["reserved"] ?? 0,
		owner: microDollars(owner["used"]),
		"owner's budgets": usedOf(owner["budgets"]).map(microDollars),
		usage: await Promise.all(
			["token", "model", "upstream", "protocol", "day", "hour", "owner", "model,ending"].map(sums),
		),
		metrics: microDollars(counted.reduce((all, one) => all + one, 0)),
	}).toEqual({
		me: sum,
		budgets: usedOf(me["budgets"]).map(() => sum),
		token: sum,
		held: 0,
		owner: sum,
		"owner's budgets": [sum, sum],
		usage: Array.from({ length: 8 }, () => sum),
		metrics: sum,
	});
}, 600_000);
