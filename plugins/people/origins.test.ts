/** Which requests with a session's cookie are let through, by what the browser says of the page that sent them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestGateway } from "#core/testing";
import { joined, password, rawAsk, startPeopleWorld } from "../../test/support/people-world.ts";

let world: TestGateway;
let cookie: string;
beforeAll(async () => {
	world = await startPeopleWorld();
	cookie = (await joined(world, "Ada", { role: "admin" })).cookie;
});
afterAll(() => world.stop());

const json = { "content-type": "application/json" };
type Case = readonly [what: string, headers: (own: string) => Record<string, string>, status: number];

const changing: readonly Case[] = [
	[
		"the origin is ours and the browser says so",
		(own) => ({ ...json, origin: own, "sec-fetch-site": "same-origin" }),
		201,
	],
	["the origin is ours, from a browser that says no more", (own) => ({ ...json, origin: own }), 201],
	["the browser says same-origin and no origin", () => ({ ...json, "sec-fetch-site": "same-origin" }), 201],
	["nothing is said", () => json, 403],
	["the origin is foreign", () => ({ ...json, origin: "https://evil.example" }), 403],
	["the origin is another port", () => ({ ...json, origin: "http://127.0.0.1:1" }), 403],
	["the origin is null", () => ({ ...json, origin: "null" }), 403],
	["the origin begins like ours", (own) => ({ ...json, origin: `${own}.evil.example` }), 403],
	["the origin is ours with a path", (own) => ({ ...json, origin: `${own}/` }), 403],
	["same-site", (own) => ({ ...json, origin: own, "sec-fetch-site": "same-site" }), 403],
	["cross-site", (own) => ({ ...json, origin: own, "sec-fetch-site": "cross-site" }), 403],
	[
		"the browser says same-origin, the origin is foreign",
		() => ({ ...json, origin: "https://evil.example", "sec-fetch-site": "same-origin" }),
		403,
	],
	["a form's body", (own) => ({ origin: own, "content-type": "application/x-www-form-urlencoded" }), 415],
	["a plain body", (own) => ({ origin: own, "content-type": "text/plain" }), 415],
	["JSON by another name", (own) => ({ origin: own, "content-type": "text/plain; x=application/json" }), 415],
];

describe("a change with the cookie", () => {
	test.each(changing)("%s", async (_what, headers, status) => {
		const answer = await rawAsk(`${world.url}/admin/invitations`, {
			method: "POST",
			headers: { cookie, ...headers(world.url) },
			body: JSON.stringify({ role: "member" }),
		});
		expect(answer.status).toBe(status);
	});

	test("a body that is JSON by its type only", async () => {
		const headers = { cookie, ...json, origin: world.url };
		const answer = await rawAsk(`${world.url}/admin/invitations`, { method: "POST", headers, body: "role=admin" });
		expect(answer.status).toBe(400);
	});

	test("an authorization beside it: the cookie does not count", async () => {
		const headers = { cookie, ...json, origin: world.url, authorization: "Bearer wrong" };
		const answer = await rawAsk(`${world.url}/admin/invitations`, { method: "POST", headers, body: "{}" });
		expect(answer.status).toBe(401);
	});
});

const reading: readonly Case[] = [
	["typed into the address bar", () => ({ "sec-fetch-site": "none" }), 200],
	["from our page", () => ({ "sec-fetch-site": "same-origin" }), 200],
	["nothing is said", () => ({}), 200],
	["from another port of this machine", () => ({ "sec-fetch-site": "same-site" }), 403],
	["from elsewhere", () => ({ "sec-fetch-site": "cross-site" }), 403],
	["a foreign origin", () => ({ origin: "https://evil.example" }), 403],
];

describe("a question with the cookie", () => {
	test.each(reading)("%s", async (_what, headers, status) => {
		const answer = await rawAsk(`${world.url}/admin/people`, { headers: { cookie, ...headers(world.url) } });
		expect(answer.status).toBe(status);
		expect(answer.headers.get("access-control-allow-origin")).toBeNull();
	});
});

describe("a sign-in", () => {
	const signIn = (headers: Readonly<Record<string, string>>) =>
		rawAsk(`${world.url}/v1/session`, {
			method: "POST",
			headers: { ...json, ...headers },
			body: JSON.stringify({ name: "Ada", password }),
		});

	test("from a foreign page is refused, from a program it is not", async () => {
		expect((await signIn({ origin: "https://evil.example" })).status).toBe(403);
		expect((await signIn({ "sec-fetch-site": "cross-site" })).status).toBe(403);
		expect((await signIn({ "content-type": "text/plain" })).status).toBe(415);
		expect((await signIn({})).status).toBe(201);
	});

	test("over plain http from another machine is refused in words; over TLS the cookie is for TLS only", async () => {
		const host = "portico.example";
		const plain = await signIn({ host, origin: `http://${host}` });
		expect(plain).toMatchObject({ status: 403, body: { error: { code: "tls_needed" } } });
		const safe = await signIn({ host, origin: `https://${host}` });
		expect(safe.status).toBe(201);
		const set = safe.headers.get("set-cookie") ?? "";
		expect(set).toStartWith("__Host-portico-session=");
		expect(set).toContain("; Secure");
		expect(set).not.toContain("Domain");
	});

	test("is of no use where the cookie without TLS comes with it, which neighbouring names can set", async () => {
		const signedIn = async (headers: Readonly<Record<string, string>>, sent = cookie) =>
			(await rawAsk(`${world.url}/v1/session`, { headers: { ...headers, cookie: sent } })).body["signedIn"];
		expect(cookie).toStartWith("portico-session=");
		const host = "portico.example";
		expect([await signedIn({}), await signedIn({ host })]).toEqual([true, false]);
		expect(await signedIn({ host }, `__Host-${cookie}; portico-session=other`)).toBe(true);
	});
});

describe("behind a proxy that ends TLS and is trusted", () => {
	let behind: TestGateway;
	const host = "portico.example";
	const forwarded = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https", host, origin: `https://${host}` };
	beforeAll(async () => {
		const server = { trustedProxies: ["127.0.0.1/32"], hosts: [host] };
		behind = await startPeopleWorld({ config: { server, admin: { allow: ["0.0.0.0/0"] } } });
		await joined(behind, "Ada", { role: "admin" });
	});
	afterAll(() => behind.stop());
	const byToken = (headers: Readonly<Record<string, string>>) =>
		rawAsk(`${behind.url}/admin/session`, {
			method: "POST",
			headers: { authorization: `Bearer ${behind.adminToken}`, ...headers },
		});

	test("the admin token signs in, and its cookie works for that origin alone", async () => {
		const { status, headers } = await byToken(forwarded);
		expect(status).toBe(201);
		const set = headers.get("set-cookie") ?? "";
		expect(set).toStartWith("__Host-portico-session=");
		expect(set).toContain("; Secure");
		const invite = (origin: string) =>
			rawAsk(`${behind.url}/admin/invitations`, {
				method: "POST",
				headers: { ...forwarded, ...json, origin, cookie: set.split(";")[0] ?? "" },
				body: "{}",
			});
		const made = await invite(`https://${host}`);
		expect(made.status).toBe(201);
		expect(String(made.body["link"])).toStartWith(`https://${host}/console/join#`);
		for (const origin of [`http://${host}`, `https://evil.example`, `https://${host}:8443`])
			expect((await invite(origin)).status).toBe(403);
	});

	test("a page of another name or scheme is refused at the door", async () => {
		for (const origin of ["https://evil.example", `https://${host}.evil.example`, `http://${host}`])
			expect((await byToken({ ...forwarded, origin })).status).toBe(403);
	});

	test("a sign-in by name gets the cookie for TLS, on localhost too", async () => {
		for (const own of [host, "localhost"]) {
			const { status, headers } = await rawAsk(`${behind.url}/v1/session`, {
				method: "POST",
				headers: { ...json, ...forwarded, host: own, origin: `https://${own}` },
				body: JSON.stringify({ name: "Ada", password }),
			});
			expect(status).toBe(201);
			expect(headers.get("set-cookie")).toStartWith("__Host-portico-session=");
		}
	});
});

test("from a peer that is not trusted a forwarded scheme is not believed", async () => {
	const { headers } = await rawAsk(`${world.url}/v1/session`, {
		method: "POST",
		headers: { ...json, origin: world.url, "x-forwarded-proto": "https" },
		body: JSON.stringify({ name: "Ada", password }),
	});
	expect(headers.get("set-cookie")).toStartWith("portico-session=");
});
