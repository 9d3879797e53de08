/** An upstream in plain JavaScript that answers what its types do not allow: its task ends at once, and the log says why. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { resetScript, type ScriptedWork, scripted } from "../../test/support/scripted-kind.ts";
import { startTaskWorld, type TaskWorld } from "../../test/support/task-world.ts";

let at: TaskWorld;
beforeAll(async () => {
	at = await startTaskWorld();
});
afterAll(() => at.stop());
beforeEach(resetScript);

test.each([
	["nothing", undefined, "no outcome"],
	["a text", "done", "no outcome"],
	["a word that is none", { outcome: "finished" }, "no outcome"],
	["a job without a name", { outcome: "accepted" }, "without an upstreamId"],
])("%s", async (_what, answer, told) => {
	const logged = at.log.length;
	scripted.submit = (async () => answer) as unknown as ScriptedWork["submit"];
	const { key } = await at.token();
	const headers = { authorization: `Bearer ${key}` };
	const { body } = await at.json("/v1/tasks", { kind: "scripted", prompt: "x" }, { headers });
	await at.pass(2000);
	const task = await at.json(`/v1/tasks/${String(body["id"])}`, undefined, { headers });
	expect(task.body).toMatchObject({ status: "FAILURE", error: { code: "submission_unknown" } });
	expect(at.log.slice(logged)).toContainEqual(
		expect.objectContaining({ msg: "a task could not be submitted", error: expect.stringContaining(told) }),
	);
});
