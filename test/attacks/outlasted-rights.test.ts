/** What somebody may do counts when their request is there, not when it began: a body that is held back outlasts no right. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { createTestClock, type TestGateway } from "#core/testing";
import { type Browser, joined, startPeopleWorld } from "../support/people-world.ts";
import { postHead, type RawClient, rawClient, until } from "./raw-client.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

const clock = createTestClock();
let world: TestGateway;
let models: AttackWorld;
beforeAll(async () => {
	[world, models] = await Promise.all([
		startPeopleWorld(),
		attackWorld({ clock, plugins: ["expiry", "model-list", "demo", "tasks", "image", "embeddings"] }),
	]);
});
afterAll(() => Promise.all([world.stop(), models.stop()]));

const open: RawClient[] = [];
afterEach(() => {
	for (const client of open.splice(0)) client.end();
});

/** Sends all of a request but the end of its body; gives what sends the rest, and the status that comes then. */
const heldBack = async (who: Browser, method: string, path: string, body: object) => {
	const client = await rawClient(world.url);
	open.push(client);
	const text = JSON.stringify(body);
	const head = [
		`${method} ${path} HTTP/1.1`,
		`Host: ${new URL(world.url).host}`,
		`Origin: ${world.url}`,
		"Sec-Fetch-Site: same-origin",
		`Cookie: ${who.cookie}`,
		"Content-Type: application/json",
		`Content-Length: ${text.length}`,
	];
	await client.send(`${head.join("\r\n")}\r\n\r\n${text.slice(0, -1)}`);
	// Who asks was looked up before the same is asked once more; its route waits for the rest.
	await until(() => world.portico.openCalls() === open.length);
	expect((await who.ask("GET", "/v1/session")).body["signedIn"]).toBe(true);
	return async (): Promise<number> => {
		await client.send(text.slice(-1));
		return await client.status();
	};
};

test("of an admin who is one no more, nothing is done", async () => {
	const eve = await joined(world, "Eve", { role: "admin" });
	const requests = [
		await heldBack(eve, "PATCH", `/admin/people/${eve.id}`, { role: "admin" }),
		await heldBack(eve, "POST", "/admin/invitations", { role: "admin" }),
		await heldBack(eve, "POST", "/admin/tokens", { name: "hers" }),
	];
	await world.admin("PATCH", `/admin/people/${eve.id}`, { role: "member" });
	for (const finish of requests) expect(await finish()).toBe(401);
	expect((await world.admin("GET", `/admin/people/${eve.id}`))["role"]).toBe("member");
	expect((await world.admin("GET", "/admin/invitations"))["data"]).toEqual([]);
});

test("of a member who was disabled, no token is issued", async () => {
	const fay = await joined(world, "Fay");
	const finish = await heldBack(fay, "POST", "/admin/tokens", { name: "hers" });
	await world.admin("POST", `/admin/people/${fay.id}/disable`);
	expect(await finish()).toBe(401);
	const { data } = await world.admin("GET", `/admin/tokens?owner=${fay.id}`);
	expect(data).toEqual([]);
});

test("of whoever still is who they were, all is done", async () => {
	const gil = await joined(world, "Gil", { role: "admin" });
	const finish = await heldBack(gil, "POST", "/admin/tokens", { name: "Gil's" });
	expect(await finish()).toBe(201);
});

const asked = { model: "chat-completions-a", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };
const paths = {
	"/v1/chat/completions": asked,
	"/v1beta/models/generate-content-a:generateContent": { contents: [{ parts: [{ text: "Hi" }] }] },
	"/v1/embeddings": { model: "chat-completions-a", input: "Hi" },
	"/v1/images/generations": { model: "demo-image", prompt: "Hi", async: true },
};

/** Sends all of a call but the end of its body, which comes so many milliseconds later; `meanwhile` happens first. */
const slowly = async (path: keyof typeof paths, key: string, later: number, meanwhile: () => Promise<unknown>) => {
	const { gateway } = models;
	await until(() => gateway.portico.openCalls() === 0);
	const client = await rawClient(gateway.url);
	open.push(client);
	const text = JSON.stringify(paths[path]);
	const inQuery = path.startsWith("/v1beta");
	const head = postHead(inQuery ? `${path}?key=${key}` : path, key, text.length);
	await client.send(`${inQuery ? head.replace(/Authorization: .*\r\n/, "") : head}${text.slice(0, -1)}`);
	await until(() => gateway.portico.openCalls() === 1);
	await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
	await meanwhile();
	await clock.advance(later);
	await client.send(text.slice(-1));
	return await client.status();
};

test.each(Object.keys(paths) as (keyof typeof paths)[])("%s of a token that was disabled asks nobody", async (path) => {
	const { gateway, upstream } = models;
	const { id, key } = await gateway.token({ quota: 10 });
	upstream.received.length = 0;
	const status = await slowly(path, key, 2_001, () => gateway.admin("POST", `/admin/tokens/${id}/disable`));
	expect(status).toBe(401);
	expect(upstream.received).toEqual([]);
});

test("a call of a token that has expired or was deleted asks nobody, and is recorded once", async () => {
	const { gateway, upstream } = models;
	upstream.received.length = 0;
	const expiring = await gateway.token({ expiresAt: new Date(clock.now() + 5_000).toISOString() });
	expect(await slowly("/v1/chat/completions", expiring.key, 5_001, async () => {})).toBe(401);
	const gone = await gateway.token({});
	const remove = () => gateway.admin("DELETE", `/admin/tokens/${gone.id}`);
	expect(await slowly("/v1/chat/completions", gone.key, 2_001, remove)).toBe(401);
	expect(upstream.received).toEqual([]);
	const calls = async () => (await gateway.admin("GET", `/admin/calls?token=${expiring.id}`))["data"];
	await until(async () => ((await calls()) as unknown[]).length > 0);
	expect(await calls()).toEqual([expect.objectContaining({ status: 401 })]);
});

test("a slow call whose token was changed goes by what the token is now", async () => {
	const { gateway } = models;
	const { id, key } = await gateway.token({ quota: 10 });
	const narrow = () => gateway.admin("PATCH", `/admin/tokens/${id}`, { models: ["another"] });
	expect(await slowly("/v1/chat/completions", key, 2_001, narrow)).toBe(404);
});

test("a slow call of a token that is still good is answered", async () => {
	const { gateway, upstream } = models;
	upstream.answer(() =>
		Response.json({
			choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}),
	);
	const { key } = await gateway.token({ quota: 10 });
	expect(await slowly("/v1/chat/completions", key, 20_000, async () => {})).toBe(200);
});
