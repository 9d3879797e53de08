/**
 * Clients that try to get more than they pay for, beside honest ones, at one node or several, before an upstream that
 * counts what it would bill: the input when a request comes, every token it makes until the connection is cut, those
 * that it thinks in secret included.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type AttackProtocol, attackProtocols, rates } from "../attacks/world.ts";
import { answers, requestOf } from "../support/upstream-answers.ts";
import type { Random } from "./random.ts";

/** Tokens a second that the upstream makes: fewer than the 500 that a model is taken for. */
const thinkingSpeed = 300;
const msPerWord = 4;

/** What the upstream would bill, in micro-dollars, by the token's mark in the prompt. */
export type Bills = Map<string, number>;

const roots = { "chat-completions": "/v1", responses: "/v1", messages: "", "generate-content": "/v1beta" } as const;

const protocolAt = (path: string): AttackProtocol =>
	path.includes("/messages")
		? "messages"
		: path.includes("/responses")
			? "responses"
			: path.includes("/chat/")
				? "chat-completions"
				: "generate-content";

const limitIn = (json: unknown): number => {
	const found = /"(?:max_completion_tokens|max_output_tokens|max_tokens|maxOutputTokens)":\s*(\d+)/.exec(
		JSON.stringify(json),
	);
	return Math.min(4_000, Number(found?.[1] ?? 4_000));
};

/** Four bytes of a request are one token: what is sent as a picture is text to it. */
const inputOf = (text: string): number => Math.ceil(text.length / 4);

/** One answer as it is made: what was made by the time the connection is cut is billed. */
class Answer {
	private readonly parts: { readonly afterMs: number; readonly tokens: number; piece(): string }[] = [];
	private output = 0;
	gone = false;

	constructor(protocol: AttackProtocol, input: number, limit: number, random: Random) {
		const spoken = answers[protocol];
		const words = Math.min(limit, 3 + Math.floor(random() * 40));
		const thinks = random() < 0.5 ? Math.min(limit - words, Math.floor(random() * 200)) : 0;
		const counts = () => ({ input, output: this.output, reasoning: thinks });
		this.parts.push({ afterMs: 0, tokens: 0, piece: () => spoken.opening(counts()) });
		for (let left = thinks; left > 0; left -= 6)
			this.parts.push({ afterMs: (6 / thinkingSpeed) * 1000, tokens: Math.min(6, left), piece: () => "" });
		for (let at = 0; at < words; at++)
			this.parts.push({ afterMs: msPerWord, tokens: 1, piece: () => spoken.word(`word${at} `) });
		this.parts.push({ afterMs: 0, tokens: 0, piece: () => spoken.finish(counts()) });
		this.parts.push({ afterMs: 20, tokens: 0, piece: () => spoken.count(counts()) });
	}

	async send(say: (piece: string) => void, bill: (tokens: number) => void): Promise<void> {
		for (const { afterMs, tokens, piece } of this.parts) {
			if (afterMs > 0) await pause(afterMs);
			if (this.gone) return;
			this.output += tokens;
			bill(tokens);
			const text = piece();
			if (text !== "") say(text);
		}
	}
}

export const startBilling = (bills: Bills, random: Random): ScriptedUpstream =>
	startUpstream(({ path, text, json, signal }) => {
		const mark = /mark-(\w+)/.exec(text)?.[1] ?? "nobody";
		const bill = (microDollars: number): void => void bills.set(mark, (bills.get(mark) ?? 0) + microDollars);
		const input = inputOf(text);
		bill(input * rates.input);
		const answer = new Answer(protocolAt(path), input, limitIn(json), random);
		signal.addEventListener("abort", () => {
			answer.gone = true;
		});
		const encoder = new TextEncoder();
		const body = new ReadableStream<Uint8Array>({
			async start(controller) {
				// Nobody reads on when it throws: what was made by then is billed.
				const say = (piece: string): void => controller.enqueue(encoder.encode(piece));
				await answer.send(say, (tokens) => bill(tokens * rates.output)).catch(() => undefined);
				if (!answer.gone) controller.close();
			},
			cancel() {
				answer.gone = true;
			},
		});
		return new Response(body, { headers: { "content-type": "text/event-stream" } });
	});

export interface Clients {
	readonly gateways: readonly TestGateway[];
	readonly random: Random;
	until: number;
}

/** A way to behave; `leave` says after how many pieces, or milliseconds before the first, the client hangs up. */
interface Manner {
	readonly body: (protocol: AttackProtocol, prompt: string) => { readonly path: string; readonly body: object };
	readonly leaveAfterMs?: number;
	readonly leaveAfterPieces?: number;
	readonly stallMs?: number;
}

const limit = 300;

const plain: Manner["body"] = (protocol, prompt) =>
	requestOf(protocol, { model: `${protocol}-a`, prompt, stream: true, limit });

const hiding: Manner["body"] = (protocol, prompt) => {
	const { path, body } = plain(protocol, prompt);
	if (protocol === "chat-completions") return { path, body: { ...body, stream_options: { include_usage: false } } };
	return protocol === "generate-content" ? { path: `${path}&fields=candidates.content`, body } : { path, body };
};

/** Much text that calls itself a picture. */
const lying: Manner["body"] = (_, prompt) => {
	const { path, body } = plain("chat-completions", prompt);
	const url = `data:image/png;base64,${Buffer.from("a lie ".repeat(2_000)).toString("base64")}`;
	const content = [
		{ type: "text", text: prompt },
		{ type: "image_url", image_url: { url } },
	];
	return { path, body: { ...body, messages: [{ role: "user", content }] } };
};

const mannerOf = (random: Random): Manner => {
	const manners: readonly Manner[] = [
		{ body: plain, leaveAfterMs: random() * 120 },
		{ body: plain, leaveAfterPieces: Math.floor(random() * 30) },
		{ body: hiding },
		{ body: hiding, leaveAfterPieces: 1 + Math.floor(random() * 50) },
		{ body: lying },
		{ body: lying, leaveAfterPieces: 2 },
		{ body: plain, stallMs: 300 },
	];
	return manners[Math.floor(random() * manners.length)] ?? { body: plain };
};

const call = async (gateway: TestGateway, key: string, mark: string, manner: Manner, random: Random): Promise<void> => {
	const protocol = attackProtocols[Math.floor(random() * attackProtocols.length)] ?? "chat-completions";
	const { path, body } = manner.body(protocol, `Please go on, mark-${mark}. ${"word ".repeat(random() * 60)}`);
	const abort = new AbortController();
	const timer = manner.leaveAfterMs === undefined ? undefined : setTimeout(() => abort.abort(), manner.leaveAfterMs);
	try {
		const headers = { authorization: `Bearer ${key}` };
		const response = await gateway.ask(path, body, { headers, signal: abort.signal });
		if (manner.stallMs !== undefined) await pause(manner.stallMs);
		let pieces = 0;
		for await (const _ of response.body ?? [])
			if (++pieces >= (manner.leaveAfterPieces ?? Number.POSITIVE_INFINITY) || manner.stallMs !== undefined) break;
		if (response.status !== 200) await pause(30);
	} catch {
		// It hung up, as it meant to.
	} finally {
		clearTimeout(timer);
		abort.abort();
	}
};

const honest: Manner = { body: plain };

/** Calls until the time is up; a hostile client comes in floods now and then. */
export const liveOf = async (
	{ gateways, random, until }: Clients,
	key: string,
	mark: string,
	isHostile: boolean,
): Promise<void> => {
	while (performance.now() < until) {
		const gateway = gateways[Math.floor(random() * gateways.length)];
		if (!gateway) return;
		const many = isHostile && random() < 0.1 ? 15 : 1;
		const calls = Array.from({ length: many }, () =>
			call(gateway, key, mark, isHostile ? mannerOf(random) : honest, random),
		);
		await Promise.all(calls);
	}
};

/** A gateway of all four protocols on this database. */
export const startNode = (databaseUrl: string | undefined, upstreamUrl: string): Promise<TestGateway> =>
	startGateway({
		...(databaseUrl !== undefined && { config: { database: { url: databaseUrl } } }),
		plugins: [
			"tokens",
			...attackProtocols,
			{
				use: "router",
				with: {
					upstreams: attackProtocols.map((protocol) => ({
						name: protocol,
						protocol,
						url: upstreamUrl + roots[protocol],
						key: "k",
					})),
					models: attackProtocols.map((protocol) => ({
						name: `${protocol}-*`,
						targets: [{ upstream: protocol }],
						caps: { thinking: "effort", maxOutput: 4_000 },
					})),
				},
			},
			{ use: "prices", with: { models: { "*": rates } } },
			"quota",
			"ledger",
		],
	});
