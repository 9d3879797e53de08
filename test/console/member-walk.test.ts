/**
 * A member against every route of operators that there is, with the ids of another: what is not theirs is refused or not
 * there, and what they may do is written down here, so that a new route is looked at before it is theirs.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { asList, asRecord } from "#core";
import type { TestGateway } from "#core/testing";
import { type Browser, joined } from "../support/people-world.ts";
import { startShipped } from "./world.ts";

let gateway: TestGateway;
let member: Browser & { readonly id: string };
let admin: Browser & { readonly id: string };
/** Another's, by the word that a path has for them. */
const hers: Record<string, string> = {};

const speak = (key: string): Promise<Response> =>
	gateway.ask(
		"/v1/chat/completions",
		{ model: "demo", messages: [{ role: "user", content: "Hello" }] },
		{ headers: { authorization: `Bearer ${key}` } },
	);

beforeAll(async () => {
	gateway = await startShipped();
	[member, admin] = [await joined(gateway, "Mem"), await joined(gateway, "Chief", { role: "admin" })];
	const other = await joined(gateway, "Other");
	const { body } = await other.ask("POST", "/admin/tokens", { name: "theirs" });
	const headers = { authorization: `Bearer ${String(body["key"])}` };
	const order = { kind: "image", model: "demo-image", prompt: "x" };
	const task = (await (await gateway.ask("/v1/tasks", order, { headers })).json()) as { id: string };
	const call = await speak(String(body["key"]));
	await call.text();
	await gateway.store.write([
		sql`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
			VALUES ('msg_hers', ${String(body["id"])}, ${task.id}, 1, 'e', 'https://203.0.113.1/', 'https://203.0.113.1', '{}', 'dead', 1, 1, 1)`,
	]);
	Object.assign(hers, {
		tokens: body["id"],
		tasks: task.id,
		calls: call.headers.get("x-request-id"),
		deliveries: "msg_hers",
		people: other.id,
		invitations: "inv_0",
	});
});
afterAll(() => gateway.stop());

/** What a member may ask, of what is their own. */
const theirs = new Set([
	"GET /admin/calls",
	"GET /admin/calls/{id}",
	"GET /admin/clients",
	"GET /admin/deliveries",
	"GET /admin/deliveries/{id}",
	"POST /admin/deliveries/redeliver",
	"POST /admin/deliveries/{id}/redeliver",
	"GET /admin/tasks",
	"GET /admin/tasks/{id}",
	"GET /admin/tokens",
	"POST /admin/tokens",
	"GET /admin/tokens/schema",
	"GET /admin/tokens/{id}",
	"PATCH /admin/tokens/{id}",
	"DELETE /admin/tokens/{id}",
	"POST /admin/tokens/{id}/disable",
	"POST /admin/tokens/{id}/enable",
	"POST /admin/tokens/{id}/rotate",
	"GET /admin/usage",
	"POST /admin/webhooks/test",
]);

const methods = ["get", "post", "put", "patch", "delete"] as const;

const operatorRoutes = async (): Promise<readonly (readonly [method: string, path: string])[]> => {
	const { body } = await admin.ask("GET", "/openapi.json");
	return Object.entries(asRecord(body["paths"])).flatMap(([path, item]) =>
		path.startsWith("/admin/")
			? methods.filter((method) => method in asRecord(item)).map((method) => [method.toUpperCase(), path] as const)
			: [],
	);
};

test("every route is 403 for members, or theirs, and of another's it is 404", async () => {
	const routes = await operatorRoutes();
	expect(routes.length).toBeGreaterThan(35);
	for (const [method, path] of routes) {
		const kind = path.split("/")[2] ?? "";
		const sent = method === "GET" || method === "DELETE" ? undefined : {};
		const { status, body } = await member.ask(method, path.replace("{id}", hers[kind] ?? "x_1"), sent);
		const what = `${method} ${path}`;
		if (!theirs.has(what)) expect([what, status]).toEqual([what, 403]);
		else if (path.includes("{id}")) expect([what, status]).toEqual([what, 404]);
		for (const id of Object.values(hers))
			expect([what, JSON.stringify(body["data"] ?? {}).includes(id)]).toEqual([what, false]);
	}
	for (const what of theirs) expect(routes.map(([method, path]) => `${method} ${path}`)).toContain(what);
	expect((await gateway.admin("GET", `/admin/tokens/${hers["tokens"]}`))["disabled"]).toBe(false);
	expect((await gateway.admin("GET", "/admin/deliveries/msg_hers"))["status"]).toBe("dead");
});

test("a member's own lists and sums hold theirs, and no word of a vendor", async () => {
	const { body } = await member.ask("POST", "/admin/tokens", { name: "mine" });
	await (await speak(String(body["key"]))).text();
	for (const query of ["", `?token=${hers["tokens"]}`, `?owner=${hers["people"]}`]) {
		const calls = asList((await member.ask("GET", `/admin/calls${query}`)).body["data"]).map(asRecord);
		for (const { token, attempts } of calls) {
			expect(token).toBe(body["id"]);
			for (const attempt of asList(attempts)) expect(asRecord(attempt)).not.toHaveProperty("message");
		}
		const sums = (await member.ask("GET", `/admin/usage${query}${query ? "&" : "?"}by=token,owner`)).body["data"];
		for (const sum of asList(sums).map(asRecord)) expect([sum["token"], sum["owner"]]).toEqual([body["id"], member.id]);
	}
	expect(asList((await member.ask("GET", "/admin/calls")).body["data"])).toHaveLength(1);
});
