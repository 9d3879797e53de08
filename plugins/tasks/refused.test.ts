/** A task that is not taken on has a row, as a refused call has: whoever refused it. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { startTaskWorld, type TaskWorld } from "../../test/support/task-world.ts";

let at: TaskWorld;
beforeAll(async () => {
	at = await startTaskWorld({
		more: [
			"ledger",
			"model-list",
			"rate-limit",
			"quota",
			{ use: "prices", with: { models: { script: { perImage: 0.5 } } } },
			"metrics",
			// Records of calls are written where calls are routed.
			"chat-completions",
			"demo",
			{ use: "router", with: { models: [] } },
		],
	});
});
afterAll(() => at.stop());
beforeEach(resetScript);

const submitted = async (settings: Readonly<Record<string, unknown>>, body: object = {}) => {
	const { id, key } = await at.token({ name: "films", ...settings });
	const answer = await at.ask(
		"/v1/tasks",
		{ kind: "scripted", prompt: "x", ...body },
		{ headers: { authorization: `Bearer ${key}` } },
	);
	await answer.text();
	const path = `/admin/calls/${answer.headers.get("x-request-id")}`;
	return { id, status: answer.status, row: () => at.admin("GET", path) };
};

test.each([
	["a used-up quota", { quota: 0 }, {}, 429, "quota_exhausted"],
	["a quota too small for it", { quota: 0.1 }, {}, 429, "quota_exhausted"],
	["a model that it may not use", { models: ["gpt-*"] }, {}, 404, "model_not_found"],
	["a model that is not there", {}, { model: "nobody" }, 404, "model_not_found"],
	["a callback that may not be", {}, { notifyHook: "ftp://x" }, 400, "invalid_callback_url"],
	["a kind that is not there", {}, { kind: "sculpture" }, 400, "invalid_request"],
	["an order that cannot be read", {}, { notifyHook: 5 }, 400, "invalid_callback_url"],
])("%s", async (_what, settings, body, status, reason) => {
	const refused = await submitted(settings, body);
	expect(refused.status).toBe(status);
	expect(await refused.row()).toMatchObject({
		ending: "refused",
		token: refused.id,
		tokenName: "films",
		protocol: "tasks",
		status,
		reason,
		cost: 0,
		attempts: [],
	});
});

test("a task that is taken on has no row of a refusal", async () => {
	const taken = await submitted({ quota: 1 });
	expect(taken.status).toBe(202);
	const { data } = await at.admin("GET", `/admin/calls?token=${taken.id}`);
	expect(asList(data).map((row) => asRecord(row)["ending"])).not.toContain("refused");
});

test("the row of a task that failed says why", async () => {
	const failure = { code: "upstream_refused", reason: "Out of paint." };
	scripted.submit = async () => ({ outcome: "refused", failure });
	const { json } = at;
	const { key } = await at.token({ name: "painter", quota: 1 });
	const headers = { authorization: `Bearer ${key}` };
	const { body } = await json("/v1/tasks", { kind: "scripted", prompt: "x" }, { headers });
	await at.pass(2000);
	expect(await at.admin("GET", `/admin/calls/${String(body["id"])}`)).toMatchObject({
		ending: "failed",
		tokenName: "painter",
		reason: "upstream_refused",
		message: "Out of paint.",
	});
});
