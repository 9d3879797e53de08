/** A result that was made and is lost: by Portico's own fault nobody pays for it, and the log says once why. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../test/support/moved-clock.ts";
import { resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, show, stopAll, world } from "../../test/support/scripted-tasks.ts";
import type { TaskWorld } from "../../test/support/task-world.ts";
import { usedOfTokens } from "../../test/support/used-of-tokens.ts";
import type { Made } from "./service.ts";

beforeEach(resetScript);
afterEach(stopAll);

const bytes: Made = { files: [{ role: "picture", mediaType: "image/png", bytes: new Uint8Array([1]) }] };
const gone: Made = {
	files: [
		{
			role: "picture",
			mediaType: "image/png",
			fetch: () => Promise.reject(new TypeError("https://files.example/1.png answered 404")),
		},
	],
};

const priced = async (): Promise<TaskWorld> => {
	const at = await world({ more: ["quota", { use: "prices", with: { models: { script: { perImage: 0.5 } } } }] });
	// Where the folder of results should be there is a file.
	writeFileSync(join(at.folder, "tasks"), "x");
	return at;
};

/** The task as it ended. Fetching and keeping go by real time, of which a busy machine needs more than `pass` gives. */
const failed = async (at: TaskWorld, id: string) => {
	await until(async () => (await show(at, id)).status === "FAILURE", "the end");
	return await show(at, id);
};

const complaints = (at: TaskWorld) =>
	at.log.filter(({ task }) => task !== undefined).map(({ msg, task, error }) => [msg, task, error]);

test("a disk that cannot be written costs the token nothing", async () => {
	const at = await priced();
	scripted.submit = async () => ({ outcome: "done", made: bytes });
	const id = await idOf(at);
	await at.pass(2000);
	expect(await failed(at, id)).toMatchObject({ error: { code: "result_not_kept" } });
	expect(await usedOfTokens(at)).toEqual([0]);
	expect(complaints(at)).toEqual([["a result could not be kept", id, expect.stringContaining("ENOTDIR")]]);
});

test("a file that its upstream does not give is charged, for the work was done", async () => {
	const at = await priced();
	scripted.submit = async () => ({ outcome: "done", made: gone });
	const id = await idOf(at);
	await at.pass(2000);
	expect(await failed(at, id)).toMatchObject({ error: { code: "result_not_kept" } });
	expect(await usedOfTokens(at)).toEqual([0.5]);
	expect(complaints(at)).toEqual([["a result could not be fetched", id, "TypeError: [removed] answered 404"]]);
});

test("a file of no bytes is no result", async () => {
	const at = await priced();
	rmSync(join(at.folder, "tasks"));
	const empty = { role: "picture", mediaType: "image/png", bytes: new Uint8Array(0) };
	scripted.submit = async () => ({ outcome: "done", made: { files: [empty] } });
	const id = await idOf(at);
	await at.pass(2000);
	expect(await failed(at, id)).toMatchObject({ error: { code: "upstream_no_result" } });
});

test("a job that is done is kept as soon as the disk can be written, and told of once until then", async () => {
	const at = await priced();
	scripted.poll = async () => ({ state: "done", made: bytes });
	const id = await idOf(at);
	await at.pass(60_000, 5000);
	expect((await show(at, id)).status).not.toBe("FAILURE");
	expect(complaints(at)).toHaveLength(1);
	rmSync(join(at.folder, "tasks"));
	await at.pass(60_000, 5000);
	expect((await show(at, id)).status).toBe("SUCCESS");
	expect(await usedOfTokens(at)).toEqual([0.5]);
});

test("a job whose result could not be kept in its time costs nothing", async () => {
	const at = await priced();
	scripted.poll = async () => ({ state: "done", made: bytes });
	const id = await idOf(at);
	await at.pass(660_000, 30_000);
	expect(await failed(at, id)).toMatchObject({ error: { code: "result_not_kept" } });
	expect(await usedOfTokens(at)).toEqual([0]);
});

test("a result that came while the database was away costs nothing", async () => {
	const at = await priced();
	const { write } = at.store;
	const writes = (now: typeof write): void => void Object.assign(at.store, { write: now });
	scripted.submit = async () => {
		writes(() => Promise.reject(new Error("the database is away")));
		return {
			outcome: "done",
			made: { files: [{ role: "picture", mediaType: "image/png", url: "https://a.example/1" }] },
		};
	};
	const id = await idOf(at);
	await at.pass(60_000, 1000);
	writes(write);
	// What could not claim is tried again by a job's schedule, which goes by real time.
	expect(await failed(at, id)).toMatchObject({ error: { code: "result_not_kept" } });
	expect(scripted.submitted).toHaveLength(1);
	expect(await usedOfTokens(at)).toEqual([0]);
});

test("an upstream's program that fails is told of once a task", async () => {
	const at = await priced();
	scripted.poll = () => Promise.reject(new RangeError("no such day"));
	const id = await idOf(at);
	await at.pass(20_000, 5000);
	expect(complaints(at)).toEqual([["an upstream could not be asked after a task", id, "RangeError: no such day"]]);
});

test("a submission that fails inside Portico is told of", async () => {
	const at = await priced();
	scripted.submit = () => Promise.reject(new RangeError("no such day"));
	const id = await idOf(at);
	await at.pass(2000);
	expect(await failed(at, id)).toMatchObject({ error: { code: "submission_unknown" } });
	expect(complaints(at)).toEqual([["a task could not be submitted", id, "RangeError: no such day"]]);
});
