/**
 * What a call costs as a house grows: with more tokens, more models, more rows in the ledger. In one process without a
 * network, everything on, the real store on a file; rows are made in bulk.
 *
 *   npm run bench:growth [-- --json] [-- --quick]
 *
 * Exits with 1 when the largest house costs more than half as much again as the smallest.
 */
import { parseArgs } from "node:util";
import { type SQL, sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";

const { values: flags } = parseArgs({ options: { json: { type: "boolean" }, quick: { type: "boolean" } } });

const most = 1.5;
const calls = flags.quick ? 3_000 : 8_000;
const rounds = 3;
const callers = 50;
const connection = { address: "127.0.0.1", holdOpen: () => undefined };

interface House {
	readonly tokens?: number;
	readonly models?: number;
	readonly rows?: number;
}

const numbers = (count: number): SQL =>
	sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

const fill = async ({ store }: TestGateway, { tokens = 0, rows = 0 }: House): Promise<void> => {
	if (tokens > 0)
		await store.write([
			sql`INSERT INTO tokens (id, name, digest, preview, settings, disabled, deleted, created_at, revision)
				${numbers(tokens)} SELECT 'tok_' || i, 'bench', hex(randomblob(32)), 'sk-…', '{}', 0, 0, 0, i FROM n`,
		]);
	const atOnce = 250_000;
	for (let made = 0; made < rows; made += atOnce)
		await store.write([
			sql`INSERT INTO ledger (id, at, token, model, ending, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, excess, detail)
				${numbers(Math.min(atOnce, rows - made))} SELECT 'req_' || printf('%012x', ${made} + i) || hex(randomblob(10)), ${made} + i,
				'tok_' || (i % 1000), 'bench', 'completed', 10, 0, 20, 0, 30, 0, '{"protocol":"chat-completions","status":200}' FROM n`,
		]);
};

const build = async (house: House): Promise<TestGateway> => {
	const models = Array.from({ length: house.models ?? 1 }, (_, index) => ({
		name: `model-${index}`,
		targets: [{ upstream: "demo" }],
	}));
	const gateway = await startGateway({
		config: { server: { logLevel: "warn" } },
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			{ use: "prices", with: { default: { input: 1, output: 4 } } },
			"rate-limit",
			"quota",
			"chat-completions",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models } },
			"ledger",
		],
	});
	await fill(gateway, house);
	return gateway;
};

/** Microseconds of processor time a call, the least of some rounds. */
const measure = async (house: House): Promise<number> => {
	const gateway = await build(house);
	const keys: string[] = [];
	for (let index = 0; index < callers; index++)
		keys.push((await gateway.token({ quota: 1_000, models: ["model-*"], ips: ["127.0.0.0/8"] })).key);
	const call = async (index: number): Promise<void> => {
		const model = `model-${index % (house.models ?? 1)}`;
		const request = new Request(`${gateway.url}/v1/chat/completions`, {
			method: "POST",
			headers: { authorization: `Bearer ${keys[index % callers]}`, "content-type": "application/json" },
			body: JSON.stringify({ model, max_tokens: 20, messages: [{ role: "user", content: "Say hello." }] }),
		});
		const response = await gateway.portico.handle(request, connection);
		if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
		await response.arrayBuffer();
	};
	const run = async (): Promise<number> => {
		const before = process.cpuUsage();
		for (let index = 0; index < calls; index += callers)
			await Promise.all(Array.from({ length: callers }, (_, offset) => call(index + offset)));
		await gateway.admin("GET", "/admin/usage?by=token&from=2020-01-01");
		const { user, system } = process.cpuUsage(before);
		return (user + system) / calls;
	};
	const figures: number[] = [];
	for (let round = 0; round <= rounds; round++) figures.push(await run());
	await gateway.stop();
	// The first round is the warm-up.
	return Math.min(...figures.slice(1));
};

const tables: Readonly<Record<string, readonly House[]>> = {
	tokens: [1, 1_000, flags.quick ? 10_000 : 100_000].map((tokens) => ({ tokens })),
	models: [1, 200, 2_000].map((models) => ({ models })),
	"ledger rows": (flags.quick ? [0, 100_000] : [0, 100_000, 1_000_000, 5_000_000]).map((rows) => ({ rows })),
};

// What the runtime learns of the code it learns in the first house.
await measure({});
const results = new Map<string, { readonly house: House; readonly micros: number }[]>();
for (const [name, houses] of Object.entries(tables)) {
	const measured = [];
	for (const house of houses) measured.push({ house, micros: await measure(house) });
	results.set(name, measured);
}

if (flags.json) console.log(JSON.stringify(Object.fromEntries(results), undefined, "\t"));
let grew = false;
for (const [name, measured] of results) {
	const line = measured.map(({ house, micros }) => `${Object.values(house)[0]}: ${micros.toFixed(0)} µs`).join("   ");
	const ratio = (measured.at(-1)?.micros ?? 0) / (measured[0]?.micros ?? 1);
	grew ||= ratio > most;
	if (!flags.json) console.log(`${name.padEnd(12)} ${line}   (${ratio.toFixed(2)} ×)`);
}
process.exit(grew ? 1 : 0);
