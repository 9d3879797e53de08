/** The dashboard and the alerts that ship: both parse, and every metric they name is there, before its first event and after. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { asList, asRecord } from "#core";
import { startGateway, type TestGateway } from "#core/testing";

const dashboard = readFileSync("config/grafana/portico.json", "utf8");
const alerts = readFileSync("config/prometheus/alerts.yml", "utf8");

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"ledger",
			"quota",
			"prices",
			"demo",
			"webhooks",
			"tasks",
			"image",
			{ use: "router", with: { upstreams: [], models: [{ name: "m", targets: [{ upstream: "demo" }] }] } },
			"metrics",
		],
	});
});
afterAll(() => gateway.stop());

const shown = async (): Promise<string> =>
	await (await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } })).text();

const expressions = (): readonly string[] => [
	...asList(asRecord(JSON.parse(dashboard))["panels"])
		.map(asRecord)
		.flatMap(({ targets }) => asList(targets).map((target) => String(asRecord(target)["expr"]))),
	...asList(asRecord(parse(alerts))["groups"])
		.map(asRecord)
		.flatMap(({ rules }) => asList(rules).map((rule) => String(asRecord(rule)["expr"]))),
];

const named = (): ReadonlySet<string> =>
	new Set(
		expressions().flatMap((expression) =>
			[...expression.matchAll(/\b(?:portico|process)_[a-z_]+/g)].map(([name]) =>
				name.replace(/_(?:bucket|sum|count)$/, ""),
			),
		),
	);

const missing = (metrics: string): readonly string[] =>
	[...named()].filter((name) => !metrics.includes(`# TYPE ${name} `));

describe("every metric that the dashboard and the alerts name", () => {
	test("is shown before anything has happened", async () => {
		expect(named().size).toBeGreaterThan(15);
		expect(missing(await shown())).toEqual([]);
	});

	test("is shown with what happened, in a form that Prometheus reads", async () => {
		const asked = { model: "m", messages: [{ role: "user", content: "hello" }] };
		await (await gateway.ask("/v1/chat/completions", asked)).text();
		await (await gateway.ask("/v1/chat/completions", { ...asked, stream: true })).text();
		await (await gateway.ask("/v1/chat/completions", asked, { headers: { authorization: "Bearer sk-wrong" } })).text();
		const metrics = await shown();
		expect(missing(metrics)).toEqual([]);
		expect(metrics).toContain('portico_attempts_total{upstream="demo",model="m",outcome="ok"} 2\n');
		expect(metrics).toContain('portico_refusals_total{code="authentication"} 1\n');
		expect(metrics).toMatch(/portico_overhead_seconds_count\{protocol="chat-completions",stream="true"\} 1\n/);
		// One of the two calls was a stream; refused ones have no times.
		expect(metrics).toMatch(/portico_first_content_seconds_count\{[^}]*stream="true"\} 1\n/);
		expect(metrics).not.toMatch(/portico_first_content_seconds_count\{[^}]*stream="false"/);
		expect(metrics).toMatch(/portico_store_latency_seconds_count\{op="write"\} [1-9]/);
		expect(metrics).toMatch(/portico_store_latency_seconds_count\{op="read"\} [1-9]/);
		expect(metrics).not.toMatch(/portico_call_duration_seconds_count\{[^}]*upstream=""/);
		for (const line of metrics.trimEnd().split("\n"))
			expect(line).toMatch(
				/^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z_]+="[^"\n]*"(?:,[a-z_]+="[^"\n]*")*\})? (?:[\d.e+-]+|NaN))$/,
			);
	});
});

test("what each node reads from the database that all share is counted once", () => {
	const counted = /portico_(?:tasks|deliveries_waiting)\b/g;
	const once = /max(?: by \([a-z, ]+\) )?\(portico_(?:tasks|deliveries_waiting)\)/g;
	const found = expressions().filter((expression) => expression.match(counted));
	expect(found.length).toBe(3);
	for (const expression of found) expect(expression.replace(once, "")).not.toMatch(counted);
});

test("a node that tells nothing is told of, by the name that the README gives Prometheus' job", () => {
	const [, job] = /job_name: (\S+)/.exec(readFileSync("plugins/metrics/README.md", "utf8")) ?? [];
	expect(expressions()).toContain(`up{job="${job}"} == 0`);
});

test("the dashboard has one data source to choose and no panel without a query", () => {
	const board = asRecord(JSON.parse(dashboard));
	expect(Number(board["schemaVersion"])).toBeGreaterThanOrEqual(39);
	const panels = asList(board["panels"]).map(asRecord);
	expect(panels.length).toBe(12);
	for (const { targets } of panels) expect(asList(targets).length).toBeGreaterThan(0);
	expect(asList(asRecord(board["templating"])["list"]).map((variable) => asRecord(variable)["name"])).toEqual([
		"datasource",
		"upstream",
		"model",
	]);
});
