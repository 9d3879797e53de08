/** Promise: a call is found by its own id, whatever request id another call was given by its client. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
	world.upstream.answer(() => Response.json({ error: { message: "no" } }, { status: 400 }));
});
afterAll(() => world.stop());

const ask = async (more: Record<string, string> = {}): Promise<string> => {
	const { key } = await world.gateway.token();
	const body = { model: "chat-completions-a", messages: [{ role: "user", content: "x" }] };
	const headers = { authorization: `Bearer ${key}`, ...more };
	const response = await world.gateway.ask("/v1/chat/completions", body, { headers });
	return response.headers.get("x-request-id") ?? "";
};

test("a later call that calls itself by another's id does not stand in its place", async () => {
	const id = await ask();
	expect(await ask({ "x-request-id": id })).toBe(id);
	expect((await world.gateway.admin("GET", `/admin/calls/${id}`))["id"]).toBe(id);
	const { data } = (await world.gateway.admin("GET", `/admin/calls?id=${id}`)) as { data: { id: string }[] };
	expect(data.map((call) => call.id)).toEqual([id]);
});
