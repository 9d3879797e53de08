/** The demo's text completions: the same words for the same prompt, between prefix and suffix, whole or word by word. */
import { asCount, asList, asText, type Clock, type WireRecord } from "#core";
import { wordsOf } from "./answer.ts";
import { inputTokens } from "./input-tokens.ts";

const usualTokens = 16;
const longestEcho = 60;

const promptsOf = (prompt: unknown): readonly string[] => {
	if (typeof prompt === "string") return [prompt];
	const items = asList(prompt);
	return items.length === 0 || typeof items[0] === "number" ? [""] : items.map((item) => asText(item) ?? "");
};

const lastLine = (text: string): string => [...(text.trimEnd().split("\n").at(-1) ?? "")].slice(-longestEcho).join("");

const said = (prompt: string, suffix: string | undefined): string =>
	suffix
		? ` This is the demo model of Portico; no provider was asked. It fills in between "${lastLine(prompt)}" and what follows.`
		: ` This is the demo model of Portico; no provider was asked. It goes on from "${lastLine(prompt)}".`;

interface Choice {
	readonly words: readonly string[];
	readonly reason: "stop" | "length";
	readonly echoed: string;
}

const choiceOf = (prompt: string, body: WireRecord): Choice => {
	const stops =
		typeof body["stop"] === "string" ? [body["stop"]] : asList(body["stop"]).map((stop) => asText(stop) ?? "");
	const full = said(prompt, asText(body["suffix"]));
	const end = Math.min(
		...stops.filter((stop) => stop !== "" && full.includes(stop)).map((stop) => full.indexOf(stop)),
		full.length,
	);
	const words = wordsOf(full.slice(0, end));
	const limit = asCount(body["max_tokens"]) ?? usualTokens;
	return {
		words: words.slice(0, limit),
		reason: words.length > limit ? "length" : "stop",
		echoed: body["echo"] === true ? prompt : "",
	};
};

const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream; charset=utf-8" };

export interface CompletionOptions {
	readonly clock: Clock;
	/** Milliseconds between two words of a stream. */
	readonly wordMs: number;
	readonly callId: string;
	readonly signal: AbortSignal;
}

/** As OpenAI answers it. */
export const complete = (body: WireRecord, { clock, wordMs, callId, signal }: CompletionOptions): Response => {
	const prompts = promptsOf(body["prompt"]);
	const choices = prompts.flatMap((prompt) =>
		Array.from({ length: asCount(body["n"]) ?? 1 }, () => choiceOf(prompt, body)),
	);
	const input = inputTokens(body["prompt"]);
	const output = choices.reduce((sum, { words }) => sum + words.length, 0);
	const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
	const head = {
		id: `cmpl-${callId}`,
		object: "text_completion",
		created: Math.floor(clock.now() / 1000),
		model: body["model"],
	};
	if (body["stream"] !== true) {
		const whole = choices.map(({ words, reason, echoed }, index) => ({
			index,
			text: echoed + words.join(""),
			logprobs: null,
			finish_reason: reason,
		}));
		return new Response(JSON.stringify({ ...head, choices: whole, usage }), { headers: json });
	}
	const chunk = (index: number, text: string, reason: string | null) => ({
		...head,
		choices: [{ index, text, logprobs: null, finish_reason: reason }],
	});
	const queue: unknown[] = choices.flatMap(({ words, reason, echoed }, index) => [
		...(echoed === "" ? words : [echoed, ...words]).map((word) => chunk(index, word, null)),
		chunk(index, "", reason),
	]);
	queue.push({ ...head, choices: [], usage });
	const encoder = new TextEncoder();
	const stream = new ReadableStream<Uint8Array>({
		async pull(controller) {
			if (wordMs > 0) await new Promise<void>((resolve) => void clock.after(wordMs, resolve));
			if (signal.aborted) return controller.error(new Error("the call was ended"));
			const next = queue.shift();
			controller.enqueue(encoder.encode(`data: ${next === undefined ? "[DONE]" : JSON.stringify(next)}\n\n`));
			if (next === undefined) controller.close();
		},
	});
	return new Response(stream, { headers: events });
};
