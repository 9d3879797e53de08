/**
 * A ledger of a million rows: every question of the Usage page is answered within a fifth of a second, and calls that run
 * beside it take no longer and cost no more than without it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { asList, asRecord } from "#core";
import { startGateway } from "#core/testing";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";

const rows = 1_000_000;
const days = 90;
const [hourMs, dayMs] = [3_600_000, 86_400_000];
const adminToken = "admin-token-of-a-large-ledger-0123456789";
/** Of the busiest kind of gateway: forty applications that use two models each, on three upstreams. */

const plugins = [
	{ use: "tokens" },
	{ use: "chat-completions" },
	{ use: "prices", with: { models: { demo: { input: 1, output: 1 } } } },
	{ use: "quota" },
	{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	{ use: "demo", with: { wordMs: 0 } },
	{ use: "ledger" },
	{ use: "metrics" },
];

const now = Date.now();

/** Through the trigger that keeps the sums, like the rows of calls; the dearest row is the newest. */
const someRows = (from: number, to: number) =>
	sql`INSERT INTO ledger (id, at, token, model, upstream, ending, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, excess, protocol, status, took_span, detail)
		WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to - 1})
		SELECT 'req_' || i, ${now - days * dayMs} + i * ${(days * dayMs) / rows}, 'tok_' || (i * 7919 % 40), 'model-' || ((i * 7919 % 40) % 7 + i / 40 % 2),
			'upstream-' || (i * 7919 % 40 % 3), iif(i % 25, 'completed', 'client_left'), 1000, 500, 100, 0, 1000, 0, 'chat-completions', 200,
			iif(i % 25, i % 11, NULL), '{"operation":"generate","target":"m","stream":true,"attempts":1,"durationMs":1200}' FROM n`;

let folder: string;
let portico: PorticoProcess;
let key: string;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-million-"));
	const filled = await startGateway({ plugins, folder });
	for (let from = 0; from < rows; from += 50_000) await filled.store.write([someRows(from, from + 50_000)]);
	({ key } = filled);
	await filled.stop();
	const config = join(folder, "portico.yaml");
	const database = { url: `file:${join(folder, "portico.db")}` };
	writeFileSync(config, JSON.stringify({ server: { port: 0, logLevel: "warn" }, database, plugins }));
	portico = await startProcess(folder, config, { PORTICO_ADMIN_TOKEN: adminToken });
}, 120_000);
afterAll(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const asAdmin = { headers: { authorization: `Bearer ${adminToken}` } };
const usage = async (query: string): Promise<string> => {
	const answer = await fetch(`${portico.address}/admin/usage?${query}`, asAdmin);
	const text = await answer.text();
	if (!answer.ok) throw new Error(text);
	return text;
};

const startOfDay = now - (now % dayMs);
const since = {
	"24 h": ["hour", now - (now % hourMs) - 23 * hourMs],
	"7 days": ["day", startOfDay - 6 * dayMs],
	"90 days": ["day", startOfDay - 89 * dayMs],
} as const;

/** What the page asks when a period is chosen. */
const questions = (period: keyof typeof since): readonly string[] => {
	const [by, at] = since[period];
	const from = new Date(at).toISOString();
	return [
		`by=${by},model,upstream&from=${from}&percentiles=false`,
		`by=token,owner&from=${from}&percentiles=false`,
		`by=model&from=${from}`,
	];
};

/** The most that an answer may take, milliseconds. */
const mostMs = 200;

/** A machine that does something else is slow now and then, and not every time: once in time is enough. */
const best = async (work: () => Promise<unknown>): Promise<number> => {
	let quickest = Number.POSITIVE_INFINITY;
	for (let time = 0; time < 40 && quickest > mostMs; time++) {
		const began = performance.now();
		await work();
		quickest = Math.min(quickest, performance.now() - began);
	}
	return quickest;
};

describe("a million rows", () => {
	test("are all there, summed up", async () => {
		const [sum] = asList(asRecord(JSON.parse(await usage("by=")))["data"]).map(asRecord);
		expect(sum).toMatchObject({
			calls: rows,
			completed: rows - rows / 25,
			inputTokens: rows * 1000,
			cost: rows / 1000,
		});
	});

	test.each(["24 h", "7 days", "90 days"] as const)(
		"of which those of %s are told at once",
		async (period) => {
			for (const question of questions(period))
				expect([question, await best(() => usage(question))]).toSatisfy(([, took]) => Number(took) <= mostMs);
		},
		60_000,
	);

	test("and the table of them all, as CSV", async () => {
		const question = `by=day,token,owner,model,upstream&from=${new Date(since["90 days"][1]).toISOString()}&percentiles=false`;
		const lines = (await usage(`${question}&format=csv`)).trimEnd().split("\r\n");
		// Eighty pairs of tokens and models, each day; today may have begun just now.
		expect(lines.length).toBeGreaterThan(88 * 80);
		expect(await best(() => usage(`${question}&format=csv`))).toBeLessThanOrEqual(mostMs);
	}, 60_000);
});

const processorSeconds = async (): Promise<number> => {
	const text = await (await fetch(`${portico.address}/metrics`, asAdmin)).text();
	return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
};

interface Round {
	readonly p99: number;
	readonly longest: number;
	/** Of processor time, milliseconds a call. */
	readonly cost: number;
}

const calls = 400;
const clients = 4;

const round = async (beside: () => Promise<unknown>): Promise<Round> => {
	const took: number[] = [];
	const before = await processorSeconds();
	const client = async (): Promise<void> => {
		for (let call = 0; call < calls / clients; call++) {
			const began = performance.now();
			const answer = await fetch(`${portico.address}/v1/chat/completions`, {
				method: "POST",
				headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
				body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello" }] }),
			});
			await answer.text();
			took.push(performance.now() - began);
		}
	};
	await Promise.all([...Array.from({ length: clients }, client), beside()]);
	const sorted = took.toSorted((a, b) => a - b);
	const cost = (1000 * ((await processorSeconds()) - before)) / calls;
	return { p99: sorted[Math.floor(calls * 0.99)] ?? 0, longest: sorted.at(-1) ?? 0, cost };
};

const median = (values: readonly number[]): number =>
	values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Between two times that the page asks. */
const pageEveryMs = 30_000;

/** What grows for the calls when the usage is asked for beside them. */
const grownBeside = async (): Promise<readonly string[]> => {
	const [quiet, asked]: [Round[], Round[]] = [[], []];
	const page = (): Promise<unknown> => Promise.all(questions("90 days").map(usage));
	const table = (): Promise<unknown> => usage(`by=day,token,owner,model,upstream&percentiles=false`);
	for (const beside of [page, table]) await round(beside);
	for (let pair = 0; pair < 9; pair++) {
		quiet.push(await round(() => Promise.resolve()));
		asked.push(await round(page));
	}
	const saved = [await round(table), await round(table), await round(table)];
	const of = (rounds: readonly Round[], figure: keyof Round): number => median(rounds.map((one) => one[figure]));
	for (const figure of ["p99", "longest", "cost"] as const)
		console.info(
			`${figure}: ${of(quiet, figure).toFixed(2)} ms alone, ${of(asked, figure).toFixed(2)} beside the page, ${of(saved, figure).toFixed(2)} beside the table`,
		);
	// Asked once in a round: of the time until it is asked again, one part in a hundred.
	const processorMs = (of(asked, "cost") - of(quiet, "cost")) * calls;
	// One question in one piece would stop everything for some hundred milliseconds.
	return [
		...(["p99", "longest"] as const).flatMap((figure) =>
			[asked, saved].flatMap((rounds) => (of(rounds, figure) < 3 * of(quiet, figure) + 60 ? [] : [figure])),
		),
		...(processorMs < pageEveryMs / 100 ? [] : ["processor time"]),
	];
};

test("calls beside take no longer and cost no more, whoever looks at the page or saves its table", async () => {
	// What else the machine does may weigh on one measurement of a figure, and not on each.
	let grown = await grownBeside();
	for (let time = 1; time < 5 && grown.length > 0; time++) {
		const again = await grownBeside();
		grown = grown.filter((figure) => again.includes(figure));
	}
	expect(grown).toEqual([]);
}, 240_000);
