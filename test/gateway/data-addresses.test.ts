/** A `data:` address means the same in every protocol: the same bytes, or the same refusal. */
import { describe, expect, test } from "bun:test";
import { isFault, type ModelRequest, type Protocol, readJsonBody } from "#core";
import { chatCompletions } from "../../plugins/chat-completions/protocol.ts";
import { messages } from "../../plugins/messages/protocol.ts";
import { responses } from "../../plugins/responses/protocol.ts";

const said = (content: unknown) => [{ role: "user", content: [content] }];
const bodies: readonly (readonly [Protocol, (url: string) => object])[] = [
	[chatCompletions, (url) => ({ model: "m", messages: said({ type: "image_url", image_url: { url } }) })],
	[responses, (url) => ({ model: "m", input: said({ type: "input_image", image_url: url }) })],
	[messages, (url) => ({ model: "m", max_tokens: 9, messages: said({ type: "image", source: { type: "url", url } }) })],
];

const mediaOf = (protocol: Protocol, body: object): unknown => {
	const request: ModelRequest = {
		url: new URL("http://gateway/v1"),
		params: {},
		headers: new Headers(),
		body: readJsonBody(new TextEncoder().encode(JSON.stringify(body))),
	};
	try {
		const ask = { ...request, protocol, call: protocol.client.read(request) };
		const block = protocol.client.decodeRequest(ask).messages[0]?.blocks[0];
		return block?.type === "image" ? block.media : block;
	} catch (error) {
		if (!isFault(error)) throw error;
		return error.denial.kind;
	}
};

const png = { by: "bytes", mime: "image/png", base64: "iVBORw0KGgo=" };

describe.each(bodies)("%#", (protocol, bodyOf) => {
	test.each([
		["data:image/png;base64,iVBORw0KGgo=", png],
		["data:image/png;BASE64,iVBORw0KGgo=", png],
		["DATA:image/png;base64,iVBORw0KGgo=", png],
		["data:IMAGE/PNG;base64,iVBORw0KGgo=", png],
		["data:image/png;base64 ,iVBORw0KGgo=", png],
		["data:image/png;name=a.png;base64,iVBORw0KGgo=", png],
		["data:image/png;base64,iVBO\nRw0KGgo=", png],
		["data:image/png;base64,_-_-", { by: "bytes", mime: "image/png", base64: "/+/+" }],
		["data:,a%20b", { by: "bytes", mime: "text/plain", base64: "YSBi" }],
		["data:image/png;base64,%%%", "invalid_request"],
		["data:text/plain,a%zz", "invalid_request"],
		["data:image/png", "invalid_request"],
		["https://files.example/a.png", { by: "url", url: "https://files.example/a.png" }],
	])("%p", (url, media) => {
		expect(mediaOf(protocol, bodyOf(url))).toEqual(media);
	});
});
