/** A member sees and sends again only what became of their own tokens' tasks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { TestGateway } from "#core/testing";
import { type Browser, joined, peoplePlugins, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld({ plugins: [...peoplePlugins, "tasks", "image", "webhooks"] });
});
afterAll(() => world.stop());

const submitted = async (who: Browser): Promise<string> => {
	const { body } = await who.ask("POST", "/admin/tokens", { name: "t" });
	const response = await fetch(`${world.url}/v1/tasks`, {
		method: "POST",
		headers: { authorization: `Bearer ${String(body["key"])}`, "content-type": "application/json" },
		body: JSON.stringify({ kind: "image", model: "demo-image", prompt: "a door" }),
	});
	expect(response.status).toBe(202);
	return String(body["id"]);
};

test("tasks and deliveries of others are in no list, and are not sent again", async () => {
	const [ada, bob] = [await joined(world, "Ada"), await joined(world, "Bob")];
	const [mine, hers] = [await submitted(ada), await submitted(bob)];
	for (const query of ["", `?token=${hers}`, "?limit=500"]) {
		const { status, body } = await ada.ask("GET", `/admin/tasks${query}`);
		expect(status).toBe(200);
		expect((body["data"] as { token: string }[]).every(({ token }) => token === mine)).toBe(true);
	}
	expect((await ada.ask("GET", "/admin/tasks")).body["data"]).toHaveLength(1);
	expect((await world.admin("GET", "/admin/tasks"))["data"]).toHaveLength(2);

	const died = [mine, hers].map((token) => `('${token}')`).join(",");
	await world.store.write([
		sql.raw(`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
			SELECT 'msg_' || column1, column1, column1, 1, 'e', 'https://127.0.0.1:1/', 'https://127.0.0.1:1', '{}', 'dead', 1, 1, 1 FROM (VALUES ${died})`),
	]);
	const dead = async (who: Browser) =>
		((await who.ask("GET", "/admin/deliveries?status=dead")).body["data"] as { token: string }[]).map(
			({ token }) => token,
		);
	expect(await dead(ada)).toEqual([mine]);
	for (const token of [undefined, hers]) {
		const sent = await ada.ask("POST", "/admin/deliveries/redeliver", token === undefined ? {} : { token });
		expect(sent).toMatchObject({ status: 202, body: { count: token === undefined ? 1 : 0 } });
	}
	expect(await dead(bob)).toEqual([hers]);
	// So often in a minute; whoever runs the server may as often as they like.
	const again = async (send: () => Promise<unknown>) => await Promise.allSettled(Array.from({ length: 8 }, send));
	const sent = await again(async () => (await ada.ask("POST", "/admin/deliveries/redeliver", {})).status);
	expect(sent.filter((one) => one.status === "fulfilled" && one.value === 202)).toHaveLength(4);
	const sentByAdmin = await again(() => world.admin("POST", "/admin/deliveries/redeliver", {}));
	expect(sentByAdmin.every(({ status }) => status === "fulfilled")).toBe(true);
	const { data } = await world.admin("GET", `/admin/audit?operator=${ada.id}&limit=9`);
	expect(data).toContainEqual(expect.objectContaining({ verb: "redeliver", kind: "deliveries", object: hers }));
});

/** A member against every route about tasks and callbacks with another's ids. */
test("another's task and callback are not there, by whatever route", async () => {
	const [eve, fay] = [await joined(world, "Eve"), await joined(world, "Fay")];
	const token = await submitted(fay);
	const [task] = (await fay.ask("GET", "/admin/tasks")).body["data"] as { id: string; upstream?: string }[];
	const id = `msg_${token}`;
	await world.store.write([
		sql.raw(`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
			VALUES ('${id}', '${token}', '${token}', 1, 'e', 'https://127.0.0.1:1/', 'https://127.0.0.1:1', '{}', 'dead', 1, 1, 1)`),
	]);
	const url = "https://203.0.113.1/hook";
	const routes: readonly (readonly [method: string, path: string, hers: number, anothers: number, body?: unknown])[] = [
		["GET", `/admin/tasks/${task?.id}`, 200, 404],
		["GET", `/admin/deliveries/${id}`, 200, 404],
		["POST", `/admin/deliveries/${id}/redeliver`, 202, 404],
	];
	for (const [method, path, hers, anothers, body] of routes) {
		const refused = await eve.ask(method, path, body);
		expect(refused).toMatchObject({ status: anothers, body: { error: { code: "not_found" } } });
		expect((await fay.ask(method, path, body)).status).toBe(hers);
	}
	expect((await eve.ask("POST", "/admin/webhooks/test", { url, token })).status).toBe(400);
	expect(task).not.toHaveProperty("upstream");
	expect((await world.admin("GET", `/admin/tasks/${task?.id}`))["upstream"]).toBe("demo-image");
});

test("a change of a signing secret is written down with the token that made it, and without the secret", async () => {
	const { id, key } = await world.token();
	const post = async (path: string) =>
		await fetch(world.url + path, { method: "POST", headers: { authorization: `Bearer ${key}` } });
	const secrets: string[] = [];
	for (const path of ["/v1/webhooks/secret", "/v1/webhooks/secret/rotate"])
		secrets.push(((await (await post(path)).json()) as { secret: string }).secret);
	expect((await post("/v1/webhooks/secret")).status).toBe(409);
	const { data } = await world.admin("GET", `/admin/audit?object=${id}&limit=2`);
	const line = { operator: { id }, kind: "signing secret", object: id, address: "127.0.0.1" };
	expect(data).toMatchObject([
		{ ...line, verb: "rotate" },
		{ ...line, verb: "create" },
	]);
	for (const secret of secrets) expect(JSON.stringify(data)).not.toContain(secret);
});
