/**
 * Alerts of three nodes on one database: what all of them see is told once; what one saw is told though it dies, by the
 * nodes that are left, or by itself when it comes back.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asRecord } from "#core";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";
import { type SharedDatabase, startSharedDatabase } from "../support/shared-database.ts";

const adminToken = "admin-token-of-these-nodes-0123456789";
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let folder: string;
let server: SharedDatabase;
let upstream: ScriptedUpstream;
let receiver: Receiver;
const nodes: PorticoProcess[] = [];
let receives = 200;
/** While it is closed the upstream does not answer calls of the model `late`. */
const door = Promise.withResolvers<void>();

/** Costs 1000 micro-dollars. */
const answered = (): Response =>
	Response.json({
		id: "c",
		object: "chat.completion",
		created: 1,
		model: "up",
		choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
		usage: { prompt_tokens: 10, completion_tokens: 99, total_tokens: 109 },
	});

const start = async (index: number): Promise<PorticoProcess> => {
	const home = join(folder, `node-${index}`);
	mkdirSync(home, { recursive: true });
	const to = (name: string) => ({
		name,
		protocol: "chat-completions",
		url: `${upstream.url}/${name}`,
		key: "sk-0123456789",
	});
	const names = ["good", "flaky", "locked", "expired", "late"];
	const leads = (name: string, to = name, model = "up") => ({
		name,
		targets: [{ upstream: to, model }],
		caps: { maxOutput: 100, thinking: "none" },
	});
	const config = {
		server: { port: 0 },
		database: { url: server.url },
		plugins: [
			{ use: "tokens" },
			{ use: "chat-completions" },
			{ use: "prices", with: { models: { up: { input: 1, output: 10 } } } },
			{ use: "quota", with: { leaseSeconds: 10 } },
			{ use: "ledger" },
			{ use: "webhooks" },
			{ use: "alerts", with: { url: `${receiver.origin}/alerts`, secret, privateNetwork: true, at: [0.5, 1] } },
			{
				use: "router",
				with: {
					upstreams: names.map(to),
					models: [...names.map((name) => leads(name)), leads("unpriced", "good", "nobody-knows")],
				},
			},
		],
	};
	writeFileSync(join(home, "portico.yaml"), JSON.stringify(config));
	return await startProcess(home, "portico.yaml", { PORTICO_ADMIN_TOKEN: adminToken });
};

const node = (index: number): PorticoProcess => {
	const found = nodes[index];
	if (!found) throw new Error(`there is no node ${index}`);
	return found;
};

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-alerts-nodes-"));
	server = await startSharedDatabase(folder);
	upstream = startUpstream(async ({ path }) => {
		if (path.startsWith("/late")) await door.promise;
		if (path.startsWith("/flaky")) return Response.json({ error: { message: "down" } }, { status: 500 });
		if (path.startsWith("/locked") || path.startsWith("/expired"))
			return Response.json({ error: { message: "Incorrect API key provided" } }, { status: 401 });
		return answered();
	});
	receiver = await startReceiver((socket, request, index) => status(receives)(socket, request, index));
	// The first makes the tables.
	nodes.push(await start(0));
	nodes.push(...(await Promise.all([start(1), start(2)])));
}, 120_000);
afterAll(async () => {
	door.resolve();
	await endProcesses();
	await upstream.stop();
	await receiver.close();
	await server.close();
	rmSync(folder, { recursive: true, force: true });
});

const admin = async (at: PorticoProcess, method: string, path: string, body?: unknown) => {
	const response = await fetch(at.address + path, {
		method,
		headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	return asRecord(await response.json());
};

const tokenOf = async (settings: Readonly<Record<string, unknown>>) => {
	const { id, key } = await admin(node(0), "POST", "/admin/tokens", { name: "bot", ...settings });
	return { id: String(id), key: String(key) };
};

const ask = async (at: PorticoProcess, model: string, key: string): Promise<number> => {
	const response = await fetch(`${at.address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model, max_tokens: 99, messages: [{ role: "user", content: "Hello" }] }),
	});
	await response.text();
	return response.status;
};

/** What has arrived: what it is and what it is of. */
const told = (): readonly string[] =>
	receiver.received
		.map(({ body }) => asRecord(JSON.parse(body.toString())))
		.map(({ type, data }) => {
			const { upstream, model, token, threshold } = asRecord(data);
			return [type, upstream ?? model ?? token, threshold]
				.filter((word) => word !== undefined && word !== null)
				.join(" ");
		});

const ids = (): readonly (string | undefined)[] => receiver.received.map(({ headers }) => headers["webhook-id"]);

const until = async (met: () => boolean): Promise<void> => {
	const end = performance.now() + 90_000;
	while (!met()) {
		if (performance.now() > end) throw new Error(`only this was told: ${told().join(", ")}`);
		await new Promise((resolve) => setTimeout(resolve, 50));
	}
};

/** The events of all alerts that were ever written, in the order of the alphabet. */
const written = async (at: PorticoProcess): Promise<readonly string[]> =>
	asList((await admin(at, "GET", "/admin/alerts?limit=100"))["data"])
		.map(asRecord)
		.map(({ event }) => String(event))
		.toSorted();

test("what three nodes see is told once", async () => {
	const { key: free } = await tokenOf({});
	const { id, key } = await tokenOf({ budgets: [{ amount: 0.005, per: "month" }] });
	for (const model of ["flaky", "locked", "unpriced"])
		await Promise.all(
			nodes.map(async (at) => {
				for (let call = 0; call < 6; call++) await ask(at, model, free);
			}),
		);
	const statuses: number[] = [];
	for (let round = 0; round < 3; round++) for (const at of nodes) statuses.push(await ask(at, "good", key));
	expect(statuses.filter((one) => one === 200)).toHaveLength(5);
	const expected = [
		`budget.threshold ${id} 0.5`,
		`budget.threshold ${id} 1`,
		"circuit.opened flaky",
		"circuit.opened locked",
		"key.refused locked",
		"price.unknown good",
	];
	await until(() => expected.every((one) => told().includes(one)));
	// What a node still has in hand is written and sent before this.
	for (const at of nodes) await admin(at, "POST", "/admin/alerts/test");
	await until(() => told().filter((what) => what === "alert.test").length === 3);
	expect(told().toSorted()).toEqual([...Array(3).fill("alert.test"), ...expected].toSorted());
	expect(new Set(ids()).size).toBe(9);
	const events = expected.map((what) => what.split(" ")[0] ?? "");
	expect((await written(node(2))).filter((event) => event !== "alert.test")).toEqual(events);
}, 120_000);

test("what a node saw that has died is told by others, and by itself when it comes back", async () => {
	receiver.received.length = 0;
	receives = 503;
	const { key: free } = await tokenOf({});
	const [kept, lost] = [await tokenOf({ quota: 0.001_2 }), await tokenOf({ quota: 0.001_2 })];
	upstream.received.length = 0;
	// Each dies while its call is answered: it is charged what it held, which is nearly all there is.
	const running = [ask(node(1), "late", kept.key), ask(node(2), "late", lost.key)].map((call) => call.catch(() => 0));
	await until(() => upstream.received.length === 2);
	await ask(node(1), "expired", free);
	await until(() => told().some((what) => what.startsWith("key.refused expired")));
	await Promise.all([node(1).end("SIGKILL"), node(2).end("SIGKILL"), ...running]);
	door.resolve();
	receives = 200;
	receiver.received.length = 0;
	nodes[1] = await start(1);
	await until(
		() => told().includes(`budget.threshold ${kept.id} 0.5`) || told().includes(`budget.threshold ${kept.id} 1`),
	);
	await until(() => told().some((what) => what.startsWith("key.refused expired")));
	await until(() => told().some((what) => what.startsWith(`budget.threshold ${lost.id}`)));
	const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
	expect(new Set(ids).size).toBe(ids.length);
	expect(await written(node(0))).toEqual([...(await written(node(1)))]);
}, 120_000);
