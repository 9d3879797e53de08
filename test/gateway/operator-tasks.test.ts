/** What operators see of tasks and callbacks, over all tokens, and how they send dead ones again. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { until } from "../support/moved-clock.ts";
import { printedBy } from "../support/printed.ts";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";
import { resetScript } from "../support/scripted-kind.ts";
import { startTaskWorld, type TaskWorld } from "../support/task-world.ts";

let at: TaskWorld;
let hook: Receiver;
let down = true;
let second: { readonly id: string; readonly key: string };
const ids: string[] = [];

const list = async (path: string) => asList((await at.admin("GET", path))["data"]).map(asRecord);

beforeAll(async () => {
	resetScript();
	hook = await startReceiver((socket, request, index) => status(down ? 503 : 200)(socket, request, index));
	at = await startTaskWorld({
		more: ["metrics", "chat-completions", "demo", { use: "router", with: { upstreams: [], models: [] } }],
	});
	second = await at.token({ name: "films" });
	for (const key of [at.key, second.key]) {
		const body = { kind: "scripted", prompt: "x", notifyHook: `${hook.origin}/hook` };
		const made = await at.json("/v1/tasks", body, { headers: { authorization: `Bearer ${key}` } });
		ids.push(String(made.body["id"]));
	}
	await at.pass(110_000, 1000);
	await until(async () => (await list("/admin/deliveries?status=dead")).length === 2);
});
afterAll(async () => {
	await at.stop();
	await hook.close();
});

const command = (name: string, ...words: readonly string[]): Promise<string> => printedBy(at, name, ...words);

test("dead deliveries of every token are listed, logged and counted", async () => {
	const dead = await list("/admin/deliveries?status=dead");
	expect(dead.map(({ subject }) => subject).sort()).toEqual([...ids].sort());
	for (const delivery of dead) expect(delivery).toMatchObject({ url: `${hook.origin}/hook`, status: "dead" });
	expect((await list(`/admin/deliveries?status=dead&token=${second.id}`)).map(({ token }) => token)).toEqual([
		second.id,
	]);
	const told = at.log.filter(({ msg }) => String(msg).startsWith("a delivery is dead"));
	expect(told.map(({ task }) => task).sort()).toEqual([...ids].sort());
	expect(told[0]).toMatchObject({ level: "error", error: "http_503", status: 503, attempts: 4, receiver: hook.origin });
	const metrics = await fetch(`${at.url}/metrics`, { headers: { authorization: `Bearer ${at.adminToken}` } });
	const text = await metrics.text();
	expect(text).toContain('portico_deliveries_total{outcome="dead"} 2\n');
	expect(text).toContain('portico_deliveries_total{outcome="retried"} 6\n');
	const listed = await command("deliveries", "--status", "dead");
	for (const words of ["http_503", "films", second.id]) expect(listed).toContain(words);
}, 20_000);

test("pages go from one to the next", async () => {
	const [newest] = await list("/admin/deliveries?status=dead&limit=1");
	const rest = await list(`/admin/deliveries?status=dead&limit=1&after=${newest?.["id"]}`);
	expect(rest.length).toBe(1);
	expect(rest[0]?.["id"]).not.toBe(newest?.["id"]);
});

test("a name that several tokens share or shared is refused with their ids, and nothing is sent again", async () => {
	const [one, other] = [await at.token({ name: "shared" }), await at.token({ name: "shared" })];
	await at.admin("DELETE", `/admin/tokens/${other.id}`);
	for (const path of ["/admin/deliveries", "/admin/tasks"])
		await expect(list(`${path}?token=shared`)).rejects.toThrow(one.id);
	const again = command("deliveries", "redeliver", "--token", "shared");
	await expect(again).rejects.toThrow(other.id);
});

test("tasks of every token are listed with their token and upstream", async () => {
	expect((await list("/admin/tasks")).map(({ id }) => id)).toEqual([...ids].reverse());
	expect(await list(`/admin/tasks?token=${second.id}`)).toMatchObject([
		{ id: ids[1], token: second.id, kind: "scripted" },
	]);
	expect((await list(`/admin/tasks?limit=1&after=${ids[1]}`)).map(({ id }) => id)).toEqual([String(ids[0])]);
	expect(await list("/admin/tasks?kind=none")).toEqual([]);
	expect((await list("/admin/tasks?token=films")).map(({ id }) => id)).toEqual([String(ids[1])]);
	expect((await list("/admin/deliveries?token=films")).map(({ token }) => token)).toContain(second.id);
	// A word that is mistyped would look like a token that did nothing.
	for (const path of ["deliveries", "tasks"])
		await expect(list(`/admin/${path}?token=nobody`)).rejects.toThrow('No token is or was called \\"nobody\\"');
	expect(await command("tasks", "--model", "none")).toBe("no tasks");
	expect(await command("deliveries", "--task", "task_none")).toBe("no callbacks");
	const told = await command("tasks");
	for (const words of ["films", second.id]) expect(told).toContain(words);
});

test("one task is shown, and one that nobody has is not", async () => {
	expect(await at.admin("GET", `/admin/tasks/${ids[1]}`)).toMatchObject({
		id: ids[1],
		token: second.id,
		submissions: 1,
	});
	await expect(at.admin("GET", "/admin/tasks/task_none")).rejects.toThrow("404");
	expect(await command("tasks", String(ids[1]))).toContain(second.id);
});

test("one callback is shown with its attempts and sent again by its id, whatever became of it", async () => {
	const id = `msg_${ids[0]}_1`;
	const path = `/admin/deliveries/${id}`;
	const attempts = async () => asList((await at.admin("GET", path))["attempts"]).map(asRecord);
	expect(await attempts()).toHaveLength(4);
	expect(await command("deliveries", "show", id)).toContain("http_503");
	const before = hook.received.length;
	for (const [times, cause] of [
		[1, "manual"],
		[2, "manual"],
	] as const) {
		expect(await at.admin("POST", `${path}/redeliver`)).toMatchObject({ id, status: "pending" });
		await at.pass(2_000, 1000);
		await until(async () => (await attempts()).length === 4 + times);
		expect((await attempts()).at(-1)).toMatchObject({ cause, error: "http_503" });
	}
	expect(hook.received.length).toBe(before + 2);
	expect(await at.admin("GET", path)).toMatchObject({ status: "dead" });
	await expect(at.admin("POST", "/admin/deliveries/msg_none/redeliver")).rejects.toThrow("404");
}, 20_000);

test("a test callback says what came of it, signed where a token has a secret", async () => {
	const url = `${hook.origin}/tried`;
	expect(await at.admin("POST", "/admin/webhooks/test", { url })).toMatchObject({
		delivered: false,
		error: "http_503",
	});
	expect(hook.received.at(-1)?.headers["webhook-signature"]).toBeUndefined();
	await at.json("/v1/webhooks/secret", {}, { headers: { authorization: `Bearer ${second.key}` } });
	await at.admin("POST", "/admin/webhooks/test", { url, token: second.id });
	expect(hook.received.at(-1)?.headers["webhook-signature"]).toStartWith("v1,");
	expect(await command("deliveries", "test", "--url", url)).toBe("not delivered: http_503");
	for (const body of [{}, { url: "ftp://x" }, { url, token: "tok_none" }])
		await expect(at.admin("POST", "/admin/webhooks/test", body)).rejects.toThrow("400");
});

test("all dead ones are sent again at a word", async () => {
	down = false;
	const answer = await fetch(`${at.url}/admin/deliveries/redeliver`, {
		method: "POST",
		headers: { authorization: `Bearer ${at.adminToken}` },
	});
	expect([answer.status, await answer.json()]).toEqual([202, { count: 2 }]);
	await at.pass(3_000, 1000);
	await until(async () => (await list("/admin/deliveries?status=delivered")).length >= 2);
	expect(await list("/admin/deliveries?status=dead")).toEqual([]);
	expect(await command("deliveries", "redeliver")).toBe("0 dead deliveries are sent again");
}, 20_000);

test("members of other tokens see nothing of it", async () => {
	for (const path of ["/admin/tasks", "/admin/deliveries"])
		expect((await at.ask(path, undefined, { headers: { authorization: `Bearer ${second.key}` } })).status).toBe(401);
});
