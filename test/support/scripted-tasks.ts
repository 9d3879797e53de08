/** What the tests of tasks begin with: worlds with the scripted kind, and receivers, stopped after each test. */
import { expect } from "bun:test";
import { sql } from "drizzle-orm";
import { type Answer, type Receiver, startReceiver } from "./receiver.ts";
import { startTaskWorld, type TaskWorld, type TaskWorldOptions } from "./task-world.ts";

const open: (() => Promise<void> | void)[] = [];

/** For `afterEach`. */
export const stopAll = async (): Promise<void> => {
	for (const stop of open.splice(0).reverse()) await stop();
};

/** Has something more done after the test. */
export const doLater = (action: () => Promise<void> | void): void => {
	open.push(action);
};

export const world = async (options?: TaskWorldOptions): Promise<TaskWorld> => {
	const started = await startTaskWorld(options);
	open.push(() => started.stop());
	return started;
};
export const receiver = async (answer?: Answer): Promise<Receiver> => {
	const started = await startReceiver(answer);
	open.push(() => started.close());
	return started;
};
export const submit = async (at: TaskWorld, more: Record<string, unknown> = {}, init?: RequestInit) =>
	await at.json("/v1/tasks", { kind: "scripted", prompt: "a cat", ...more }, init);
export const idOf = async (at: TaskWorld, more?: Record<string, unknown>): Promise<string> => {
	const { status: code, body } = await submit(at, more);
	expect(code).toBe(202);
	return String(body.id);
};
export const show = async (at: TaskWorld, id: string) => (await at.json(`/v1/tasks/${id}`)).body;
export const bodies = (hook: Receiver): Record<string, unknown>[] =>
	hook.received.map(({ body }) => JSON.parse(body.toString()));
export const count = async (at: TaskWorld, table: string): Promise<number> => {
	const [row] = await at.store.all(sql.raw(`SELECT count(*) AS n FROM ${table}`));
	return Number(row?.n);
};
