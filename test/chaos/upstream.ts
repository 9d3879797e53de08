/**
 * An upstream that misbehaves and keeps its own books: how many output tokens it sent, call by call. It honours the
 * limit it is given, as providers do, and is otherwise not to be relied on: it leaves out its usage, reports more than it
 * sent, fails at once, breaks off in the middle.
 */
import { mostOutput } from "./checks.ts";
import type { Random } from "./random.ts";

/** Of the calls that carry one mark. */
export interface Counted {
	/** Output tokens sent. */
	sent: number;
	/** Tokens it reported beyond those it sent, as far as the call's limit: a gateway cannot tell. */
	boasted: number;
}

interface CountingUpstream {
	readonly url: string;
	counted(mark: string): Counted;
	stop(): Promise<void>;
}

/** The prompt of whoever has this mark. */
export const promptOf = (mark: string): string => `Go on. mark-${mark}`;
const markIn = (text: string): string => /mark-(\w+)/.exec(text)?.[1] ?? "";

const encoder = new TextEncoder();
const event = (value: unknown): Uint8Array => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
const done = encoder.encode("data: [DONE]\n\n");
const chunk = (choices: unknown[], more: object = {}) => ({
	id: "c",
	object: "chat.completion.chunk",
	created: 1,
	model: "chaos",
	choices,
	...more,
});

/** Input tokens it says every call had: fewer than anybody could reserve for. */
export const inputTokens = 10;

type Mood = "well" | "silent" | "boastful" | "broken" | "failing";

const moodOf = (random: Random): Mood => {
	const roll = random();
	if (roll < 0.06) return "failing";
	if (roll < 0.12) return "broken";
	if (roll < 0.3) return "silent";
	if (roll < 0.4) return "boastful";
	return "well";
};

/** What one call is going to get. */
interface Answer {
	readonly limit: number;
	readonly mood: Mood;
	readonly length: number;
	/** Ends here, without a word that it has ended. */
	readonly breaksAt: number;
}

const answerFor = (limit: number, mood: Mood, random: Random): Answer => {
	const length = Math.max(1, Math.round(limit * (0.3 + random() * 0.7)));
	return {
		limit,
		mood,
		length,
		breaksAt: mood === "broken" ? Math.floor(length * random()) : Number.POSITIVE_INFINITY,
	};
};

/** The events after the last token. */
const ending = ({ limit, mood, length }: Answer): Uint8Array[] => {
	const finish = event(chunk([{ index: 0, delta: {}, finish_reason: length === limit ? "length" : "stop" }]));
	if (mood === "silent") return [finish, done];
	const reported = mood === "boastful" ? limit * 3 : length;
	const usage = { prompt_tokens: inputTokens, completion_tokens: reported, total_tokens: inputTokens + reported };
	return [finish, event(chunk([], { usage })), done];
};

const token = event(chunk([{ index: 0, delta: { content: "tok " }, finish_reason: null }]));

export const startCountingUpstream = (random: Random): CountingUpstream => {
	const all = new Map<string, Counted>();
	const counted = (mark: string): Counted => {
		const known = all.get(mark) ?? { sent: 0, boasted: 0 };
		all.set(mark, known);
		return known;
	};

	/** Sends the next of an answer's tokens, or its end. */
	const step = (
		answer: Answer,
		at: number,
		counts: Counted,
		controller: ReadableStreamDefaultController<Uint8Array>,
	): void => {
		if (at < Math.min(answer.length, answer.breaksAt)) {
			counts.sent++;
			controller.enqueue(token);
			return;
		}
		if (at < answer.breaksAt) for (const piece of ending(answer)) controller.enqueue(piece);
		if (answer.mood === "boastful") counts.boasted += answer.limit - answer.length;
		controller.close();
	};

	const stream = (answer: Answer, counts: Counted): ReadableStream<Uint8Array> => {
		let at = 0;
		let left = false;
		return new ReadableStream<Uint8Array>({
			async pull(controller) {
				await new Promise((resolve) => setTimeout(resolve, 1 + random() * 8));
				if (!left) step(answer, at++, counts, controller);
			},
			cancel() {
				left = true;
			},
		});
	};

	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 0,
		async fetch(request) {
			const text = await request.text();
			const asked = JSON.parse(text) as { max_tokens?: number; max_completion_tokens?: number };
			const limit = asked.max_completion_tokens ?? asked.max_tokens ?? mostOutput;
			const mood = moodOf(random);
			if (mood === "failing") return Response.json({ error: { message: "not now" } }, { status: 500 });
			const body = stream(answerFor(limit, mood, random), counted(markIn(text)));
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		},
	});
	return {
		url: `http://127.0.0.1:${server.port}`,
		counted,
		stop: () => server.stop(true),
	};
};
