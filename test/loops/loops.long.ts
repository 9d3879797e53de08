/** Loops of tools that move from one vendor to another in the middle, by every client, against vendors that refuse as they do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asRecord, asText } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { clients, type Loop } from "./clients.ts";
import type { Step, Vendor } from "./vendor.ts";
import { deepseek, groq, kimi, mistral } from "./vendors/chat-vendors.ts";
import { claude } from "./vendors/claude.ts";
import { gemini } from "./vendors/gemini.ts";
import { gpt } from "./vendors/gpt.ts";

const vendors: readonly Vendor[] = [claude, gpt, gemini, kimi, deepseek, mistral, groq];
const protocols: Readonly<Record<string, readonly string[]>> = {
	[claude.model]: ["messages"],
	[gpt.model]: ["responses", "chat-completions"],
	[gemini.model]: ["generate-content"],
};

let gateway: TestGateway;
let upstream: ScriptedUpstream;
/** What the model that is asked next does. */
let step: Step = { calls: [], text: "" };
const refusals: string[] = [];
/** The vendor that does not answer. */
let down: Vendor | undefined;

const pairs = vendors.flatMap((first) =>
	vendors.filter((second) => second !== first).map((second) => [first, second] as const),
);
/** A model that is the first's, and the second's while the first is down. */
const aliasOf = (first: Vendor, second: Vendor): string => `${first.model}-or-${second.model}`;

const calling: Step = {
	calls: [
		{ name: "look", input: { at: "the sea" } },
		{ name: "weigh", input: { at: "a stone" } },
	],
	text: "I look.",
};
const speaking: Step = { calls: [], text: "Now I know." };

beforeAll(async () => {
	upstream = startUpstream((request) => {
		const [, name = "", ...rest] = request.path.split("/");
		const vendor = vendors.find(({ model }) => model === name);
		const path = `/${rest.join("/")}`;
		const body = asRecord(request.json);
		if (!vendor) return new Response("no such vendor", { status: 500 });
		if (vendor === down) return Response.json({ error: { message: "overloaded" } }, { status: 503 });
		const refused = vendor.refusal(path, body);
		if (refused !== undefined) {
			refusals.push(`${vendor.model}: ${refused}`);
			return Response.json({ error: { message: refused, type: "invalid_request_error" } }, { status: 400 });
		}
		const { whole, stream } = vendor.answer(path, body, step);
		const streams = body["stream"] === true || path.includes("streamGenerateContent");
		return streams ? new Response(stream, { headers: { "content-type": "text/event-stream" } }) : Response.json(whole);
	});
	gateway = await startGateway({
		plugins: [
			"chat-completions",
			"responses",
			"messages",
			"generate-content",
			"tokens",
			{
				use: "router",
				with: {
					upstreams: vendors.map(({ model, vendor }) => ({
						name: model,
						protocol: protocols[model] ?? "chat-completions",
						url: `${upstream.url}/${model}`,
						key: "k",
						...(vendor !== undefined && { vendor }),
					})),
					models: [
						...vendors.map(({ model }) => ({ name: model, targets: [{ upstream: model }] })),
						...pairs.map(([first, second]) => ({
							name: aliasOf(first, second),
							targets: [first, second].map(({ model }) => ({ upstream: model, model })),
						})),
					],
				},
			},
		],
	});
});

afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const makers = vendors.filter(({ vendor }) => vendor === undefined);

/** Every ordered triple of makers in which each differs from the one before; every pair begins one of them. */
const journeys = makers.flatMap((first) =>
	makers
		.filter((second) => second !== first)
		.flatMap((second) => makers.filter((third) => third !== second).map((third) => [first, second, third, first])),
);

/** Two of the protocols have answers that are kept, or a word for it. */
const modesOf = (name: string) =>
	[true, false].flatMap((streamed) =>
		(name === "chat" || name === "responses" ? [true, false] : [false]).map((stored) => ({ streamed, stored })),
	);

const loopOf = (name: string, streamed: boolean, stored: boolean): Loop => {
	const loop = clients[name]?.({ url: gateway.url, key: gateway.key, streamed, stored });
	if (!loop) throw new Error(`there is no client ${name}`);
	return loop;
};

/** One turn: the model must do what its step says. Gives why it did not. */
const turn = async (loop: Loop, model: string, next: Step): Promise<string | undefined> => {
	step = next;
	refusals.length = 0;
	try {
		const { text, calls } = await loop.ask(model);
		return text.startsWith(next.text) && calls === next.calls.length
			? undefined
			: `said "${text}", called ${calls} tools`;
	} catch (error) {
		return refusals.join("; ") || asText(asRecord(error)["message"]) || String(error);
	}
};

/** Two steps of calls and two of words, each by the next model of the way. Gives where and why it stopped. */
const travel = async (loop: Loop, way: readonly string[]): Promise<readonly string[]> => {
	loop.say("What is it?");
	for (const [at, model] of way.entries()) {
		const failed = await turn(loop, model, at < 2 ? calling : speaking);
		if (failed !== undefined) return [`${way.join(" > ")} at ${at}: ${failed}`];
		if (at === 2) loop.say("And now?");
	}
	return [];
};

describe.each(Object.keys(clients))("a loop of %s", (name) => {
	test.each(modesOf(name))(
		"goes from vendor to vendor; streamed: $streamed, stored: $stored",
		async ({ streamed, stored }) => {
			const failed: string[] = [];
			for (const journey of journeys)
				failed.push(
					...(await travel(
						loopOf(name, streamed, stored),
						journey.map(({ model }) => model),
					)),
				);
			expect(failed).toEqual([]);
		},
	);

	test.each(modesOf(name))(
		"falls back in its middle; streamed: $streamed, stored: $stored",
		async ({ streamed, stored }) => {
			const failed: string[] = [];
			for (const [first, second] of pairs) {
				const loop = loopOf(name, streamed, stored);
				const alias = aliasOf(first, second);
				loop.say("What is it?");
				const before = await turn(loop, alias, calling);
				down = first;
				const after = (await turn(loop, alias, calling)) ?? (await turn(loop, alias, speaking));
				down = undefined;
				loop.say("And now?");
				const back = await turn(loop, alias, speaking);
				failed.push(...[before, after, back].flatMap((why) => (why === undefined ? [] : [`${alias}: ${why}`])));
			}
			expect(failed).toEqual([]);
		},
	);
});
