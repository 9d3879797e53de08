/** `GET /openapi.json` describes what this gateway answers, and a validator accepts it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import { parse } from "yaml";
import { startGateway, type TestGateway } from "#core/testing";

interface Operation {
	readonly operationId: string;
	readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
	readonly security: readonly unknown[];
}
interface Description {
	readonly openapi: string;
	readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let gateway: TestGateway;
let description: Description;
beforeAll(async () => {
	// What ships.
	const { plugins } = parse(readFileSync(new URL("../../config/portico.yaml", import.meta.url), "utf8"));
	gateway = await startGateway({ plugins });
	const response = await fetch(`${gateway.url}/openapi.json`);
	expect(response.headers.get("content-type")).toContain("application/json");
	description = (await response.json()) as Description;
});
afterAll(() => gateway.stop());

test("a validator of OpenAPI accepts it", async () => {
	const { valid, errors } = await new Validator().validate({ ...structuredClone(description) });
	expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
	expect(description.openapi).toStartWith("3.1");
});

test("every operation has an id of its own, and every route is there", () => {
	const operations = Object.values(description.paths).flatMap(({ parameters: _, ...item }) => Object.values(item));
	const ids = operations.map(({ operationId }) => operationId);
	expect(new Set(ids).size).toBe(ids.length);
	expect(ids).toContain("getV1Me");
	const offered = gateway.portico.generation?.rows.flatMap(({ routes }) => routes) ?? [];
	expect(ids.length).toBeGreaterThanOrEqual(offered.length);
	for (const path of ["/v1/me", "/v1/tasks", "/admin/tokens", "/admin/tokens/{id}", "/v1/chat/completions", "/readyz"])
		expect(Object.keys(description.paths)).toContain(path);
	expect(description.paths["/readyz"]?.["get"]?.security).toEqual([]);
	expect(description.paths["/v1/me"]?.["get"]?.security).not.toEqual([]);
});

test("a session is the cookie that signing in sets", () => {
	expect(description.components.securitySchemes["session"]).toMatchObject({
		in: "cookie",
		name: "__Host-portico-session",
	});
});

test("the tokens' routes have the settings of the policies", () => {
	const content = description.paths["/admin/tokens"]?.["post"]?.requestBody?.content["application/json"];
	expect(content?.schema).toMatchObject({
		type: "object",
		required: ["name"],
		properties: { name: {}, quota: {}, expiresAt: {}, models: {}, ips: {}, rateLimit: {} },
	});
	const changed = description.paths["/admin/tokens/{id}"]?.["patch"]?.requestBody?.content["application/json"];
	expect(changed?.schema).toMatchObject({ properties: { quota: {}, disabled: {} } });
});
