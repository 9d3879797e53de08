/** Fields that say what holds anyway: nothing is lost with them, so a strict route goes on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { WireRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { type LossWorld, startLossWorld } from "./world.ts";

let world: LossWorld;

beforeAll(async () => {
	world = await startLossWorld();
});
afterAll(() => world.stop());

const turns = (prefix: boolean) => ({
	messages: [
		{ role: "user", content: "Hi" },
		{ role: "assistant", content: "Hello", prefix },
		{ role: "user", content: "Go on" },
	],
});
const picture = (oversized_image: string) => {
	const source = { type: "url", url: "https://example.org/a.png" };
	return { messages: [{ role: "user", content: [{ type: "image", source, transformations: { oversized_image } }] }] };
};
const file = (detail: string) => ({
	input: [{ role: "user", content: [{ type: "input_file", file_url: "https://example.org/a.pdf", detail }] }],
});
const shown = (detail: string) => ({
	input: [{ role: "user", content: [{ type: "input_image", image_url: "https://example.org/a.png", detail }] }],
});
const search = (external_web_access: boolean) => ({ tools: [{ type: "web_search", external_web_access }] });

/** Client, upstream, what its SDK adds, and the same field saying something of its own. */
const cases: readonly (readonly [string, ProtocolName, ProtocolName, WireRecord, WireRecord | undefined])[] = [
	["prefix", "chat-completions", "messages", turns(false), turns(true)],
	["reasoning_format", "chat-completions", "messages", { reasoning_format: "parsed" }, { reasoning_format: "raw" }],
	["anthropic_version", "messages", "responses", { anthropic_version: "vertex-2023-10-16" }, undefined],
	["external_web_access", "responses", "messages", search(true), search(false)],
	["messages[0].content[0].oversized_image", "messages", "responses", picture("downsize"), picture("error")],
	["input[0].content[0].detail", "responses", "messages", file("auto"), file("low")],
	["input[0].content[0].detail", "responses", "chat-completions", shown("high"), shown("original")],
	["context", "responses", "messages", { reasoning: { context: "auto" } }, { reasoning: { context: "all_turns" } }],
];

test.each(cases)("%s: the usual value is no loss, another is", async (name, client, to, usual, other) => {
	const kept = await world.send(client, to, usual, { strict: true });
	expect([kept.status, kept.headers.get("x-portico-dropped")]).toEqual([200, null]);
	if (other === undefined) return;
	const lost = await world.send(client, to, other);
	expect([lost.status, lost.headers.get("x-portico-dropped")]).toEqual([200, expect.stringContaining(name)]);
});
