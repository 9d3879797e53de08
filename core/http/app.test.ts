import { describe, expect, test } from "bun:test";
import { createApp, routeClashes } from "./app.ts";
import type { Route } from "./route.ts";

const route = (path: string, method: Route["method"] = "POST"): { plugin: string; route: Route } => ({
	plugin: path,
	route: { method, path, access: "public", summary: "", handle: () => new Response() },
});

const answer = async (paths: readonly string[], asked: string, method = "POST"): Promise<string> => {
	const app = createApp(
		paths.map((path) => route(path)),
		{
			serve: async ({ path }, _request, params) => Response.json([path, params]),
			miss: (_request, allowed) => Response.json(["miss", allowed]),
			fail: () => Response.json(["fail"]),
		},
	);
	return await (await app.handle(new Request(`http://localhost${asked}`, { method }))).text();
};

describe("routes that are told apart by a verb", () => {
	const paths = ["/v1/models/*", "/v1/models/*:draw", "/v1/models/*:sing"];

	test.each([
		["/v1/models/x:draw", ["/v1/models/*:draw", { "*": "x" }]],
		["/v1/models/a/b:c:sing", ["/v1/models/*:sing", { "*": "a/b:c" }]],
		["/v1/models/x%3Adraw", ["/v1/models/*:draw", { "*": "x" }]],
		["/v1/models/x:speak", ["/v1/models/*", { "*": "x:speak" }]],
		["/v1/models/draw", ["/v1/models/*", { "*": "draw" }]],
	])("%s", async (path, expected) => expect(JSON.parse(await answer(paths, path))).toEqual(expected));

	test("without a plain route other verbs are not there", async () => {
		expect(JSON.parse(await answer(["/v1/models/*:draw"], "/v1/models/x:speak"))).toEqual(["miss", []]);
	});

	test("do not clash with each other, but with their like", () => {
		expect(routeClashes(paths.map((path) => route(path)))).toEqual([]);
		expect(routeClashes([route("/v1/models/*:draw"), route("/v1/models/*:draw")])).toHaveLength(1);
	});

	test("another method is told which there are", async () => {
		expect(JSON.parse(await answer(["/v1/models/*:draw"], "/v1/models/x:draw", "GET"))).toEqual(["miss", ["POST"]]);
	});
});
