/** What a gateway looks like after some days: tokens in every state, calls that went well and did not, tasks and callbacks. */
import { sql } from "drizzle-orm";
import type { TestGateway } from "#core/testing";
import { insertRows, type LedgerRow } from "../../plugins/ledger/tables.ts";
import { spanOf } from "../../plugins/ledger/time-taken.ts";

type Settings = Readonly<Record<string, unknown>>;

const dayMs = 86_400_000;

const tokens: readonly (readonly [name: string, settings: Settings])[] = [
	["support-bot", { quota: 200, models: ["demo", "fast"] }],
	["claude-code · research", { quota: 50, models: ["claude-*"] }],
	["nightly-eval", { quota: 100, ips: ["127.0.0.0/8", "10.0.4.0/24"] }],
	["video-campaign", { quota: 80, models: ["veo-3", "kling-*", "demo"] }],
	["search-index", { quota: 40, models: ["text-embedding-3-*", "demo"] }],
	["meeting-notes", { models: ["gemini-3-*", "demo"], rateLimit: { requestsPerMinute: 20 } }],
	["old-prototype", { quota: 5 }],
	["workshop-24", { quota: 30, models: ["demo"] }],
];

/** Dollars that each has used so far; written beside the ledger's rows, so that both say the same. */
const used: Readonly<Record<string, number>> = {
	"support-bot": 128.4,
	"claude-code · research": 46.71,
	"nightly-eval": 31.02,
	"video-campaign": 80,
	"search-index": 1.93,
	"meeting-notes": 12.55,
	"workshop-24": 14.1,
};

const models = ["fast", "claude-sonnet-5", "veo-3", "gemini-3.5-flash", "text-embedding-3-small"];
const upstreams: Readonly<Record<string, string>> = {
	fast: "openai",
	"claude-sonnet-5": "anthropic",
	"veo-3": "google",
	"gemini-3.5-flash": "google",
	"text-embedding-3-small": "openai",
};

/** Always the same numbers from 0 to 1. */
const drawing = (): (() => number) => {
	let seed = 7;
	return () => {
		seed = (seed * 16_807) % 2_147_483_647;
		return seed / 2_147_483_647;
	};
};

/** What calls cost is drawn, then scaled so that a token's rows add up to what it has used, to the micro-dollar. */
const rowsOf = (id: string, name: string, dollars: number, now: number, draw: () => number): readonly LedgerRow[] => {
	const amount = 40 + Math.floor(draw() * 40);
	const weights = Array.from({ length: amount }, () => 0.2 + draw());
	const whole = weights.reduce((sum, weight) => sum + weight, 0);
	const costs = weights.map((weight) => Math.floor((dollars * 1e6 * weight) / whole));
	costs[0] = (costs[0] ?? 0) + Math.round(dollars * 1e6) - costs.reduce((sum, cost) => sum + cost, 0);
	return costs.map((cost, index) => {
		const model = models[Math.floor(draw() ** 2 * models.length)] ?? "fast";
		const input = Math.floor(400 + draw() * 90_000);
		const ending = draw() < 0.96 ? "completed" : "client_left";
		const took = Math.floor(400 + draw() ** 3 * 12_000);
		return {
			id: `req_demo${id.slice(-8)}${String(index).padStart(4, "0")}`,
			at: Math.floor(now - draw() * 21 * dayMs),
			token: id,
			model,
			upstream: upstreams[model] ?? "demo",
			ending,
			input_tokens: input,
			cached_tokens: Math.floor(input * draw() * 0.8),
			output_tokens: Math.floor(40 + draw() * 1_500),
			reasoning_tokens: 0,
			cost,
			excess: 0,
			request: null,
			protocol: "chat-completions",
			status: 200,
			tags: null,
			took_span: spanOf(ending, took),
			detail: JSON.stringify({
				tokenName: name,
				operation: "generate",
				target: model,
				stream: true,
				attempts: 1,
				durationMs: took,
				firstByteMs: Math.floor(150 + draw() * 700),
			}),
		};
	});
};

/** Callbacks in each state, of tasks that are gone. */
const fillWithCallbacks = async (gateway: TestGateway, token: string, now: number): Promise<void> => {
	const states = [
		["SUCCESS", "dead", 4],
		["IN_PROGRESS", "delivered", 1],
		["FAILURE", "delivered", 2],
		["SUCCESS", "delivered", 1],
	] as const;
	const url = "https://studio.example/hooks/video";
	for (const [index, [event, state, tries]] of states.entries()) {
		const at = now - (index + 1) * 3_600_000;
		const id = `msg_demo_${index}`;
		await gateway.store.write([
			sql`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
				VALUES (${id}, ${token}, ${`task_demo_${index}`}, ${index + 1}, ${event}, ${url}, 'https://studio.example', '{}', ${state}, ${at}, ${at}, ${at})`,
			...Array.from({ length: tries }, (_, number) => {
				const failed = state === "dead" || number < tries - 1;
				return sql`INSERT INTO delivery_attempts (delivery, lease, number, cause, started_at, duration_ms, address, status, error)
					VALUES (${id}, ${String(number)}, ${number + 1}, 'schedule', ${at + number * 10_000}, 240, '203.0.113.9', ${failed ? 503 : 200}, ${failed ? "http_503" : null})`;
			}),
		]);
	}
};

/** Gives the ids of the tokens by their names. `between` is called after each. */
export const fillWithDemo = async (
	gateway: TestGateway,
	now: number,
	between: () => void = () => undefined,
): Promise<ReadonlyMap<string, string>> => {
	const draw = drawing();
	const ids = new Map<string, string>();
	for (const [name, settings] of tokens) {
		const id = String((await gateway.admin("POST", "/admin/tokens", { name, ...settings }))["id"]);
		ids.set(name, id);
		between();
		const dollars = used[name];
		if (dollars === undefined) continue;
		await gateway.store.write([
			...insertRows(rowsOf(id, name, dollars, now, draw)),
			sql`UPDATE quota_accounts SET used = ${Math.round(dollars * 1e6)} WHERE token = ${id}`,
			sql`INSERT INTO quota_accounts (token, used) SELECT ${id}, ${Math.round(dollars * 1e6)}
				WHERE NOT EXISTS (SELECT 1 FROM quota_accounts WHERE token = ${id})`,
		]);
	}
	await gateway.admin("POST", `/admin/tokens/${ids.get("old-prototype")}/disable`);
	await fillWithCallbacks(gateway, ids.get("video-campaign") ?? "", now);
	return ids;
};
