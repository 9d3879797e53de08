/** Submission to the upstream. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/webhooks`. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, show, stopAll, world } from "../../test/support/scripted-tasks.ts";

beforeEach(resetScript);
afterEach(stopAll);

test("an outcome that is not known is looked up, and never submitted twice", async () => {
	const at = await world();
	scripted.submit = async () => ({ outcome: "unknown" });
	scripted.find = async (job) => `found-${job.id}`;
	scripted.poll = async (job) =>
		job.upstreamId === `found-${job.id}` ? { state: "done", made } : { state: "missing" };
	const id = await idOf(at);
	await at.pass(3000, 100);
	expect(await show(at, id)).toMatchObject({ status: "SUCCESS" });
	expect(scripted.submitted).toHaveLength(1);
});

test("an outcome that cannot be looked up is a failure", async () => {
	const at = await world();
	scripted.submit = async () => {
		throw new Error("broke off");
	};
	const id = await idOf(at);
	await at.pass(3000, 100);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", error: { code: "submission_unknown" } });
	expect(scripted.submitted).toHaveLength(1);
});

test("a refusal fails the task at once", async () => {
	const at = await world();
	scripted.submit = async () => ({ outcome: "refused", failure: { code: "content_policy_violation", reason: "no" } });
	const id = await idOf(at);
	await at.pass(500, 100);
	expect(await show(at, id)).toMatchObject({
		status: "FAILURE",
		error: { code: "content_policy_violation", message: "no" },
	});
});

test("a busy upstream is followed by the next that does the model, and at last by a failure", async () => {
	const at = await world();
	scripted.submit = async () => ({ outcome: "busy" });
	const id = await idOf(at, { model: "both" });
	await at.pass(60_000, 500);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", error: { code: "upstream_busy" } });
	expect(scripted.submitted).toHaveLength(4);
});

test("what is not ended in time has failed, and its upstream's silence does not end it sooner", async () => {
	const at = await world();
	scripted.poll = async () => ({ state: "unanswered" });
	const id = await idOf(at);
	await at.pass(590_000, 10_000);
	expect((await show(at, id)).status).toBe("NOT_START");
	await at.pass(30_000, 5000);
	expect(await show(at, id)).toMatchObject({
		status: "FAILURE",
		error: { code: "task_timeout", message: "task timeout after 10 minutes" },
	});
});

test("three answers that there is no such job, or twenty unknown words, are a failure", async () => {
	const at = await world();
	scripted.poll = async () => ({ state: "missing" });
	const missing = await idOf(at);
	await at.pass(15_000, 500);
	expect(await show(at, missing)).toMatchObject({ error: { code: "upstream_lost_task" } });
	scripted.poll = async () => ({ state: "strange", word: "PONDERING" });
	const strange = await idOf(at);
	await at.pass(60_000, 500);
	expect(await show(at, strange)).toMatchObject({ error: { code: "upstream_strange" } });
}, 20_000);

test("success without a result is a failure", async () => {
	const at = await world();
	scripted.poll = async () => ({ state: "done", made: { files: [] } });
	const id = await idOf(at);
	await at.pass(3000, 100);
	expect(await show(at, id)).toMatchObject({ status: "FAILURE", error: { code: "upstream_no_result" } });
});

test("41: a reason is told without the upstream's addresses and keys", async () => {
	const { publicReason } = await import("./connection.ts");
	expect(publicReason("bad key sk-abcdefgh12345678 at https://internal.example/v1?key=1 for 10.0.0.1:80")).toBe(
		"bad key [removed] at [removed] for [removed]",
	);
	expect(publicReason("x".repeat(900))).toHaveLength(500);
});

test("polls of one upstream run at once, no more than its concurrency", async () => {
	const at = await world({ scripted: { concurrency: 5 } });
	let running = 0;
	let most = 0;
	scripted.poll = async () => {
		most = Math.max(most, ++running);
		await new Promise((resolve) => setTimeout(resolve, 5));
		running--;
		return { state: "done", made };
	};
	for (let index = 0; index < 30; index++) await idOf(at);
	await at.pass(20_000, 500);
	expect(most).toBe(5);
	const { body } = await at.json("/v1/tasks?status=SUCCESS&limit=100");
	expect((body.data as unknown[]).length).toBe(30);
});
