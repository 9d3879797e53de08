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
		"generate-content: FileUri",
		"/v1beta/models/generate-content-a:generateContent",
		{ contents: [{ role: "user", parts: [{ fileData: { mimeType: "image/png", fileUri: outer, FileUri: inner } }] }] },
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

const fill = { type: "video", source: film };
const held: readonly (readonly [name: string, path: string, body: object, usual: object])[] = [
	...(
		[
			["Type", [{ type: "text", text: "x", Type: "video_url", video_url: film }]],
			["Video_URL", [{ type: "text", text: "x", Type: "video_url", Video_URL: film }]],
			["Image_URL", [{ type: "image_url", image_url: small, Image_URL: film }]],
			["URL", [{ type: "image_url", image_url: { ...small, URL: film.url } }]],
		] as const
	).map(
		([name, content]) =>
			[
				`chat: ${name}`,
				"/v1/chat/completions",
				chat(content),
				chat([{ type: "image_url", image_url: small }]),
			] as const,
	),
	[
		"chat: Content",
		"/v1/chat/completions",
		chat("x", { Content: [{ type: "video_url", video_url: film }] }),
		chat("x"),
	],
	...(
		[
			["Type", { content: [{ type: "text", text: "x", Type: "video", Source: film }] }],
			["Content", { content: "x", Content: [fill] }],
			[
				"Data",
				{
					content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO", Type: "url" } }],
				},
			],
		] as const
	).map(
		([name, message]) =>
			[
				`messages: ${name}`,
				"/v1/messages",
				{ model: "messages-a", messages: [{ role: "user", ...message }] },
				{ model: "messages-a", messages: [{ role: "user", content: [{ type: "text", text: "x" }] }] },
			] as const,
	),
	...(
		[
			["Type", { content: [{ type: "input_text", text: "x", Type: "input_file" }] }],
			["Content", { content: "x", Content: [{ type: "input_file", file_url: film.url }] }],
		] as const
	).map(
		([name, item]) =>
			[
				`responses: ${name}`,
				"/v1/responses",
				{ model: "responses-a", input: [{ role: "user", ...item }] },
				{ model: "responses-a", input: [{ role: "user", content: [{ type: "input_text", text: "x" }] }] },
			] as const,
	),
];

const film2 = { mimeType: "video/mp4", fileUri: film.url };
const picture2 = { mimeType: "image/png", data: "iVBORw0KGgo=" };
const gemini = (parts: object[], more: object = {}) => ({ contents: [{ role: "user", parts, ...more }] });
const response = { name: "f", response: {} };
const heldOfGemini: readonly (readonly [name: string, body: object])[] = [
	["FileData beside a text", gemini([{ text: "x", FileData: film2 }])],
	["InlineData beside a text", gemini([{ text: "x", InlineData: picture2 }])],
	["inlineData and inline_data", gemini([{ inlineData: picture2, inline_data: { ...picture2, data: "AAAA" } }])],
	["mimeType and mime_type", gemini([{ inlineData: { ...picture2, mime_type: "video/mp4" } }])],
	["Data", gemini([{ inlineData: { ...picture2, Data: "AAAA" } }])],
	["Parts", gemini([{ text: "x" }], { Parts: [{ fileData: film2 }] })],
	["Parts of a response", gemini([{ functionResponse: { ...response, Parts: [{ inlineData: picture2 }] } }])],
	["two responses", gemini([{ functionResponse: response, function_response: response }])],
];

test.each(heldOfGemini)("generate-content: what %s bring is held for as what it may be", async (_, body) => {
	const { key } = await world.gateway.token({ quota: 0.025 });
	const ask = (given: object) =>
		world.gateway.ask(
			"/v1beta/models/generate-content-a:generateContent",
			{ ...given, generationConfig: { maxOutputTokens: 16 } },
			{ headers: { authorization: `Bearer ${key}` } },
		);
	expect((await ask(body)).status).toBe(429);
	expect(world.upstream.received).toEqual([]);
	await ask(gemini([{ inlineData: picture2 }, { text: "x" }, { function_response: response }]));
	expect(world.upstream.received).toHaveLength(1);
});

const asked = { max_tokens: 16, messages: [{ role: "user", content: "x" }] };
const tools: readonly (readonly [path: string, body: object, tool: object, kept: object])[] = [
	[
		"/v1/chat/completions",
		{ model: "chat-completions-a", ...asked },
		{ type: "function", function: { name: "f" }, Type: "web_search" },
		{ type: "function", function: { name: "f" } },
	],
	[
		"/v1/responses",
		{ model: "responses-a", max_output_tokens: 16, input: "x" },
		{ type: "function", name: "f", TYPE: "image_generation", Size: "3840x2160" },
		{ type: "function", name: "f" },
	],
	[
		"/v1/messages",
		{ model: "messages-a", ...asked },
		{ type: "custom", name: "w", input_schema: { type: "object" }, Type: "web_search_20250305", maxUses: 100 },
		{ type: "custom", name: "w", input_schema: { type: "object" } },
	],
];

test.each(tools)("%s: what would make another tool of one is taken out", async (path, body, tool, kept) => {
	await world.gateway.ask(path, { ...body, tools: [tool] });
	expect(JSON.parse(world.upstream.received[0]?.text ?? "{}")).toMatchObject({ tools: [kept] });
	expect(world.upstream.received[0]?.text).not.toMatch(/Type|TYPE|Size|maxUses/);
});

/** Google's reader of JSON adds lists of one name up, and passes over a null after a value. */
const twice: readonly (readonly [what: string, path: string, body: string])[] = [
	[
		"a film, then a text",
		"/v1beta/models/generate-content-a:generateContent",
		`{"contents":[{"parts":[{"fileData":{"fileUri":"${film.url}"}}],"parts":[{"text":"x"}]}]}`,
	],
	[
		"a file of the account, then a text",
		"/v1beta/models/generate-content-a:generateContent",
		'{"contents":[{"parts":[{"fileData":{"fileUri":"files/of-others"}}],"parts":[{"text":"x"}]}]}',
	],
	[
		"eight answers, then null",
		"/v1beta/models/generate-content-a:generateContent",
		'{"contents":"x","generationConfig":{"candidateCount":8,"candidateCount":null}}',
	],
	[
		"an inner address, then another",
		"/v1/chat/completions",
		`{"model":"chat-completions-a","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"${inner}","url":"${outer}"}}]}]}`,
	],
	["an item", "/v1/responses", '{"model":"responses-a","input":[{"role":"user","content":[],"content":"x"}]}'],
];

test.each(twice)("%s: a field that is named twice is refused", async (_, path, body) => {
	const answer = await world.gateway.ask(path, body);
	expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("twice")]);
	expect(world.upstream.received).toEqual([]);
});

test.each(held)("what %s brings is held for as what it may be", async (_, path, body, usual) => {
	// A window at the rates of this world costs more, a picture less.
	const { key } = await world.gateway.token({ quota: 0.02 });
	const limit = path === "/v1/responses" ? { max_output_tokens: 16 } : { max_tokens: 5 };
	const ask = (given: object) =>
		world.gateway.ask(path, { ...given, ...limit }, { headers: { authorization: `Bearer ${key}` } });
	expect([402, 429]).toContain((await ask(body)).status);
	expect(world.upstream.received).toEqual([]);
	await ask(usual);
	expect(world.upstream.received).toHaveLength(1);
});
