import { expect, test } from "bun:test";
import { nearestShape } from "./nearest-shape.ts";
import { renderOwnDenial } from "./own-errors.ts";
import type { RenderDenial, Route } from "./route.ts";

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

const shapeAt = nearestShape([
	route("/v1/chat"),
	route("/v1/messages", one),
	route("/v1/messages/count", one),
	route("/beta/models/*:generate", two),
	route("/beta/jobs/:id", one),
]);

test.each([
	["/v1/messages", one],
	["/v1/messages/count/more", one],
	["/v1/messages-elsewhere", renderOwnDenial],
	["/v1/chat/more", renderOwnDenial],
	["/v1", renderOwnDenial],
	["/beta/models/x:generate", two],
	["/beta/jobs", one],
	["/beta/elsewhere", two],
	["/elsewhere", renderOwnDenial],
	["", renderOwnDenial],
])("an error at %s is told as nearby", (path, shape) => {
	expect(shapeAt(path)).toBe(shape);
});
