/** What clients send and see. Edge cases by their numbers; the other numbers are in the files beside this and in `plugins/webhooks`. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../../test/support/moved-clock.ts";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { count, idOf, receiver, show, stopAll, submit, world } from "../../test/support/scripted-tasks.ts";

beforeEach(resetScript);
afterEach(stopAll);

test("28: a repeated Idempotency-Key gives the same task; with another request it is refused", async () => {
	const at = await world();
	const init = { headers: { "idempotency-key": "k-1" } };
	const first = await submit(at, {}, init);
	const second = await submit(at, {}, init);
	expect(second.body.id).toBe(first.body.id);
	const twins = await Promise.all(
		[1, 2, 3, 4].map(() => submit(at, { prompt: "twin" }, { headers: { "idempotency-key": "k-2" } })),
	);
	expect(new Set(twins.map(({ body }) => body.id)).size).toBe(1);
	const other = await submit(at, { prompt: "another" }, init);
	expect(other.status).toBe(409);
	expect(other.body).toMatchObject({ error: { code: "idempotency_key_reused" } });
	expect(await count(at, "tasks")).toBe(2);
	const stranger = await at.token();
	const theirs = await submit(
		at,
		{},
		{ headers: { "idempotency-key": "k-1", authorization: `Bearer ${stranger.key}` } },
	);
	expect(theirs.body.id).not.toBe(first.body.id);
});

test("38: a task of a token that was removed goes on with its callbacks; the dead token cannot ask for it", async () => {
	const [at, hook] = [await world(), await receiver()];
	const gone = await at.token();
	const headers = { authorization: `Bearer ${gone.key}` };
	const { body } = await submit(at, { notifyHook: `${hook.origin}/x` }, { headers });
	await at.admin("DELETE", `/admin/tokens/${gone.id}`);
	scripted.poll = async () => ({ state: "done", made });
	await at.pass(3000, 100);
	await until(() => hook.received.length === 3);
	expect((await at.json(`/v1/tasks/${body.id}`, undefined, { headers })).status).toBe(401);
});

test("39: what belongs to another token does not exist", async () => {
	const at = await world();
	const id = await idOf(at);
	const stranger = await at.token();
	const headers = { authorization: `Bearer ${stranger.key}` };
	for (const [path, body] of [
		[`/v1/tasks/${id}`, undefined],
		[`/v1/tasks/${id}/cancel`, {}],
		[`/v1/tasks/${id}/content`, undefined],
		[`/v1/tasks/${id}/deliveries`, undefined],
		["/v1/tasks/task_unknown", undefined],
		["/v1/tasks/%00", undefined],
	] as const) {
		const answer = await at.json(path, body, { headers });
		expect([path, answer.status]).toEqual([path, 404]);
		expect(answer.body).toMatchObject({ error: { type: "invalid_request_error" } });
	}
	expect((await at.json("/v1/tasks", undefined, { headers })).body).toMatchObject({ data: [], has_more: false });
	expect((await submit(at, { follows: id }, { headers })).status).toBe(404);
});

test("43: an address that leads nowhere is given as the upstream gave it", async () => {
	const at = await world();
	const gone = { files: [{ role: "picture", mediaType: "image/png", url: "https://files.example/expired.png" }] };
	scripted.poll = async () => ({ state: "done", made: gone });
	const id = await idOf(at);
	await at.pass(3000, 100);
	expect(await show(at, id)).toMatchObject({
		status: "SUCCESS",
		output: { files: [{ url: "https://files.example/expired.png" }] },
	});
	const content = await at.ask(`/v1/tasks/${id}/content`, undefined, { redirect: "manual" });
	expect([content.status, content.headers.get("location")]).toEqual([302, "https://files.example/expired.png"]);
});

test("bytes are kept and handed out by a signed link that expires", async () => {
	const at = await world({ tasks: { publicUrl: "https://gateway.example/", keepDays: 1 } });
	const bytes = new Uint8Array([1, 2, 3, 4]);
	scripted.poll = async () => ({
		state: "done",
		made: { files: [{ role: "picture", mediaType: "image/png", bytes }] },
	});
	const id = await idOf(at);
	await at.pass(3000, 100);
	const output = (await show(at, id)).output as { files: { url: string }[] };
	const link = new URL(output.files[0]?.url ?? "");
	expect(link.origin).toBe("https://gateway.example");
	const open = await fetch(at.url + link.pathname + link.search);
	expect([open.status, open.headers.get("content-type"), new Uint8Array(await open.arrayBuffer())]).toEqual([
		200,
		"image/png",
		bytes,
	]);
	const part = await fetch(at.url + link.pathname + link.search, { headers: { range: "bytes=1-2" } });
	expect([part.status, part.headers.get("content-range"), new Uint8Array(await part.arrayBuffer())]).toEqual([
		206,
		"bytes 1-2/4",
		new Uint8Array([2, 3]),
	]);
	expect((await at.ask(`/v1/tasks/${id}/content`)).status).toBe(200);
	expect((await fetch(`${at.url}${link.pathname}?expires=9999999999&signature=x`)).status).toBe(404);
	expect((await fetch(at.url + link.pathname)).status).toBe(404);
	expect((await fetch(`${at.url}/v1/tasks/${id}/files/..%2f..%2fportico.db${link.search}`)).status).toBe(404);
	at.moved.jump(86_400_000);
	expect((await fetch(at.url + link.pathname + link.search)).status).toBe(404);
});

test("tasks are listed newest first, in pages, by kind and status", async () => {
	const at = await world();
	const ids: string[] = [];
	for (let index = 0; index < 5; index++) {
		ids.unshift(await idOf(at));
		at.moved.advance(1);
	}
	const first = (await at.json("/v1/tasks?limit=2")).body;
	expect([(first.data as { id: string }[]).map(({ id }) => id), first.has_more, first.last_id]).toEqual([
		ids.slice(0, 2),
		true,
		ids[1] ?? "",
	]);
	const next = (await at.json(`/v1/tasks?limit=10&after=${ids[1]}`)).body;
	expect([(next.data as { id: string }[]).map(({ id }) => id), next.has_more]).toEqual([ids.slice(2), false]);
	expect((await at.json("/v1/tasks?kind=video")).body.data).toEqual([]);
	expect((await at.json("/v1/tasks?status=DONE")).status).toBe(400);
	expect((await at.json("/v1/tasks?limit=0")).status).toBe(400);
});

test("an unknown kind or model is refused", async () => {
	const at = await world();
	expect((await at.json("/v1/tasks", { kind: "sculpture" })).status).toBe(400);
	expect((await submit(at, { model: "unheard-of" })).status).toBe(404);
});

test("a task that goes on from another gets its upstream's name for it, and its upstream", async () => {
	const at = await world();
	scripted.poll = async () => ({ state: "done", made });
	const parent = await idOf(at, { model: "both" });
	await at.pass(3000, 100);
	await idOf(at, { model: "both", follows: parent });
	await at.pass(500, 100);
	expect(scripted.submitted[1]?.parent).toEqual({ upstreamId: `up-${parent}`, memo: {} });
});
