/** Kinds of tasks and their upstreams in plain JavaScript that answer what no type allows: every task ends, and is charged what is due. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { sql } from "#core";
import { startGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { startTaskWorld, type TaskWorld } from "../support/task-world.ts";
import { type Stranger, writeStranger } from "./stranger.ts";

/** Each answer is looked up by the words of a prompt: `poll finished`. The model is the upstream: one that fails is asked less. */
const plugin = `import { add, definePlugin, t } from "#core";
import { taskKinds, taskUpstreams } from "#core/plugins/tasks";

const made = { files: [{ role: "picture", mediaType: "image/png", url: "https://files.example/a.png" }] };
const around = {};
around.around = around;
const fails = () => {
	throw new Error("no");
};
const answers = {
	submit: {
		"memo around": () => ({ outcome: "accepted", upstreamId: "u", memo: around }),
		"memo text": () => ({ outcome: "accepted", upstreamId: "u", memo: "x" }),
		nameless: () => ({ outcome: "accepted", upstreamId: "" }),
		refused: () => ({ outcome: "refused" }),
		"refused text": () => ({ outcome: "refused", failure: "no" }),
		"refused address": () => ({ outcome: "refused", failure: { code: "no", reason: "Not by http://10.0.0.1/x, sk-0123456789abcdef." } }),
		"busy nan": () => ({ outcome: "busy", retryAfterMs: NaN }),
		buffer: () => ({ outcome: "done", made: { files: [{ ...made.files[0], bytes: new ArrayBuffer(3) }] } }),
		fails,
	},
	poll: {
		finished: () => [{ state: "finished" }],
		text: () => ["done"],
		nothing: () => undefined,
		none: () => [],
		failed: () => [{ state: "failed" }],
		"wait nan": () => [{ state: "unanswered", retryAfterMs: NaN }],
	},
	find: { null: () => null, object: () => ({}), name: () => "u" },
	bound: {
		nan: () => ({ images: NaN }),
		negative: () => ({ images: -1 }),
		endless: () => ({ images: 1e300 }),
		text: () => ({ images: "2" }),
		strange: () => ({ pictures: 2 }),
		nothing: () => undefined,
	},
	order: {
		nothing: () => undefined,
		empty: () => ({}),
		details: (order) => ({ ...order, details: undefined }),
		prompt: (order) => ({ ...order, prompt: 5 }),
		state: (order) => ({ ...order, state: 5 }),
	},
	units: {
		fails,
		nan: () => ({ images: NaN }),
		negative: () => ({ images: -1 }),
		text: () => ({ images: "1" }),
		strange: () => ({ pictures: 1 }),
		promised: async () => ({ images: 1 }),
		nothing: () => undefined,
	},
	callback: {
		fails,
		nothing: () => undefined,
		object: (task) => task,
		"fails at the end": (task) => (task.status === "SUCCESS" ? fails() : "{}"),
		"fails of failures": (task) => (task.status === "FAILURE" ? fails() : "{}"),
		changes: (task) => {
			task.id = "other";
			task.status = "SUCCESS";
			return "{}";
		},
	},
};
const answerOf = (what, prompt, usual, ...given) => {
	const found = prompt.split(", ").find((one) => one.startsWith(what + " "));
	return found === undefined ? usual : answers[what][found.slice(what.length + 1)](...given);
};

const kind = {
	name: "odd",
	words: { NOT_START: "a", IN_PROGRESS: "b", SUCCESS: "c", FAILURE: "d" },
	defaultModel: "m-0",
	timeoutMinutes: 10,
	read({ model, prompt }) {
		const bound = answerOf("bound", prompt, { images: 2 });
		const order = { kind: "odd", action: "DO", model, prompt, details: {}, input: {}, bound };
		return answerOf("order", prompt, order, order);
	},
	callback: (task) => answerOf("callback", task.prompt, JSON.stringify({ own: task.status }), task),
	units: (task) => answerOf("units", task.prompt, { images: 1 }),
};
const upstream = (number) => ({
	name: "oddly-" + number,
	kind: "odd",
	models: ["m-" + number],
	concurrency: 5,
	pollDelaysMs: [1000],
	submit: async ({ prompt }) => answerOf("submit", prompt, { outcome: "accepted", upstreamId: "u" }),
	poll: async ([{ prompt }]) => answerOf("poll", prompt, [{ state: "done", made }]),
	find: async ({ prompt }) => answerOf("find", prompt, undefined),
});

export default definePlugin({
	name: "odd",
	summary: "Is odd.",
	config: t.Object({ kind: t.Optional(t.Any()), upstream: t.Optional(t.Any()) }),
	gives: [taskKinds, taskUpstreams],
	setup: ({ config }) => ({
		offers: [
			add(taskKinds, { ...kind, ...config.kind }),
			...Array.from({ length: 50 }, (_, number) => add(taskUpstreams, { ...upstream(number), ...config.upstream })),
		],
	}),
});
`;

let stranger: Stranger;
let at: TaskWorld;
let hook: Receiver;
const priced = { use: "prices", with: { models: { "m-*": { perImage: 1 } } } };
beforeAll(async () => {
	stranger = writeStranger(plugin);
	hook = await startReceiver();
	at = await startTaskWorld({ more: ["quota", priced, { use: stranger.file }] });
});
afterAll(async () => {
	await at?.stop();
	await hook?.close();
	stranger?.remove();
});

let logged = 0;
let upstreams = 0;
beforeEach(() => {
	logged = at.log.length;
});
const errors = () => at.log.slice(logged).flatMap((line) => (line["level"] === "error" ? [String(line["error"])] : []));

/** What a task comes to, and what its token has used; nothing is held at its end. */
const outcomeOf = async (prompt: string, minutes = 0, notifyHook = "") => {
	const { key, id: token } = await at.token({ quota: 100 });
	const headers = { authorization: `Bearer ${key}` };
	const order = { kind: "odd", model: `m-${upstreams++}`, prompt, notifyHook };
	const { status, body } = await at.json("/v1/tasks", order, { headers });
	await at.pass(3_000);
	await at.pass(minutes * 60_000, 30_000);
	const task = await at.json(`/v1/tasks/${String(body["id"])}`, undefined, { headers });
	const { used } = await at.admin("GET", `/admin/tokens/${token}`);
	const held = sql`SELECT id FROM quota_leases WHERE token = ${token} AND kind = 'task' AND state = 'open'`;
	expect(await at.store.all(held)).toEqual([]);
	return { id: body["id"], accepted: status, ended: task.body["status"], error: task.body["error"], used };
};

test.each([
	["submit memo around", "SUCCESS", 1, "its memo is no object"],
	["submit memo text", "SUCCESS", 1, "its memo is no object"],
	["submit nameless", "FAILURE", 2, "without an upstreamId"],
	["submit refused", "FAILURE", 0, "its failure is no {"],
	["submit refused text", "FAILURE", 0, "its failure is no {"],
	["submit busy nan", "FAILURE", 0, "its retryAfterMs is no time"],
	["submit buffer", "SUCCESS", 1, undefined],
	["poll finished", "FAILURE", 2, "its poll answered no state"],
	["poll text", "FAILURE", 2, "its poll answered no state"],
	["poll nothing", "FAILURE", 2, "its poll answered no list of states"],
	["poll none", "FAILURE", 2, "its poll answered nothing for a job"],
	["poll failed", "FAILURE", 0, "its failure is no {"],
	["poll wait nan", "FAILURE", 2, "its retryAfterMs is no time"],
	["submit fails, find null", "FAILURE", 2, "Error: no"],
	["submit fails, find object", "FAILURE", 2, "its find answered no text"],
	["submit fails, find name", "SUCCESS", 1, "Error: no"],
	["units fails", "SUCCESS", 2, "Error: no"],
	...["nan", "negative", "text", "strange", "promised", "nothing"].map(
		(name) => [`units ${name}`, "SUCCESS", 2, "its units answered no {"] as const,
	),
])("%s: the task ends in %s, and costs %d", async (prompt, ended, used, told) => {
	expect(await outcomeOf(prompt, 11)).toMatchObject({ accepted: 202, ended, used });
	if (told === undefined) expect(errors()).toEqual([]);
	else expect(errors()).toContainEqual(expect.stringContaining(told));
});

test("an upstream's words reach the client without addresses and keys", async () => {
	const error = { code: "no", message: "Not by [removed] [removed]." };
	expect(await outcomeOf("submit refused address")).toMatchObject({ ended: "FAILURE", used: 0, error });
});

test.each([
	...["nan", "negative", "endless", "text", "strange", "nothing"].map((name) => [`bound ${name}`, "bound"]),
	["order nothing", "kind"],
	["order empty", "kind, action, model"],
	["order details", "details"],
	["order prompt", "prompt"],
	["order state", "state"],
])("%s: nothing is taken on, and the kind is named", async (prompt, member) => {
	expect(await outcomeOf(prompt)).toMatchObject({ accepted: 500, used: 0 });
	expect(errors()).toEqual([expect.stringMatching(new RegExp(`the kind ".+" made an order whose ${member}`))]);
});

test.each([
	["callback fails", "SUCCESS", 1],
	["callback nothing", "SUCCESS", 1],
	["callback object", "SUCCESS", 1],
	["callback fails at the end", "SUCCESS", 1],
	["callback fails of failures, submit refused", "FAILURE", 0],
	["callback changes", "SUCCESS", 1],
])("%s: the task ends in %s all the same, costs %d and its client is called back", async (prompt, ended, used) => {
	const before = hook.received.length;
	const { id, ...outcome } = await outcomeOf(prompt, 0, `${hook.origin}/x`);
	expect(outcome).toMatchObject({ accepted: 202, ended, used });
	const told = ended === "SUCCESS" ? 3 : 2;
	await until(() => hook.received.length === before + told);
	if (prompt === "callback changes") return;
	expect(JSON.parse(hook.received.at(-1)?.body.toString() ?? "")).toMatchObject({ id, status: ended });
	expect(errors()).toContainEqual(expect.stringMatching(/Error: (no|its callback answered no text)/));
});

test.each([
	["kind", { timeoutMinutes: -1 }, 'the task kind "odd" lacks, or has in a form that cannot be, timeoutMinutes'],
	["upstream", { models: "m" }, 'the task upstream "oddly-0" lacks, or has in a form that cannot be, models'],
	["upstream", { pollsTogether: 0, pollDelaysMs: 5 }, "cannot be, pollDelaysMs, pollsTogether"],
])("a wrong %s is a complaint of the config: %o", async (part, members, complaint) => {
	const odd = { use: stranger.file, with: { [part]: members } };
	await expect(startGateway({ plugins: ["tokens", "tasks", odd] })).rejects.toThrow(complaint);
});
