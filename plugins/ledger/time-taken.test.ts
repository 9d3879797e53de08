/** Percentiles of how long calls took, what caches saved, and the arithmetic of a charge, through the admin routes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { asList, asRecord } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { createScratchStore } from "../../test/support/scratch-store.ts";
import { type Question, sumRows } from "./sums.ts";
import { insertRows, ledgerTables } from "./tables.ts";

/** The spans, written down a second time. */
const spans = [0, 100, 250, 500, 1_000, 2_000, 3_500, 6_000, 10_000, 20_000, 40_000, 80_000, 160_000];
const spanOf = (took: number): number => spans.findLastIndex((from) => took >= from);

const base = { ending: "completed", cached_tokens: 0, reasoning_tokens: 0, cost: 0, excess: 0, detail: "{}" };
const row = (id: string, { took, ...more }: Readonly<Record<string, unknown>>) => ({
	...base,
	...(typeof took === "number" && { took_span: spanOf(took) }),
	...{ id, at: 0, model: "m", upstream: "main", input_tokens: 0, output_tokens: 0 },
	...more,
});

let gateway: TestGateway;
beforeAll(async () => {
	const price = { input: 4, cacheRead: 0.5, output: 10, reasoning: 20 };
	const main = {
		name: "main",
		protocol: "chat-completions",
		url: "http://127.0.0.1:1/v1",
		key: "sk-main-key-0123456789",
	};
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"ledger",
			{ use: "prices", with: { models: { up: price } } },
			{
				use: "router",
				with: { upstreams: [main], models: [{ name: "m", targets: [{ upstream: "main", model: "up" }] }] },
			},
		],
	});
});
afterAll(() => gateway.stop());

const usage = async (query: string) =>
	asList((await gateway.admin("GET", `/admin/usage?${query}`))["data"]).map(asRecord);

let serial = 0;

describe("percentiles", () => {
	test("lie in the span of the true ones, by hour, by day and from the rows", async () => {
		let day = Date.UTC(2031, 0, 1);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 40 }),
				async (times) => {
					day += 86_400_000;
					const rows = times.map((took) => row(`took_${serial++}`, { at: day + 1_800_000, took }));
					const refused = row(`took_${serial++}`, { at: day + 1_800_000, ending: "refused" });
					await gateway.store.write(insertRows([...rows, refused]));
					const sorted = times.toSorted((a, b) => a - b);
					const at = (ms: number) => new Date(day + ms).toISOString();
					for (const [from, to] of [
						[0, 86_400_000],
						[0, 3_600_000],
						[60_000, 3_540_000],
					] as const) {
						const [told = {}] = await usage(`by=&from=${at(from)}&to=${at(to)}`);
						for (const [name, part] of [
							["p50Ms", 0.5],
							["p95Ms", 0.95],
							["p99Ms", 0.99],
						] as const) {
							const exact = sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
							const [least, most] = [spans[spanOf(exact)] ?? 0, spans[spanOf(exact) + 1] ?? 160_000];
							expect(Number(told[name])).toBeGreaterThanOrEqual(least);
							expect(Number(told[name])).toBeLessThanOrEqual(most);
						}
					}
				},
			),
			{ numRuns: 25 },
		);
	}, 30_000);

	test("are left out where nobody wants them", async () => {
		const [sum = {}] = await usage("by=&percentiles=false");
		expect(Object.keys(sum)).toContain("calls");
		expect(Object.keys(sum)).not.toContain("p50Ms");
	});

	test("are null where nothing was completed", async () => {
		await gateway.store.write(
			insertRows([row("none", { at: Date.UTC(2040, 0, 1), took_span: null, ending: "refused" })]),
		);
		expect(await usage("by=&from=2040-01-01")).toMatchObject([{ calls: 1, p50Ms: null, p99Ms: null }]);
	});

	test("count the rows of a ledger that was there before", async () => {
		const all = ledgerTables("ledger");
		const before = { ...all, migrations: all.migrations.filter(({ name }) => name < "004") };
		const store = await createScratchStore([before]);
		const old = { protocol: "messages", detail: '{"durationMs":700}' };
		const columns = row("old", old);
		const names = Object.keys(columns);
		await store.run(
			`INSERT INTO ledger (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
			Object.values(columns) as (string | number)[],
		);
		for (const { statements } of all.migrations.filter(({ name }) => name >= "004"))
			for (const statement of statements) await store.run(statement);
		await store.write(insertRows([row("new", { took: 90, protocol: "messages" })]));
		const question: Question = { by: [], from: 0, to: 86_400_000, zone: "UTC", only: new Map() };
		for (const asked of [question, { ...question, to: 3_600_000 }, { ...question, to: 60_000 }]) {
			const [sum] = await sumRows(store, asked);
			expect(sum).toMatchObject({ calls: 2, took: [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] });
		}
		store.close();
	});
});

test("what caches saved is told by model, at the price of the name's target", async () => {
	await gateway.store.write(
		insertRows([row("saved", { at: Date.UTC(2041, 0, 1), input_tokens: 2_000_000, cached_tokens: 1_000_000 })]),
	);
	expect(await usage("by=model&from=2041-01-01")).toMatchObject([{ model: "m", saved: 3.5 }]);
	expect((await usage("by=token&from=2041-01-01"))[0]).not.toHaveProperty("saved");
});

describe("the arithmetic of a charge", () => {
	const tokens = { input_tokens: 1_500, cached_tokens: 500, output_tokens: 300, reasoning_tokens: 100 };
	const detail = '{"target":"up"}';
	const parts = [
		{ what: "input", tokens: 1_000, rate: 4, cost: 0.004 },
		{ what: "read from a cache", tokens: 500, rate: 0.5, cost: 0.00025 },
		{ what: "output", tokens: 200, rate: 10, cost: 0.002 },
		{ what: "reasoning", tokens: 100, rate: 20, cost: 0.002 },
	];

	test("gives each kind of tokens with its rate, and says whether it is what was charged", async () => {
		await gateway.store.write(
			insertRows([
				row("sums", { at: 5, ...tokens, detail, cost: 8_250 }),
				row("differs", { at: 6, ...tokens, detail, cost: 9_000 }),
				row("refused", { at: 7, ending: "refused" }),
			]),
		);
		const arithmetic = async (id: string) => asRecord((await gateway.admin("GET", `/admin/calls/${id}`))["arithmetic"]);
		expect(await arithmetic("sums")).toEqual({ parts, sum: expect.closeTo(0.00825, 9), charged: true });
		expect(await arithmetic("differs")).toMatchObject({ parts, charged: false });
		expect(await arithmetic("refused")).toEqual({});
	});
});
