/** Answers that an earlier version kept: they are found, replaced and forgotten after an upgrade as before it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Log } from "#core";
import { createScratchStore, type ScratchStore } from "../../../test/support/scratch-store.ts";
import { responsesTables } from "../tables.ts";
import { AnswerRoom } from "./answer-room.ts";
import { AnswerStore } from "./answer-store.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => log };
const folder = mkdtempSync(join(tmpdir(), "portico-kept-"));
const { plugin, migrations } = responsesTables("responses");

const storeOf = (store: ScratchStore): AnswerStore => {
	const room = new AnswerRoom(store, { perToken: 1e6, total: 1e6 }, log);
	return new AnswerStore({ store, room, conversationBytes: 1e6 });
};
const item = (id: string) => ({ id, type: "message", role: "assistant" });
const kept = (id: string, previous: string | undefined, ...items: string[]) => ({
	id,
	previous,
	input: ["asked"],
	answer: { id, object: "response", output: items.map(item) },
});

let store: ScratchStore;
let answers: AnswerStore;
beforeAll(async () => {
	const before = migrations.filter(({ name }) => name < "005");
	expect(before).toHaveLength(4);
	const old = await createScratchStore([{ plugin, migrations: before }], folder);
	for (const token of ["tok_a", "tok_b"]) {
		await storeOf(old).keep(token, kept("resp_1", undefined, "msg_1", "msg_2"), 1);
		await storeOf(old).keep(token, kept("resp_2", "resp_1", "msg_3"), 2);
	}
	old.close();
	store = await createScratchStore([{ plugin, migrations }], folder);
	answers = storeOf(store);
});
afterAll(() => {
	store.close();
	rmSync(folder, { recursive: true, force: true });
});

const itemsOf = async (token: string): Promise<unknown> =>
	(await store.run("SELECT id FROM responses_items WHERE token = ? ORDER BY id", [token])).map(({ id }) => id);
const sums = (): Promise<unknown> => store.run("SELECT token, bytes FROM responses_kept ORDER BY token");
const counted = (): Promise<unknown> =>
	store.run(`SELECT '' AS token, sum(bytes) AS bytes FROM responses_answers
		UNION ALL SELECT token, sum(bytes) FROM responses_answers GROUP BY token ORDER BY token`);

test("they are put together, and their items and ids are known", async () => {
	expect((await answers.conversation({ id: "tok_a" }, "resp_2"))?.map(({ id }) => id)).toEqual(["resp_1", "resp_2"]);
	const found = await answers.items({ id: "tok_b" }, ["msg_2", "msg_3", "msg_9"]);
	expect(["msg_2", "msg_3", "msg_9"].map((id) => found.get(id))).toEqual([item("msg_2"), item("msg_3"), undefined]);
	expect(await answers.isKnown(["msg_1"])).toBe(true);
	expect(await answers.isKnown(["resp_2"])).toBe(true);
	expect(await answers.isKnown(["msg_9", "resp_9"])).toBe(false);
});

test("one that is replaced leaves none of its items, and each token's bytes are counted", async () => {
	await answers.keep("tok_a", { ...kept("resp_1", undefined, "msg_2", "msg_4"), input: ["asked at length"] }, 3);
	expect(await itemsOf("tok_a")).toEqual(["msg_2", "msg_3", "msg_4"]);
	expect(await itemsOf("tok_b")).toEqual(["msg_1", "msg_2", "msg_3"]);
	expect(await sums()).toEqual(await counted());
});

test("one that is forgotten takes its items along", async () => {
	expect(await answers.forget("tok_b", "resp_1", 4)).toBe(true);
	expect(await itemsOf("tok_b")).toEqual(["msg_3"]);
	expect(await sums()).toEqual(await counted());
});
