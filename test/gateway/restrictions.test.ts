/** Restrictions hold on every route that takes a token, for every carrier of the key: this walks the route table. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { protocols } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { allPlugins } from "../docs/all-plugins.ts";

let gateway: TestGateway;
interface Walked {
	readonly method: string;
	readonly path: string;
	readonly keyInQuery: boolean;
}
const walked: Walked[] = [];

beforeAll(async () => {
	// Whatever is built in and takes a token's calls; new plugins are walked without being named here.
	gateway = await startGateway({ plugins: allPlugins });
	for (const { route } of gateway.portico.generation?.routes ?? [])
		if (route.access === "token")
			walked.push({ method: route.method, path: route.path, keyInQuery: route.keyInQuery === true });
	for (const { client } of gateway.portico.generation?.all(protocols) ?? []) {
		const keyInQuery = client.keyInQuery === true;
		for (const path of client.paths) walked.push({ method: "POST", path, keyInQuery });
		for (const path of [...(client.models?.listPaths ?? []), ...(client.models?.itemPaths ?? [])])
			walked.push({ method: "GET", path, keyInQuery: false });
	}
});
afterAll(() => gateway.stop());

const pathOf = (path: string): string => path.replace(/\/:\w+/g, "/x").replace("*", "x");

/** Every way a client may bring its key to this route. */
const carriers = (
	key: string,
	{ keyInQuery }: Walked,
): readonly { name: string; headers: Record<string, string>; query: string }[] => [
	{ name: "Authorization: Bearer", headers: { authorization: `Bearer ${key}` }, query: "" },
	{ name: "x-api-key", headers: { "x-api-key": key }, query: "" },
	{ name: "x-goog-api-key", headers: { "x-goog-api-key": key }, query: "" },
	...(keyInQuery ? [{ name: "?key=", headers: {}, query: `?key=${key}` }] : []),
];

const statuses = async (key: string): Promise<ReadonlyMap<string, { status: number; text: string }>> => {
	const found = new Map<string, { status: number; text: string }>();
	for (const route of walked)
		for (const { name, headers, query } of carriers(key, route)) {
			const hasBody = !["GET", "HEAD", "DELETE"].includes(route.method);
			const response = await fetch(gateway.url + pathOf(route.path) + query, {
				method: route.method,
				headers: { "content-type": "application/json", ...headers },
				...(hasBody && { body: "{}" }),
			});
			found.set(`${route.method} ${route.path} by ${name}`, { status: response.status, text: await response.text() });
		}
	return found;
};

describe("every route that takes a token", () => {
	test("is in the walk", () => {
		const paths = walked.map(({ path }) => path);
		for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/v1/models", "/v1/me"])
			expect([path, paths.includes(path)]).toEqual([path, true]);
		expect(paths.some((path) => path.includes("tasks"))).toBe(true);
		expect(walked.some(({ keyInQuery }) => keyInQuery)).toBe(true);
	});

	test("refuses an expired token", async () => {
		const { key } = await gateway.token({ expiresAt: "2020-01-01T00:00:00Z" });
		for (const [route, { status, text }] of await statuses(key)) {
			expect(`${route}: ${status}`).toMatch(/: 40[01]$/);
			if (!route.startsWith("HEAD")) expect(`${route}: ${text}`).toContain("expired");
		}
	}, 30_000);

	test("refuses a token from another address", async () => {
		const { key } = await gateway.token({ ips: ["203.0.113.7"] });
		for (const [route, { status, text }] of await statuses(key)) {
			expect(`${route}: ${status}`).toEndWith(": 403");
			expect(text).not.toContain("203.0.113");
		}
	}, 30_000);

	test("lets a token in from its own address, and is not deceived by headers", async () => {
		const { key } = await gateway.token({ ips: ["127.0.0.1", "::1"] });
		for (const [route, { status }] of await statuses(key)) expect(`${route}: ${status}`).not.toEndWith(": 403");
		const { key: other } = await gateway.token({ ips: ["203.0.113.7"] });
		const forwarded = {
			"x-forwarded-for": "203.0.113.7",
			forwarded: "for=203.0.113.7",
			"x-real-ip": "203.0.113.7",
			"cf-connecting-ip": "203.0.113.7",
		};
		const response = await fetch(`${gateway.url}/v1/models`, {
			headers: { authorization: `Bearer ${other}`, ...forwarded },
		});
		expect(response.status).toBe(403);
	}, 30_000);
});

describe("a token held to some models", () => {
	test("hears the same of a forbidden model and of one that does not exist, in every protocol", async () => {
		const { key } = await gateway.token({ models: ["other-*"] });
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const messages = [{ role: "user", content: "Hello" }];
		const asked: readonly [string, (model: string) => string, object][] = [
			["chat", () => "/v1/chat/completions", { messages }],
			["responses", () => "/v1/responses", { input: "Hello" }],
			["messages", () => "/v1/messages", { messages, max_tokens: 5 }],
			[
				"gemini",
				(model) => `/v1beta/models/${model}:generateContent`,
				{ contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
			],
		];
		for (const [name, path, body] of asked) {
			const answer = async (model: string) => {
				const response = await fetch(gateway.url + path(model), {
					method: "POST",
					headers,
					body: JSON.stringify({ ...(name !== "gemini" && { model }), ...body }),
				});
				return `${response.status} ${(await response.text()).replaceAll(model, "MODEL").replace(/"request_?[iI]d":"[^"]*"/, "")}`;
			};
			const forbidden = await answer("demo");
			expect(forbidden).toStartWith("404");
			expect(forbidden).toBe(await answer("nosuch"));
		}
		const list = (await (await fetch(`${gateway.url}/v1/models`, { headers })).json()) as { data: unknown[] };
		expect(list.data).toEqual([]);
	});
});

test("a token whose rule no plugin enforces is refused", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-restrictions-"));
	const few = ["tokens", "chat-completions", "demo", allPlugins.find(({ use }) => use === "router") ?? "router"];
	const strict = await startGateway({ folder, plugins: [...few, "ip-whitelist"] });
	const { key } = await strict.token({ ips: ["127.0.0.1"] });
	await strict.stop();
	const lax = await startGateway({ folder, plugins: few });
	try {
		const response = await fetch(`${lax.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
		expect(response.status).toBe(403);
		expect(await response.text()).toContain("ips");
	} finally {
		await lax.stop();
		rmSync(folder, { recursive: true, force: true });
	}
});
