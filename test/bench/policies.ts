/**
 * What the rules and the books cost a call, in processor time: every policy, the reservation, the journal on disk, the
 * settlement and the ledger's row, with the real store on a file. No HTTP, no upstream.
 *
 *   node bin/portico.mjs bun test/bench/policies.ts [--json] [--quick]
 *
 * Exits with 1 when it costs more than the budget.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sql } from "drizzle-orm";
import {
	authenticators,
	type CallRecord,
	type Identified,
	type ModelRouted,
	type Outcome,
	type Policy,
	policies,
	protocols,
	readJsonBody,
	recorders,
	router,
} from "#core";
import { startGateway } from "#core/testing";
import { askPolicies } from "../../core/relay/policies/permits.ts";
import { createRulesOf, firstRefusal } from "../../core/relay/policies/token-rules.ts";
import { createLog } from "../../core/runtime/log.ts";
import { quota } from "../../plugins/quota/service.ts";

const { values: flags } = parseArgs({ options: { json: { type: "boolean" }, quick: { type: "boolean" } } });

/** Microseconds of processor time for one call. */
const budget = 25;
const calls = flags.quick ? 20_000 : 60_000;
const callsPerTurn = 20;

const folder = mkdtempSync(join(tmpdir(), "portico-bench-"));
const gateway = await startGateway({
	folder,
	plugins: [
		"tokens",
		"expiry",
		"model-list",
		"ip-whitelist",
		{ use: "prices", with: { models: { bench: { input: 1, output: 4 } } } },
		"rate-limit",
		"quota",
		"chat-completions",
		"demo",
		{ use: "router", with: { models: [{ name: "bench", targets: [{ upstream: "demo" }] }] } },
		"ledger",
	],
});

const { key } = await gateway.token({
	quota: 1_000_000,
	models: ["gpt-*", "bench"],
	ips: ["10.0.0.0/8", "127.0.0.0/8"],
	expiresAt: "2099-01-01T00:00:00Z",
	rateLimit: { requestsPerMinute: 100_000_000, tokensPerMinute: 100_000_000_000, concurrent: 1_000 },
});

const { generation } = gateway.portico;
if (!generation) throw new Error("the gateway does not run");
const rules: readonly Policy[] = generation.all(policies);
const books = generation.all(recorders);
const [doorkeeper] = generation.all(authenticators);
const [protocol] = generation.all(protocols);
const plan = generation.given(router)?.plan("bench");
const body = readJsonBody(
	new TextEncoder().encode(
		JSON.stringify({
			model: "bench",
			max_tokens: 200,
			messages: [
				{ role: "system", content: "You answer shortly and to the point. ".repeat(10) },
				{ role: "user", content: "Tell me what a gateway is for. ".repeat(20) },
			],
		}),
	),
);
const admitted = {
	requestId: "r",
	request: new Request(gateway.url),
	origin: gateway.url,
	url: new URL(gateway.url),
	params: {},
	address: "127.0.0.1",
	route: "/v1/chat/completions",
	startedAt: performance.now(),
};
const token = await doorkeeper?.identify(key, { ...admitted, id: "first" });
if (!token || !("compiled" in token) || !protocol || !plan) throw new Error("the bench could not be set up");
const model = protocol.client.read({ url: admitted.url, params: {}, headers: admitted.request.headers, body });
const ask = { url: admitted.url, params: {}, headers: admitted.request.headers, body, protocol, call: model };
const usage = { input: { total: 240 }, output: { total: 90 } };
const log = createLog("silent");
const tokenRules = createRulesOf(() => rules, log)(token);
let serial = 0;

const routedOf = (identified: Identified): ModelRouted => ({
	...identified,
	surface: "model",
	protocol: protocol.name,
	requestBytes: body.bytes.length,
	prompt: () => protocol.client.decodeRequest(ask),
	ask,
	model,
	targets: plan.targets,
});

/** A call as the relay makes it, from its token to its row, without the upstream between. */
const call = async (): Promise<void> => {
	const id = `call_${(++serial).toString(36)}_${Math.random().toString(36).slice(2, 14)}`;
	const identified: Identified = { ...admitted, id, token, caller: token.id };
	const denial = await firstRefusal(
		tokenRules.admit,
		({ policy, setting }, asking) => policy.admit?.(asking, setting),
		identified,
		log,
	);
	if (denial) throw new Error(denial.message);
	const routed = routedOf(identified);
	const permits = await askPolicies({ rules: tokenRules.check, call: routed, log });
	if ("kind" in permits) throw new Error(permits.message);
	const outcome: Outcome = {
		ending: "completed",
		sent: true,
		usage,
		target: plan.targets[0],
		contentBytes: 400,
		pieces: 90,
	};
	const charge = permits.settle(outcome);
	const record: CallRecord = {
		id,
		at: Date.now(),
		token,
		route: admitted.route,
		protocol: protocol.name,
		operation: "generate",
		model: "bench",
		stream: false,
		status: 200,
		outcome,
		attempts: [],
		firstByteMs: 12,
		durationMs: 34,
		address: "127.0.0.1",
		userAgent: "bench",
		losses: [],
		charge,
	};
	for (const book of books) book.record(record);
};

/** The same without rules and books: what the bench itself costs. */
const nothing = async (): Promise<void> => {
	const id = `call_${(++serial).toString(36)}_${Math.random().toString(36).slice(2, 14)}`;
	const permits = await askPolicies({ rules: [], call: routedOf({ ...admitted, id, token, caller: token.id }), log });
	if ("kind" in permits) throw new Error(permits.message);
};

const run = async (count: number, one: () => Promise<void>): Promise<number> => {
	const before = process.cpuUsage();
	for (let index = 0; index < count; index++) {
		await one();
		if (index % callsPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
	}
	await generation.given(quota)?.flush();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / count;
};

await run(calls / 4, call);
await run(calls / 4, nothing);
const rounds: number[] = [];
for (let round = 0; round < 3; round++) rounds.push((await run(calls, call)) - (await run(calls, nothing)));
const micros = Math.min(...rounds);

const [row] = await gateway.store.all(sql`SELECT count(*) AS rows, sum(cost) AS cost FROM ledger`);
const [account] = await gateway.store.all(sql`SELECT max(used) AS used FROM quota_accounts`);
await gateway.stop();
rmSync(folder, { recursive: true, force: true });

if (Number(row?.["cost"]) !== Number(account?.["used"])) throw new Error("the books do not add up");
if (flags.json) console.log(JSON.stringify({ policiesMicros: micros, budget, rounds, rows: row?.["rows"] }));
else
	console.log(
		`policies, reservation, journal and ledger: ${micros.toFixed(1)} µs of processor time a call (rounds ${rounds.map((one) => one.toFixed(1)).join(", ")}; budget ${budget})`,
	);
process.exit(micros <= budget ? 0 : 1);
