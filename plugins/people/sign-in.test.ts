import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { TestGateway } from "#core/testing";
import { MovingClock } from "../../test/support/moving-clock.ts";
import { createBrowser, joined, password, secretOf, startPeopleWorld } from "../../test/support/people-world.ts";

const clock = new MovingClock();
let world: TestGateway;
beforeAll(async () => {
	world = await startPeopleWorld({ clock });
});
afterAll(() => world.stop());

const hour = 3_600_000;

const signIn = (name: string, word = password, headers = {}) =>
	createBrowser(world.url).ask("POST", "/v1/session", { name, password: word }, headers);

describe("an invitation", () => {
	test("makes a person once, and its answer's cookie opens the admin routes of their role", async () => {
		const { link, role } = await world.admin("POST", "/admin/invitations", { role: "admin" });
		expect(String(link)).toStartWith(`${world.url}/console/join#`);
		expect(role).toBe("admin");
		const browser = createBrowser(world.url);
		const join = { secret: secretOf(link), name: "  Ada   Admin ", password };
		const entered = await browser.ask("POST", "/v1/session/join", join);
		expect(entered).toMatchObject({ status: 201, body: { signedIn: true, name: "Ada Admin", role: "admin" } });
		expect(entered.headers.get("cache-control")).toBe("no-store");
		const cookie = entered.headers.get("set-cookie") ?? "";
		expect(cookie).toMatch(/^portico-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
		expect((await browser.ask("GET", "/admin/people")).status).toBe(200);
		const again = await createBrowser(world.url).ask("POST", "/v1/session/join", { ...join, name: "Eve" });
		expect(again).toMatchObject({ status: 403, body: { error: { code: "invitation_not_valid" } } });
	});

	test("is over after its time, and after it was withdrawn", async () => {
		const late = await world.admin("POST", "/admin/invitations", { hours: 1 });
		const withdrawn = await world.admin("POST", "/admin/invitations", {});
		await world.admin("DELETE", `/admin/invitations/${String(withdrawn["id"])}`);
		clock.jump(hour);
		for (const { link } of [late, withdrawn]) {
			const join = { secret: secretOf(link), name: "Late", password };
			expect((await createBrowser(world.url).ask("POST", "/v1/session/join", join)).status).toBe(403);
		}
		expect((await world.admin("GET", "/admin/people"))["data"]).not.toContainEqual(
			expect.objectContaining({ name: "Late" }),
		);
	});

	test("tells what it is for, without being used, and of one that is of no use only that", async () => {
		const ask = (secret: string) => createBrowser(world.url).ask("POST", "/v1/session/invitation", { secret });
		const { id } = await joined(world, "Absent");
		const { link, expiresAt } = await world.admin("POST", "/admin/invitations", { role: "admin" });
		const reset = await world.admin("POST", "/admin/invitations", { person: id });
		for (let time = 0; time < 2; time++)
			expect(await ask(secretOf(link))).toMatchObject({ status: 200, body: { role: "admin", expiresAt } });
		expect((await ask(secretOf(link))).headers.get("cache-control")).toBe("no-store");
		expect((await ask(secretOf(reset["link"]))).body).toMatchObject({ role: "member", name: "Absent" });
		expect((await joined(world, "Newcomer")).id).toStartWith("per_");
		await world.admin("DELETE", `/admin/invitations/${String(reset["id"])}`);
		for (const secret of [secretOf(reset["link"]), "abc", ""])
			expect(await ask(secret)).toMatchObject({ status: 403, body: { error: { code: "invitation_not_valid" } } });
		const foreign = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" };
		const browser = createBrowser(world.url);
		const refused = await browser.ask("POST", "/v1/session/invitation", { secret: secretOf(link) }, foreign);
		expect(refused.status).toBe(403);
	});

	test("is over when whoever made it, or whose password it sets, may do less", async () => {
		const rogue = await joined(world, "Rogue", { role: "admin" });
		const made = await rogue.ask("POST", "/admin/invitations", { role: "admin" });
		const reset = await world.admin("POST", "/admin/invitations", { person: rogue.id });
		const others = await world.admin("POST", "/admin/invitations", {});
		await world.admin("PATCH", `/admin/people/${rogue.id}`, { role: "member" });
		const join = async (link: unknown) =>
			(
				await createBrowser(world.url).ask("POST", "/v1/session/join", {
					secret: secretOf(link),
					name: "Sockpuppet",
					password,
				})
			).status;
		expect([await join(made.body["link"]), await join(reset["link"]), await join(others["link"])]).toEqual([
			403, 403, 201,
		]);
	});

	test("of two who use it at once, one is refused and leaves nothing", async () => {
		const { link } = await world.admin("POST", "/admin/invitations", {});
		const names = ["first of two", "second of two"];
		const answers = await Promise.all(
			names.map((name) =>
				createBrowser(world.url).ask("POST", "/v1/session/join", { secret: secretOf(link), name, password }),
			),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([201, 403]);
		const people = (await world.admin("GET", "/admin/people"))["data"] as { name: string }[];
		expect(people.filter(({ name }) => names.includes(name))).toHaveLength(1);
	});

	test("is not used up by a name somebody has, a short password, or the name as the password", async () => {
		await joined(world, "Grace");
		const { link } = await world.admin("POST", "/admin/invitations", {});
		const join = (name: string, word: string) =>
			createBrowser(world.url).ask("POST", "/v1/session/join", { secret: secretOf(link), name, password: word });
		expect(await join("GRACE", password)).toMatchObject({ status: 409, body: { error: { code: "name_taken" } } });
		// With a letter that nobody sees it would look the same.
		for (const unseen of ["\u200b", "\u3164", "\u034f", "\u202e"])
			expect((await join(`Grace${unseen}`, password)).status).toBe(400);
		expect((await join("Hopper", "too short")).status).toBe(400);
		expect((await join("a very long name", "A very long  name")).status).toBe(400);
		expect((await join("Hopper", password)).status).toBe(201);
	});

	test("for somebody known sets another password and ends their sessions", async () => {
		const browser = await joined(world, "Forgetful", { role: "admin" });
		const { link } = await world.admin("POST", "/admin/invitations", { person: browser.id });
		const join = { secret: secretOf(link), name: "whatever", password: "another long password" };
		const entered = await createBrowser(world.url).ask("POST", "/v1/session/join", join);
		expect(entered).toMatchObject({ status: 201, body: { id: browser.id, name: "Forgetful", role: "admin" } });
		expect((await browser.ask("GET", "/admin/people")).status).toBe(401);
		expect((await signIn("forgetful")).status).toBe(401);
		expect((await signIn("forgetful", "another long password")).status).toBe(201);
	});
});

describe("a session", () => {
	test("slides for 12 hours and ends after 7 days whatever happens", async () => {
		const [busy, idle] = [await joined(world, "Busy"), await joined(world, "Idle")];
		for (let hours = 0; hours < 7 * 24 - 1; hours += 11) {
			expect((await busy.ask("GET", "/v1/session")).body["signedIn"]).toBe(true);
			if (hours === 11) expect((await idle.ask("GET", "/v1/session")).body["signedIn"]).toBe(true);
			if (hours === 33) expect((await idle.ask("GET", "/v1/session")).body["signedIn"]).toBe(false);
			clock.jump(Math.min(11, 7 * 24 - hours) * hour);
		}
		expect((await busy.ask("GET", "/v1/session")).body["signedIn"]).toBe(false);
	});

	test("ends with signing out, here or everywhere; what is stored is no secret", async () => {
		const one = await joined(world, "Twice");
		const other = createBrowser(world.url);
		await other.ask("POST", "/v1/session", { name: "twice", password });
		const stored = JSON.stringify(await world.store.all(sql`SELECT * FROM sessions`));
		expect(stored).not.toContain(one.cookie.split("=")[1] ?? "-");
		const before = one.cookie;
		const left = await one.ask("DELETE", "/v1/session");
		expect(left.headers.getSetCookie()).toHaveLength(2);
		one.cookie = before;
		expect((await one.ask("GET", "/v1/session")).body["signedIn"]).toBe(false);
		expect((await other.ask("GET", "/v1/session")).body["signedIn"]).toBe(true);
		const third = createBrowser(world.url);
		await third.ask("POST", "/v1/session", { name: "twice", password });
		await third.ask("DELETE", "/v1/session?everywhere=true");
		expect((await other.ask("GET", "/v1/session")).body["signedIn"]).toBe(false);
	});

	test("of the admin token lasts an hour, and only the right token begins one", async () => {
		const browser = createBrowser(world.url);
		const as = (token: string) =>
			browser.ask("POST", "/admin/session", undefined, { authorization: `Bearer ${token}` });
		expect((await as("wrong")).status).toBe(401);
		expect(await as(world.adminToken)).toMatchObject({ status: 201, body: { id: "admin-token", role: "admin" } });
		expect((await browser.ask("GET", "/admin/people")).status).toBe(200);
		clock.jump(hour);
		expect((await browser.ask("GET", "/admin/people")).status).toBe(401);
		await as(world.adminToken);
		const second = createBrowser(world.url);
		await second.ask("POST", "/admin/session", undefined, { authorization: `Bearer ${world.adminToken}` });
		await second.ask("DELETE", "/v1/session?everywhere=true");
		expect((await browser.ask("GET", "/admin/people")).status).toBe(401);
	});

	test("ends for a member who is disabled, and for one whose role is another", async () => {
		const browser = await joined(world, "Leaver");
		expect((await browser.ask("GET", "/admin/people")).body).toMatchObject({ error: { code: "admins_only" } });
		await world.admin("PATCH", `/admin/people/${browser.id}`, { role: "member", ceiling: 5 });
		expect((await browser.ask("GET", "/admin/people")).status).toBe(403);
		await world.admin("PATCH", `/admin/people/${browser.id}`, { role: "admin" });
		expect((await browser.ask("GET", "/admin/people")).status).toBe(401);
		await browser.ask("POST", "/v1/session", { name: "leaver", password });
		expect((await browser.ask("GET", "/admin/people")).status).toBe(200);
		await world.admin("POST", `/admin/people/${browser.id}/disable`);
		expect((await browser.ask("GET", "/admin/people")).status).toBe(401);
		expect((await signIn("leaver")).status).toBe(401);
	});

	test("stays when its person changes the password, and the others end", async () => {
		const [here, there] = [await joined(world, "Changer"), createBrowser(world.url)];
		await there.ask("POST", "/v1/session", { name: "changer", password });
		const change = (word: string) =>
			here.ask("POST", "/v1/session/password", { password: word, newPassword: "quite another password" });
		expect((await change("not the password")).status).toBe(401);
		expect((await change(password)).status).toBe(200);
		expect((await here.ask("GET", "/v1/session")).body["signedIn"]).toBe(true);
		expect((await there.ask("GET", "/v1/session")).body["signedIn"]).toBe(false);
		expect((await signIn("changer")).status).toBe(401);
	});
});

describe("guessing", () => {
	const from = (address: string) => ({ "x-forwarded-for": address });
	let far: TestGateway;
	beforeAll(async () => {
		far = await startPeopleWorld({ clock, config: { server: { trustedProxies: ["127.0.0.1/32"] } } });
		await joined(far, "Victim");
	});
	afterAll(() => far.stop());

	const guess = (name: string, address: string, word = "a wrong password") =>
		createBrowser(far.url).ask("POST", "/v1/session", { name, password: word }, from(address));

	test("waits 1, 2, 4 … 60 seconds after five failures from an address, whatever names are tried", async () => {
		const at = "192.0.2.1";
		for (let tries = 0; tries < 5; tries++) expect((await guess(`nobody ${tries}`, at)).status).toBe(401);
		for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
			const delayed = await guess("somebody", at);
			expect(delayed).toMatchObject({ status: 429, body: { error: { code: "sign_in_delayed" } } });
			expect(delayed.headers.get("retry-after")).toBe(String(seconds));
			clock.jump(seconds * 1000);
			expect((await guess(`nobody after ${seconds}`, at)).status).toBe(401);
		}
		expect((await guess("nobody", "192.0.2.2")).status).toBe(401);
	});

	test("counts by person over all addresses, a /64 as one, and lets in who was there before", async () => {
		for (let tries = 0; tries < 5; tries++) expect((await guess("victim", `198.51.100.${tries}`)).status).toBe(401);
		expect((await guess("Victim ", "198.51.100.77", password)).status).toBe(429);
		// Where the person joined from, only the address counts.
		expect((await createBrowser(far.url).ask("POST", "/v1/session", { name: "victim", password })).status).toBe(201);
		for (let tries = 0; tries < 5; tries++) await guess(`x${tries}`, `2001:db8:1:2::${tries + 1}`);
		expect((await guess("x", "2001:db8:1:2:ffff::1")).status).toBe(429);
		expect((await guess("x", "2001:db8:1:3::1")).status).toBe(401);
	});

	test("is in time again when the clock is set back by an hour, and goes on counting", async () => {
		const at = "192.0.2.55";
		expect((await guess("victim", at, password)).status).toBe(201);
		for (let tries = 0; tries < 6; tries++) await guess(`early ${tries}`, at);
		expect((await guess("victim", at, password)).status).toBe(429);
		clock.jump(-hour);
		try {
			expect((await guess("somebody", at)).status).toBe(401);
			const delayed = await guess("somebody", at);
			expect([delayed.status, delayed.headers.get("retry-after")]).toEqual([429, "2"]);
			expect((await guess("victim", "192.0.2.56", password)).status).toBe(201);
		} finally {
			clock.jump(hour);
		}
	});

	test("twenty tries at once count as twenty", async () => {
		const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => guess(`many ${index}`, "203.0.113.9")));
		expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5);
		expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(15);
	});
});

test("the last admin cannot shut themselves out by a slip; with the admin token it can be done", async () => {
	const alone = await startPeopleWorld({ clock });
	try {
		const ada = await joined(alone, "Ada", { role: "admin" });
		for (const [method, path, body] of [
			["POST", `/admin/people/${ada.id}/disable`, undefined],
			["PATCH", `/admin/people/${ada.id}`, { role: "member" }],
		] as const) {
			const refused = await ada.ask(method, path, body);
			expect(refused.status).toBe(409);
			expect(JSON.stringify(refused.body)).toContain("make somebody one first");
		}
		expect((await ada.ask("GET", "/admin/people")).status).toBe(200);
		const grace = await joined(alone, "Grace", { role: "admin" });
		expect((await ada.ask("PATCH", `/admin/people/${ada.id}`, { role: "member" })).status).toBe(200);
		expect((await grace.ask("PATCH", `/admin/people/${grace.id}`, { ceiling: 5 })).status).toBe(200);
		expect((await grace.ask("POST", `/admin/people/${grace.id}/disable`)).status).toBe(409);
		await alone.admin("POST", `/admin/people/${grace.id}/disable`);
		expect((await grace.ask("GET", "/admin/people")).status).toBe(401);
	} finally {
		await alone.stop();
	}
});

test("of two admins who shut each other out in one moment, one stays", async () => {
	const both = await startPeopleWorld({ clock });
	try {
		const ada = await joined(both, "Ada", { role: "admin" });
		const grace = await joined(both, "Grace", { role: "admin" });
		// Both are let in before either is written.
		const { store } = both;
		const write = store.write.bind(store);
		const written: (() => void)[] = [];
		store.write = async (statements) => {
			await new Promise<void>((resolve) => {
				written.push(resolve);
				if (written.length >= 2) for (const go of written) go();
			});
			return await write(statements);
		};
		const statuses = await Promise.all([
			ada.ask("PATCH", `/admin/people/${grace.id}`, { role: "member" }),
			grace.ask("POST", `/admin/people/${ada.id}/disable`),
		]).then((answers) => answers.map(({ status }) => status));
		expect(statuses.filter((status) => status === 200)).toHaveLength(1);
		const { data } = await both.admin("GET", "/admin/people");
		expect(data).toContainEqual(expect.objectContaining({ role: "admin", disabled: false }));
		const { data: lines } = await both.admin("GET", "/admin/audit");
		const changed = (lines as readonly { verb: string }[]).filter(
			({ verb }) => verb === "change" || verb === "disable",
		);
		expect(changed).toHaveLength(1);
	} finally {
		await both.stop();
	}
});
