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
import type { CallRecord, Outcome, Policy, Routed } from "#core";
import { startGateway } from "#core/testing";
import { readJsonBody } from "../../core/relay/json-body.ts";
import { askPolicies } from "../../core/relay/permits.ts";

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

/** What the running house has: its policies, its recorders, and one call it would serve. */
const { policies, recorders, identified } = await gateway.portico.forBench(key);
const text = JSON.stringify({
	model: "bench",
	max_tokens: 200,
	messages: [
		{ role: "system", content: "You answer shortly and to the point. ".repeat(10) },
		{ role: "user", content: "Tell me what a gateway is for. ".repeat(20) },
	],
});
