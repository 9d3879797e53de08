/** A member against every route: what is theirs is there, another's is not, and no token of theirs goes beyond them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { type Browser, joined, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
let ada: Browser & { readonly id: string };
let bob: Browser & { readonly id: string };
beforeAll(async () => {
	world = await startPeopleWorld();
	ada = await joined(world, "Ada");
	bob = await joined(world, "Bob");
});
afterAll(() => world.stop());

const issue = async (who: Browser, body: Readonly<Record<string, unknown>> = {}) => {
	const { status, body: token } = await who.ask("POST", "/admin/tokens", { name: "mine", ...body });
	expect(status).toBe(201);
	return { id: String(token["id"]), key: String(token["key"]), token };
};

const speak = (key: string, model = "demo") =>
	fetch(`${world.url}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
	});

describe("a member", () => {
	test("issues a token that answers calls, sees it in the list, and nobody else's", async () => {
		const mine = await issue(ada);
		const hers = await issue(bob);
		expect(mine.key).toMatch(/^sk-\w{49}$/);
		expect(mine.token["owner"]).toBe(ada.id);
		expect((await speak(mine.key)).status).toBe(200);
		const { data } = (await ada.ask("GET", "/admin/tokens")).body as { data: { id: string; owner: string }[] };
		expect(data.map(({ id }) => id)).toContain(mine.id);
		expect(data.map(({ id }) => id)).not.toContain(hers.id);
		expect(new Set(data.map(({ owner }) => owner))).toEqual(new Set([ada.id]));
		const asked = await ada.ask("GET", `/admin/tokens?owner=${bob.id}`);
		expect((asked.body["data"] as { owner: string }[]).every(({ owner }) => owner === ada.id)).toBe(true);
		expect((await ada.ask("POST", `/admin/tokens/${mine.id}/rotate`)).body["key"]).not.toBe(mine.key);
		expect((await speak(mine.key)).status).toBe(401);
	});

	type Row = [method: string, path: string, body: Readonly<Record<string, unknown>> | undefined];
	const rowsOf = (rows: readonly (readonly [string, string, unknown?])[]): Row[] =>
		rows.map(([method, path, body]) => [method, path, body as Row[2]]);

	const others = rowsOf([
		["GET", ""],
		["PATCH", "", { name: "stolen" }],
		["PATCH", "", { owner: null }],
		["DELETE", ""],
		["POST", "/disable"],
		["POST", "/enable"],
		["POST", "/rotate"],
	]);
	test.each(others)("%s /admin/tokens/{another's}%s is 404, and changes nothing", async (method, path, body) => {
		const hers = await issue(bob);
		const ofTheWorld = await world.token();
		for (const { id, key } of [hers, ofTheWorld]) {
			const { status, body: said } = await ada.ask(method, `/admin/tokens/${id}${path}`, body);
			expect({ status, code: said["error"] }).toMatchObject({ status: 404, code: { code: "not_found" } });
			expect((await speak(key)).status).toBe(200);
			expect((await world.admin("GET", `/admin/tokens/${id}`))["name"]).not.toBe("stolen");
		}
	});

	const forAdmins = rowsOf([
		["GET", "/admin/plugins"],
		["POST", "/admin/reload"],
		["POST", "/admin/backup", { file: "/tmp/none" }],
		["GET", "/admin/audit"],
		["GET", "/admin/people"],
		["PATCH", "/admin/people/per_x", { role: "admin" }],
		["GET", "/admin/invitations"],
		["POST", "/admin/invitations", { role: "admin" }],
		["GET", "/admin/upstreams"],
	]);
	test.each(forAdmins)("%s %s is 403", async (method, path, body) => {
		expect((await ada.ask(method, path, body)).status).toBe(403);
	});

	test("cannot name a token so that others read it the wrong way round", async () => {
		const message = '"name": expected a name that can be seen, without control characters and marks of direction.';
		for (const name of ["gnp.\u202eexe", "\u2066a", "a\u2028b", ""])
			expect(await ada.ask("POST", "/admin/tokens", { name })).toMatchObject({
				status: 400,
				body: { error: { message } },
			});
		expect((await ada.ask("POST", "/admin/tokens", { name: "می\u200cخواهم 👩‍💻" })).status).toBe(201);
	});

	test("cannot enable a token that an administrator disabled, whatever they disable themselves", async () => {
		const { id, key } = await issue(ada);
		const enable = async (who: Browser) => [
			(await who.ask("POST", `/admin/tokens/${id}/enable`)).status,
			(await who.ask("PATCH", `/admin/tokens/${id}`, { disabled: false })).status,
			(await speak(key)).status,
		];
		await ada.ask("POST", `/admin/tokens/${id}/disable`);
		expect(await enable(ada)).toEqual([200, 200, 200]);
		await world.admin("POST", `/admin/tokens/${id}/disable`);
		const refused = await ada.ask("POST", `/admin/tokens/${id}/enable`);
		expect(refused).toMatchObject({ status: 403, body: { error: { code: "admins_only" } } });
		await ada.ask("POST", `/admin/tokens/${id}/disable`);
		await ada.ask("POST", `/admin/tokens/${id}/rotate`);
		expect(await enable(ada)).toEqual([403, 403, 401]);
		expect((await ada.ask("GET", `/admin/tokens/${id}`)).body).toMatchObject({ disabled: true, disabledByAdmin: true });
		await world.admin("PATCH", `/admin/tokens/${id}`, { disabled: false });
		await ada.ask("POST", `/admin/tokens/${id}/disable`);
		expect((await enable(ada)).slice(0, 2)).toEqual([200, 200]);
	});

	test("changes a token at the same time as an administrator, and undoes nothing of it", async () => {
		for (let round = 0; round < 10; round++) {
			const { id } = await issue(ada, { models: ["demo"] });
			const path = `/admin/tokens/${id}`;
			await Promise.all([
				...["a", "b", "c"].map((name) => ada.ask("PATCH", path, { name, expiresAt: "2099-01-01T00:00:00Z" })),
				world.admin("PATCH", path, { disabled: true, quota: 1, models: null }),
				...["d", "e", "f"].map((name) => ada.ask("PATCH", path, { name, 'no"body': null })),
			]);
			const { disabled, settings } = await world.admin("GET", path);
			expect({ disabled, settings }).toEqual({
				disabled: true,
				settings: { quota: 1, expiresAt: "2099-01-01T00:00:00Z" },
			});
		}
	});

	test("cannot give a token to another, nor to nobody", async () => {
		const mine = await issue(ada);
		for (const owner of [bob.id, null]) {
			expect((await ada.ask("POST", "/admin/tokens", { name: "x", owner })).status).toBe(403);
			expect((await ada.ask("PATCH", `/admin/tokens/${mine.id}`, { owner })).status).toBe(403);
		}
		expect((await world.admin("GET", `/admin/tokens/${mine.id}`))["owner"]).toBe(ada.id);
	});
});

test("a member's usage and calls are of their own tokens, whatever is asked for", async () => {
	const [dan, fay] = [await joined(world, "Dan"), await joined(world, "Fay")];
	const [mine, hers] = [await issue(dan), await issue(fay)];
	const answers = await Promise.all([mine.key, mine.key, hers.key].map((key) => speak(key)));
	const ids = answers.map((answer) => answer.headers.get("x-request-id") ?? "");
	const callsOf = async (query: string) =>
		(await dan.ask("GET", `/admin/calls${query}`)).body["data"] as { token: string; attempts: unknown[] }[];
	for (const query of ["", `?token=${hers.id}`, `?owner=${fay.id}`, `?id=${ids[2]}`])
		expect((await callsOf(query)).every(({ token }) => token === mine.id)).toBe(true);
	expect(await callsOf("")).toHaveLength(2);
	expect(await callsOf(`?token=${hers.id}`)).toHaveLength(0);
	expect((await dan.ask("GET", `/admin/calls/${ids[0]}`)).status).toBe(200);
	expect((await dan.ask("GET", `/admin/calls/${ids[2]}`)).status).toBe(404);
	const sums = (await dan.ask("GET", `/admin/usage?by=token&owner=${fay.id}`)).body["data"];
	expect(sums).toMatchObject([{ token: mine.id, calls: 2 }]);
	const ofFay = (await world.admin("GET", `/admin/usage?by=token&owner=${fay.id}`))["data"];
	expect(ofFay).toMatchObject([{ token: hers.id, calls: 1 }]);
});

describe("an admin", () => {
	test("sees everybody's, gives tokens to persons that exist, and takes them back", async () => {
		const chief = await joined(world, "Chief", { role: "admin" });
		const hers = await issue(bob);
		expect((await chief.ask("GET", `/admin/tokens/${hers.id}`)).body["owner"]).toBe(bob.id);
		const { id, token } = await issue(chief);
		expect(token["owner"]).toBeUndefined();
		expect((await chief.ask("PATCH", `/admin/tokens/${id}`, { owner: "per_nobody" })).status).toBe(400);
		await chief.ask("PATCH", `/admin/tokens/${id}`, { owner: ada.id });
		expect((await ada.ask("GET", `/admin/tokens/${id}`)).status).toBe(200);
		await chief.ask("PATCH", `/admin/tokens/${id}`, { owner: null });
		expect((await ada.ask("GET", `/admin/tokens/${id}`)).status).toBe(404);
	});
});

describe("limits of a person", () => {
	test("hold for their tokens, made before or after, whatever those say", async () => {
		const eve = await joined(world, "Eve");
		const [plain, wide] = [await issue(eve), await issue(eve, { models: ["*"], expiresAt: "2031-01-01T00:00:00Z" })];
		expect((await speak(wide.key)).status).toBe(200);
		await world.admin("PATCH", `/admin/people/${eve.id}`, { limits: { models: ["other-*"] } });
		for (const { key } of [plain, wide]) expect((await speak(key)).status).toBe(404);
		await world.admin("PATCH", `/admin/people/${eve.id}`, { limits: { models: ["demo"] } });
		for (const { key } of [plain, wide]) expect((await speak(key)).status).toBe(200);
		await world.admin("PATCH", `/admin/people/${eve.id}`, { limits: { models: null } });
		const { limits } = (await world.admin("GET", `/admin/people/${eve.id}`)) as { readonly limits: object };
		expect(limits).toEqual({});
		for (const { key } of [plain, wide]) expect((await speak(key)).status).toBe(200);
		await world.admin("PATCH", `/admin/people/${eve.id}`, { limits: { ips: ["203.0.113.0/24"] } });
		for (const { key } of [plain, wide]) expect((await speak(key)).status).toBe(403);
	});

	const beyond = [
		{ models: ["*"] },
		{ models: [] },
		{ models: ["demo", "gpt-4"] },
		{ rateLimit: { requestsPerMinute: 11 } },
		{ rateLimit: { concurrent: 1 } },
		{ expiresAt: "2040-01-01T00:00:01Z" },
		{ ips: ["0.0.0.0/0"] },
		{ ips: ["10.1.0.0/16", "192.0.2.1"] },
	];
	test.each(beyond)("refuse a token with %j", async (settings) => {
		const name = `Limited ${JSON.stringify(settings)}`;
		const limits = {
			models: ["demo", "other-*"],
			rateLimit: { requestsPerMinute: 10 },
			expiresAt: "2040-01-01T00:00:00Z",
			ips: ["10.0.0.0/8"],
		};
		const eve = await joined(world, name, { limits });
		const refused = await eve.ask("POST", "/admin/tokens", { name: "x", ...settings });
		expect(refused).toMatchObject({ status: 403, body: { error: { code: "beyond_owner" } } });
		const within = { models: ["other-1", "other-2*"], rateLimit: { requestsPerMinute: 9 }, ips: ["10.1.0.0/16"] };
		const { id } = await issue(eve, within);
		expect((await eve.ask("PATCH", `/admin/tokens/${id}`, settings)).status).toBe(403);
		expect((await eve.ask("GET", `/admin/tokens/${id}`)).body["settings"]).toEqual(within);
		expect((await eve.ask("PATCH", `/admin/tokens/${id}`, { models: null })).status).toBe(200);
	});

	test("that no policy can keep are refused", async () => {
		for (const limits of [{ quota: 5 }, { colour: "red" }, { models: "demo" }])
			await expect(world.admin("POST", "/admin/invitations", { limits })).rejects.toThrow("400");
	});
});

test("a disabled person's tokens are refused at once, and let in again with their owner", async () => {
	const leaver = await joined(world, "Leaver");
	const { key } = await issue(leaver);
	expect((await speak(key)).status).toBe(200);
	await world.admin("POST", `/admin/people/${leaver.id}/disable`);
	const refused = await speak(key);
	expect(refused.status).toBe(401);
	expect(await refused.json()).toMatchObject({ error: { code: "owner_disabled" } });
	await world.admin("POST", `/admin/people/${leaver.id}/enable`);
	expect((await speak(key)).status).toBe(200);
});

test("every change of a token is written down: who, what, and each field as it was and is", async () => {
	const carol = await joined(world, "Carol");
	const { id } = await issue(carol, { quota: 1 });
	await carol.ask("PATCH", `/admin/tokens/${id}`, { quota: 2, models: ["demo"], name: "renamed" });
	await carol.ask("POST", `/admin/tokens/${id}/disable`);
	await world.admin("POST", `/admin/tokens/${id}/rotate`);
	await world.admin("DELETE", `/admin/tokens/${id}`);
	await carol.ask("PATCH", `/admin/tokens/${id}`, { quota: 3 });
	const { data } = await world.admin("GET", `/admin/audit?object=${id}`);
	const byCarol = { operator: { id: carol.id, name: "Carol" }, kind: "token", object: id, address: "127.0.0.1" };
	const byToken = { operator: { id: "admin-token", name: "admin token" }, kind: "token", object: id };
	expect(data).toMatchObject([
		{ ...byToken, verb: "delete", changes: {} },
		{ ...byToken, verb: "rotate", changes: {} },
		{ ...byCarol, verb: "disable", changes: {} },
		{
			...byCarol,
			verb: "change",
			changes: { quota: { from: 1, to: 2 }, models: { to: ["demo"] }, name: { from: "mine", to: "renamed" } },
		},
		{ ...byCarol, verb: "create", name: "mine", changes: { quota: { to: 1 }, owner: { to: carol.id } } },
	]);
	expect(JSON.stringify(data)).not.toContain("sk-");
});
