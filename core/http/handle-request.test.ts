import { describe, expect, test } from "bun:test";
import { createTestClock } from "#core/testing";
import { deny, Fault } from "../contract/fault.ts";
import type { Doorkeeper, Operator } from "../contract/operator.ts";
import type { Route } from "../contract/route.ts";
import { createLog } from "../runtime/log.ts";
import { ByteBudget } from "../wire/byte-budget.ts";
import { networksOf } from "../wire/networks.ts";
import { RequestHandler, type RequestHandlerOptions } from "./handle-request.ts";
import { ownHosts } from "./own-hosts.ts";

const token = { id: "tok_1", name: "laptop", settings: {}, compiled: new Map() };

const publicRoute = (path: string, handle: Extract<Route, { access: "public" }>["handle"]): Route => ({
	method: "GET",
	path,
	access: "public",
	summary: "Answers.",
	handle,
});

/** A gate over these routes; what is logged is kept. */
const gateOf = (routes: readonly Route[], more: Partial<RequestHandlerOptions> = {}) => {
	const log: string[] = [];
	const gate = new RequestHandler({
		protocols: [],
		doorkeepers: [],
		routes: routes.map((route) => ({ plugin: "test", route })),
		clock: createTestClock(),
		log: createLog("debug", (line) => log.push(line)),
		trustedProxies: networksOf([]),
		origins: ["*"],
		admin: { allow: networksOf(["127.0.0.0/8", "::1"]), token: "admin-secret", hasHost: ownHosts("127.0.0.1", []) },
		identify: async (call) => Object.assign(call, { token, caller: token.id }),
		draining: () => false,
		budget: new ByteBudget(1024 * 1024),
		...more,
	});
	const ask = (path: string, init: RequestInit = {}, address = "127.0.0.1") =>
		gate.handle(new Request(`http://localhost${path}`, init), {
			address,
			holdOpen: () => () => undefined,
		});
	return { ask, log };
};

describe("a request's id", () => {
	const { ask } = gateOf([publicRoute("/id", (call) => Response.json([call.id, call.requestId]))]);

	test("is the client's own when it is short and plain, and given back under both names", async () => {
		const response = await ask("/id", { headers: { "x-request-id": "my-id_1:2.3" } });
		expect([response.headers.get("x-request-id"), response.headers.get("request-id")]).toEqual([
			"my-id_1:2.3",
			"my-id_1:2.3",
		]);
		const [id, requestId] = (await response.json()) as string[];
		expect(requestId).toBe("my-id_1:2.3");
		expect(id).toMatch(/^req_[0-9a-f]{32}$/);
	});

	test.each([["a b"], ["x".repeat(129)], ['"><script>'], ["é"]])("%p is not taken", async (given) => {
		const response = await ask("/id", { headers: { "x-request-id": given } });
		expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{32}$/);
	});

	test("is there on every answer, and never twice the same", async () => {
		const seen = new Set<string>();
		for (const path of ["/id", "/nothing", "/id", "//x"]) seen.add((await ask(path)).headers.get("x-request-id") ?? "");
		expect(seen.size).toBe(4);
		expect((await ask("/id", { method: "DELETE" })).headers.get("request-id")).toMatch(/^req_/);
	});
});

describe("what is known of a call", () => {
	test("is all there in a copy of it", async () => {
		const { ask } = gateOf([publicRoute("/copy", (call) => Response.json({ ...call, request: undefined }))]);
		expect(await (await ask("/copy?a=b", {}, "::ffff:203.0.113.7")).json()).toMatchObject({
			url: "http://localhost/copy?a=b",
			address: "203.0.113.7",
			route: "/copy",
			params: {},
			startedAt: 0,
		});
	});

	test("is the client behind a trusted proxy, and the socket's end otherwise", async () => {
		const route = publicRoute("/address", ({ address }) => Response.json(address ?? null));
		const headers = { "x-forwarded-for": "198.51.100.9" };
		const behind = gateOf([route], { trustedProxies: networksOf(["10.0.0.0/8"]) });
		expect(await (await behind.ask("/address", { headers }, "10.1.2.3")).json()).toBe("198.51.100.9");
		expect(await (await behind.ask("/address", { headers }, "203.0.113.7")).json()).toBe("203.0.113.7");
	});
});

describe("pages of other origins", () => {
	const routes = [
		publicRoute("/open", () => Response.json("open")),
		{
			method: "GET",
			path: "/admin/x",
			access: "admin",
			summary: "Answers.",
			handle: () => Response.json("x"),
		} as const,
	];
	const preflight = {
		method: "OPTIONS",
		headers: { origin: "https://app.example", "access-control-request-headers": "x-api-key, x-stainless-os" },
	};
	const from = (origin: string) => ({ headers: { origin } });

	test("may call from anywhere unless config says otherwise, and read what they need", async () => {
		const { ask } = gateOf(routes);
		const { headers } = await ask("/open", from("https://app.example"));
		expect(headers.get("access-control-allow-origin")).toBe("*");
		expect(headers.get("access-control-expose-headers")).toContain("x-request-id");
		const asked = await ask("/open", preflight);
		expect(asked.status).toBe(204);
		expect(asked.headers.get("access-control-allow-origin")).toBe("*");
		expect(asked.headers.get("access-control-allow-headers")).toBe("x-api-key, x-stainless-os");
	});

	test("read errors too", async () => {
		const { ask } = gateOf(routes);
		expect((await ask("/nothing", from("https://app.example"))).headers.get("access-control-allow-origin")).toBe("*");
	});

	test("are held to the origins that config names", async () => {
		const { ask } = gateOf(routes, { origins: ["https://app.example", "http://localhost:3000"] });
		for (const init of [from("https://app.example"), preflight]) {
			const { headers } = await ask("/open", init);
			expect([headers.get("access-control-allow-origin"), headers.get("vary")]).toEqual([
				"https://app.example",
				"origin",
			]);
		}
		for (const init of [
			from("https://evil.example"),
			{ ...preflight, headers: { ...preflight.headers, origin: "null" } },
		])
			expect((await ask("/open", init)).headers.get("access-control-allow-origin")).toBeNull();
	});

	test("are not let in where config names none", async () => {
		const { ask } = gateOf(routes, { origins: [] });
		expect((await ask("/open", from("https://app.example"))).headers.get("access-control-allow-origin")).toBeNull();
	});

	test("cannot use the admin routes, nor read their answers", async () => {
		const { ask } = gateOf(routes);
		const headers = { authorization: "Bearer admin-secret" };
		const refused = await ask("/admin/x", { headers: { ...headers, origin: "https://app.example" } });
		expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, null]);
		expect((await ask("/admin/x", { headers })).status).toBe(200);
	});
});

describe("the admin routes", () => {
	const { ask } = gateOf([
		{ method: "GET", path: "/admin/x", access: "admin", summary: "Answers.", handle: () => Response.json("x") },
	]);
	const headers = { authorization: "Bearer admin-secret" };

	test("are not there for an address that may not use them, whatever it knows", async () => {
		for (const address of ["203.0.113.7", "10.0.0.1", "::2"])
			expect((await ask("/admin/x", { headers }, address)).status).toBe(404);
		expect((await ask("/admin/x", { headers }, "::1")).status).toBe(200);
		expect((await ask("/admin/x", { headers }, "::ffff:127.0.0.1")).status).toBe(200);
	});

	test.each(["", "Bearer wrong", "Bearer admin-secre", "admin-secret", "Basic admin-secret"])(
		"refuse %p",
		async (authorization) => {
			expect((await ask("/admin/x", { headers: { authorization } })).status).toBe(401);
		},
	);
});

describe("operators", () => {
	const people: Readonly<Record<string, Operator>> = {
		ada: { id: "per_1", name: "ada", role: "admin", scope: "all" },
		bob: { id: "per_2", name: "bob", role: "member", scope: { owner: "per_2" } },
	};
	const doorkeeper: Doorkeeper = {
		name: "cookies",
		admit({ request }) {
			const cookie = request.headers.get("cookie");
			if (cookie === null) return undefined;
			return people[cookie] ?? deny("authentication", "This session is over; sign in again.");
		},
	};
	const routeFor = (access: "admin" | "person"): Route => ({
		method: "GET",
		path: `/${access}`,
		access,
		summary: "Says who asks.",
		handle: ({ operator }) => Response.json(operator),
	});
	const { ask } = gateOf([routeFor("admin"), routeFor("person")], { doorkeepers: [doorkeeper] });
	const asked = async (path: string, headers: Record<string, string>, address?: string) => {
		const response = await ask(path, { headers }, address);
		return [response.status, ((await response.json()) as { id?: string }).id];
	};

	test("are whoever the doorkeepers know, by their role", async () => {
		expect(await asked("/admin", { cookie: "ada" }, "203.0.113.7")).toEqual([200, "per_1"]);
		expect(await asked("/admin", { cookie: "bob" })).toEqual([403, undefined]);
		expect(await asked("/person", { cookie: "bob" })).toEqual([200, "per_2"]);
		expect(await asked("/person", { cookie: "eve" })).toEqual([401, undefined]);
	});

	test("are recognised by any doorkeeper, though one before it does not; who is refused by one is refused", async () => {
		const company: Doorkeeper = {
			name: "company",
			admit: ({ request }) => people[request.headers.get("x-person") ?? ""],
		};
		const banned: Doorkeeper = {
			name: "banned",
			admit({ request }) {
				if (request.headers.has("x-banned")) throw new Fault(deny("permission", "Not today."));
				return undefined;
			},
		};
		const both = gateOf([routeFor("person")], { doorkeepers: [doorkeeper, banned, company] });
		const from = async (headers: Record<string, string>) => {
			const response = await both.ask("/person", { headers });
			const { id, error } = (await response.json()) as { id?: string; error?: { message: string } };
			return [response.status, id ?? error?.message];
		};
		expect(await from({ cookie: "ended", "x-person": "ada" })).toEqual([200, "per_1"]);
		expect(await from({ cookie: "ended" })).toEqual([401, "This session is over; sign in again."]);
		expect(await from({ cookie: "bob", "x-person": "ada" })).toEqual([200, "per_2"]);
		expect(await from({ cookie: "ended", "x-banned": "1", "x-person": "ada" })).toEqual([403, "Not today."]);
	});

	test("are the holder of the admin token, which a cookie never stands beside", async () => {
		const authorization = "Bearer admin-secret";
		expect(await asked("/person", { authorization })).toEqual([200, "admin-token"]);
		expect(await asked("/admin", { authorization, cookie: "bob" })).toEqual([200, "admin-token"]);
		expect(await asked("/admin", { authorization: "Bearer wrong", cookie: "ada" })).toEqual([401, undefined]);
		expect(await asked("/person", {})).toEqual([401, undefined]);
		expect(await asked("/person", {}, "203.0.113.7")).toEqual([404, undefined]);
	});

	test("are answered what no browser and no proxy keeps, refusals included", async () => {
		for (const path of ["/person", "/admin"])
			for (const init of [{ headers: { cookie: "ada" } }, { headers: { cookie: "eve" } }, {}])
				expect((await ask(path, init)).headers.get("cache-control")).toBe("no-store");
	});

	test("are nobody when a doorkeeper fails", async () => {
		const failing: Doorkeeper = { name: "broken", admit: () => Promise.reject(new Error("no database")) };
		const broken = gateOf([routeFor("admin")], { doorkeepers: [failing] });
		expect((await broken.ask("/admin")).status).toBe(500);
	});
});

describe("a handler", () => {
	test("that throws a fault is answered by it, in the shape of its route", async () => {
		const route = publicRoute("/fault", () => {
			throw new Fault(deny("rate_limited", "Too many.", { retryAfterSeconds: 90 }));
		});
		const { ask } = gateOf([
			{ ...route, renderDenial: (denial) => ({ status: 499, headers: { "x-own": "1" }, body: denial.message }) },
			{ ...route, path: "/plain" },
		]);
		const own = await ask("/fault");
		expect([own.status, own.headers.get("x-own"), await own.json()]).toEqual([499, "1", "Too many."]);
		const plain = await ask("/plain");
		expect([plain.status, plain.headers.get("retry-after")]).toEqual([429, "60"]);
	});

	test("that throws anything else gives nothing away, and the log has it", async () => {
		const { ask, log } = gateOf([
			publicRoute("/broken", async () => {
				throw new Error("the secret is swordfish");
			}),
		]);
		const response = await ask("/broken");
		expect(response.status).toBe(500);
		expect(await response.text()).not.toContain("swordfish");
		const line = log.find((text) => text.includes("a route failed")) ?? "";
		expect(line).toContain(response.headers.get("x-request-id") ?? "no id");
	});

	test("may give back what it fetched, or a redirect, whose headers cannot be changed", async () => {
		const frozen = Object.assign(new Response("fetched", { headers: { "x-kept": "1" } }), {});
		Object.defineProperty(frozen.headers, "set", {
			value: () => {
				throw new TypeError("Headers are immutable.");
			},
		});
		const { ask } = gateOf([publicRoute("/frozen", () => frozen)]);
		const response = await ask("/frozen", { headers: { "x-request-id": "mine" } });
		expect([response.headers.get("x-request-id"), response.headers.get("x-kept"), await response.text()]).toEqual([
			"mine",
			"1",
			"fetched",
		]);
	});
});

test("while the process is being stopped, calls are refused and public routes still answer", async () => {
	const { ask } = gateOf(
		[
			publicRoute("/open", () => Response.json("open")),
			{ method: "GET", path: "/token", access: "token", summary: "Answers.", handle: () => Response.json("x") },
		],
		{ draining: () => true },
	);
	const refused = await ask("/token");
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
	expect((await ask("/open")).status).toBe(200);
});

describe("doubled slashes", () => {
	const page = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

	test.each([
		["//id", "/id"],
		["//id//?a=//b", "/id/?a=//b"],
		// Never to another host, however it is spelt.
		["//evil.example//id", "/evil.example/id"],
		["/\\evil.example", "/evil.example"],
	])("lead a browser that asks for %s to %s", async (asked, meant) => {
		const { ask } = gateOf([publicRoute("/id", () => new Response())]);
		const response = await ask(asked, page);
		expect([response.status, response.headers.get("location")]).toEqual([308, meant]);
	});

	test("are refused with what to do where a program asks, or something is sent", async () => {
		const { ask } = gateOf([publicRoute("/id", () => new Response())]);
		for (const init of [{}, { headers: { accept: "application/json" } }, { ...page, method: "POST" }]) {
			const response = await ask("//id", init);
			expect(response.status).toBe(404);
			expect(await response.text()).toContain("a base address that ends with a slash makes two");
		}
	});
});
