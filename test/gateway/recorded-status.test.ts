/** The status that the row of a refused or failed call tells is the one that its client was told; protocols differ in it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { everyKind, type MediaWorld, startMediaWorld } from "../support/media-world.ts";

let world: MediaWorld;
let spent: string;
beforeAll(async () => {
	world = await startMediaWorld({
		...everyKind,
		more: [
			...["chat-completions", "responses", "messages", "generate-content", "ledger", "quota"],
			{ use: "prices", with: { models: { "*": { input: 1, output: 1, perImage: 1, perSecond: 1, perSong: 1 } } } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		],
	});
	const { key } = await world.token({ name: "spent", quota: 0 });
	spent = key;
});
afterAll(() => world.close());

const messages = (content: string) => [{ role: "user", content }];
const contents = (text: string) => [{ role: "user", parts: [{ text }] }];

const statusInRow = async (response: Response): Promise<unknown> => {
	await world.admin("GET", "/admin/usage");
	const row = await world.admin("GET", `/admin/calls/${response.headers.get("x-request-id") ?? ""}`);
	return row["status"];
};

test.each([
	["/v1/messages", { model: "demo", max_tokens: 9, messages: messages("hi") }, 402],
	["/v1/chat/completions", { model: "demo", messages: messages("hi") }, 429],
	["/v1/responses", { model: "demo", input: "hi" }, 429],
	["/v1beta/models/demo:generateContent", { contents: contents("hi") }, 429],
	["/mj/submit/imagine", { prompt: "a cat" }, 403],
	["/suno/submit/music", { mv: "song", prompt: "a cat", title: "x", tags: "x" }, 403],
	["/v1/images/generations", { model: "picture", prompt: "a cat" }, 429],
])("%s: a quota that is used up", async (path, body, status) => {
	const response = await world.ask(path, body, { headers: { authorization: `Bearer ${spent}` } });
	expect([response.status, await statusInRow(response)]).toEqual([status, status]);
});

test.each([
	["/v1/messages", { model: "demo", max_tokens: 9, messages: messages("/fail 503") }, 529],
	["/v1/chat/completions", { model: "demo", messages: messages("/fail 503") }, 503],
	["/v1beta/models/demo:generateContent", { contents: contents("/fail 503") }, 503],
])("%s: an upstream that has no room", async (path, body, status) => {
	const response = await world.ask(path, body);
	expect([response.status, await statusInRow(response)]).toEqual([status, status]);
});

test("the operator finds a call by the status that a client's developer names", async () => {
	const { data } = await world.admin("GET", "/admin/calls?status=402");
	expect(data).toEqual([
		expect.objectContaining({ protocol: "messages", tokenName: "spent", reason: "quota_exhausted" }),
	]);
});
