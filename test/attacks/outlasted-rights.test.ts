/** What somebody may do counts when their request is there, not when it began: a body that is held back outlasts no right. */
import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { type Browser, joined, startPeopleWorld } from "../support/people-world.ts";
import { type RawClient, rawClient, until } from "./raw-client.ts";

let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld();
});
afterAll(() => world.stop());

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
