/**
 * Promise: no upstream reads an address of an inner network, or an id of its account, in a field that Portico passes over for
 * its spelling. Servers in Go take `URL` for `url`, whatever stands in that, and the last of several.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({});
});
afterAll(() => world.stop());
beforeEach(() => {
	world.upstream.received.length = 0;
});

const inner = "http://169.254.169.254/latest/meta-data";
const outer = "https://example.org/a.png";
const chat = (content: unknown, more: object = {}) => ({
	model: "chat-completions-a",
	messages: [{ role: "user", content, ...more }],
});
const picture = (more: object, address: object = {}) => [
	{ type: "image_url", image_url: { url: outer, ...address }, ...more },
];

const bodies: readonly (readonly [name: string, path: string, body: object])[] = [
	["chat: URL", "/v1/chat/completions", chat(picture({}, { URL: inner }))],
	["chat: uRl", "/v1/chat/completions", chat(picture({}, { uRl: inner }))],
	["chat: Image_URL", "/v1/chat/completions", chat(picture({ Image_URL: { url: inner } }))],
	["chat: Image_Url, a text", "/v1/chat/completions", chat(picture({ Image_Url: inner }))],
	["chat: Content beside a text", "/v1/chat/completions", chat("x", { Content: picture({}, { url: inner }) })],
	["chat: File_ID", "/v1/chat/completions", chat([{ type: "file", file: { File_ID: "file-of-others" } }])],
	[
		"responses: Image_URL",
		"/v1/responses",
		{
			model: "responses-a",
			input: [{ role: "user", content: [{ type: "input_image", image_url: outer, Image_URL: inner }] }],
		},
	],
	[
		"messages: Url",
		"/v1/messages",
		{
			model: "messages-a",
			max_tokens: 5,
			messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url: outer, Url: inner } }] }],
		},
	],
];

test.each(bodies)("%s is refused", async (_, path, body) => {
	const answer = await world.gateway.ask(path, body);
	expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("is not known here as your own")]);
	expect(world.upstream.received).toEqual([]);
});

test("what is the client's own may be spelled as it likes", async () => {
	const call = { id: "c1", type: "function", function: { name: "get", arguments: JSON.stringify({ URL: inner }) } };
	const messages = [
		{ role: "user", content: "x", Name: "somebody" },
		{ role: "assistant", content: null, tool_calls: [call], metadata: { File_ID: "mine" } },
		{ role: "tool", tool_call_id: "c1", content: "done" },
	];
	await world.gateway.ask("/v1/chat/completions", { model: "chat-completions-a", messages });
	expect(world.upstream.received).toHaveLength(1);
});

/** A film of which nobody here knows how long it is: it may fill the window. */
const film = { url: "https://example.org/a.mp4" };
const small = { url: "data:image/png;base64,iVBORw0KGgo=" };

test.each([
	["Type", [{ type: "text", text: "x", Type: "video_url", video_url: film }]],
	["Video_URL", [{ type: "text", text: "x", Type: "video_url", Video_URL: film }]],
	["Image_URL", [{ type: "image_url", image_url: small, Image_URL: film }]],
	["URL", [{ type: "image_url", image_url: { ...small, URL: film.url } }]],
	["Content", "x"],
])("what %s brings is held for as what it may be", async (name, content) => {
	const more = name === "Content" ? { Content: [{ type: "video_url", video_url: film }] } : {};
	// A window at the rates of this world costs more, a picture less.
	const { key } = await world.gateway.token({ quota: 0.02 });
	const headers = { authorization: `Bearer ${key}` };
	const body = { ...chat(content, more), max_tokens: 5 };
	expect([402, 429]).toContain((await world.gateway.ask("/v1/chat/completions", body, { headers })).status);
	expect(world.upstream.received).toEqual([]);
	const usual = { ...chat([{ type: "image_url", image_url: small }]), max_tokens: 5 };
	await world.gateway.ask("/v1/chat/completions", usual, { headers });
	expect(world.upstream.received).toHaveLength(1);
});
