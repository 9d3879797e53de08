import { expect, test } from "bun:test";
import type { RenderDenial } from "../../contract/fault.ts";
import type { Route } from "../../contract/route.ts";
import { renderOwnDenial } from "../../errors/own-errors.ts";
import { missShape } from "./miss-shape.ts";

const one: RenderDenial = () => ({ status: 400, headers: {}, body: "one" });
const two: RenderDenial = () => ({ status: 400, headers: {}, body: "two" });

const route = (path: string, renderDenial?: RenderDenial): Route => ({
	method: "POST",
	path,
	access: "token",
	summary: "A route.",
	...(renderDenial && { renderDenial }),
	handle: () => new Response(),
});

const routes = [
	route("/v1/chat"),
	route("/v1/messages", one),
	route("/v1/messages/count", one),
	route("/beta/models/*:generate", two),
	route("/beta/jobs/:id", one),
	{ ...route("/v1/files/:id", two), keyInQuery: true },
	{ ...route("/gamma/models/*", two), keyInQuery: true },
];
const client = (header: string, renderDenial: RenderDenial) => ({
	claims: (headers: Headers) => headers.has(header),
	renderDenial,
});
const shapeOf = missShape([client("x-first", one), client("x-second", two)], routes);
const shapeAt = (path: string, headers: HeadersInit = {}) =>
	shapeOf(new Request(`http://portico.test${path}`, { headers }));

test.each([
	["/v1/messages", one],
	["/v1/messages/count/more", one],
	["/v1/messages-elsewhere", renderOwnDenial],
	["/v1/chat/more", renderOwnDenial],
	["/v1", renderOwnDenial],
	["/v1/files", two],
	["/beta/models/x:generate", two],
	["/beta/jobs", one],
	["/beta/elsewhere", two],
	["/elsewhere", renderOwnDenial],
	["", renderOwnDenial],
])("an error at %s is told as nearby", (path, shape) => {
	expect(shapeAt(path)).toBe(shape);
});

test.each(["/v1/files", "/v1/messages/drafts", "/elsewhere"])("whose client shows itself is told so at %s", (path) => {
	expect(shapeAt(path, { "x-first": "1", authorization: "Bearer k" })).toBe(one);
	expect(shapeAt(path, { "x-second": "1" })).toBe(two);
});

test.each([
	["/v1/files", renderOwnDenial],
	["/v1/files/x", renderOwnDenial],
	["/v1/messages/drafts", one],
	["/gamma/models", two],
	["/gamma/elsewhere", two],
])("a bearer and nothing else, at %s", (path, shape) => {
	expect(shapeAt(path, { authorization: "Bearer k" })).toBe(shape);
});
