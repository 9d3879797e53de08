/** A fourth kind of task, by a stranger: everything that tasks promise holds for it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { checkPlugin, startGateway, type TestGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const folder = resolve(import.meta.dir, "../../templates/speech");
let gateway: TestGateway;
let hook: Receiver;

beforeAll(async () => {
	hook = await startReceiver();
	gateway = await startGateway({
		plugins: ["tokens", { use: "webhooks", with: { allowPrivateNetworks: true } }, "tasks", { use: folder }],
	});
});
afterAll(async () => {
	await gateway.stop();
	await hook.close();
});

test("it knows #core and the service of tasks, and keeps the contract", async () => {
	for (const file of readdirSync(folder).filter((name) => name.endsWith(".ts") && name !== "test.ts"))
		for (const [, name] of readFileSync(join(folder, file), "utf8").matchAll(/from "([^"]+)"/g))
			expect(name).toMatch(/^(#core|#core\/plugins\/tasks|\.\/beeps\.ts)$/);
	expect(await checkPlugin(folder)).toEqual([]);
});

test("its tasks are taken on, done, called back in its own words, and their files handed out", async () => {
	const answer = await gateway.ask("/speech/say", { prompt: "hello", notifyHook: `${hook.origin}/x` });
	const { id, state } = (await answer.json()) as { id: string; state: string };
	expect(state).toBe("waiting");
	await until(() => hook.received.length === 3);
	const bodies = hook.received.map(({ body }) => JSON.parse(body.toString()) as Record<string, string>);
	expect(bodies).toEqual([
		{ id, state: "waiting", sound: "" },
		{ id, state: "reading", sound: "" },
		{ id, state: "read", sound: expect.stringContaining(`/v1/tasks/${id}/files/0.wav`) as unknown as string },
	]);
	const sound = await fetch(bodies[2]?.sound ?? "");
	expect(Buffer.from(await sound.arrayBuffer()).toString("latin1", 0, 4)).toBe("RIFF");
});

test("the uniform routes know it", async () => {
	const submitted = (await (await gateway.ask("/v1/tasks", { kind: "speech", prompt: "hi" })).json()) as { id: string };
	await until(
		async () =>
			((await (await gateway.ask(`/v1/tasks/${submitted.id}`)).json()) as { status: string }).status === "SUCCESS",
	);
	const listed = (await (await gateway.ask("/v1/tasks?kind=speech")).json()) as { data: unknown[] };
	expect(listed.data.length).toBe(2);
	expect((await gateway.ask("/v1/tasks", { kind: "speech" })).status).toBe(400);
});
