/** One model call of a soak: any protocol to any upstream, well or with one of the faults, and what came of it. */
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { asRecord } from "#core";
import { type ProtocolName, protocols } from "./answers.ts";
import type { Counts, Outcomes } from "./counts.ts";

/** What upstreams do wrong. */
const upstreamFaults = ["reset", "html", "overloaded", "nonsense", "reset-midway", "truncated", "silent", "slow"];
/** What clients do wrong, and the upstream that is not there, whose calls another must answer. */
const otherFaults = ["leaves-early", "leaves-midway", "half-a-body", "reads-slowly", "no-key", "no-quota", "not-json"];
export const faults: readonly string[] = [...upstreamFaults, ...otherFaults, "followed"];

/** Faults after which the call must be answered all the same. */
const answeredAllTheSame = new Set(["slow", "reads-slowly", "followed"]);

/** Longer than any limit of the gateway: a call that takes longer hangs. */
const patienceMs = 20_000;

export interface Callers {
	readonly url: string;
	readonly keys: readonly string[];
	readonly poorKey: string;
}

const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(Math.random() * list.length)] ?? list[0];

/** How a stream of each protocol ends well. */
const ends: Readonly<Record<ProtocolName, RegExp>> = {
	"chat-completions": /^data: \[DONE\]/m,
	responses: /^event: response\.completed/m,
	messages: /^event: message_stop/m,
	"generate-content": /"finishReason":"(STOP|MAX_TOKENS)"/,
};
const errors = /^(event: error|event: response\.failed|data: \{"error")/m;

interface Question {
	readonly path: string;
	readonly body: string;
}

const question = (client: ProtocolName, model: string, stream: boolean, text: string): Question => {
	const messages = [{ role: "user", content: text }];
	switch (client) {
		case "chat-completions":
			return { path: "/v1/chat/completions", body: JSON.stringify({ model, stream, max_tokens: 50, messages }) };
		case "responses":
			return {
				path: "/v1/responses",
				body: JSON.stringify({ model, stream, max_output_tokens: 50, input: text, store: Math.random() < 0.1 }),
			};
		case "messages":
			return { path: "/v1/messages", body: JSON.stringify({ model, stream, max_tokens: 50, messages }) };
		case "generate-content": {
			const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
			const contents = [{ role: "user", parts: [{ text }] }];
			return {
				path: `/v1beta/models/${model}:${verb}`,
				body: JSON.stringify({ contents, generationConfig: { maxOutputTokens: 50 } }),
			};
		}
	}
};

/** What came of a whole text: `answered`, the status, `error event`, or `TRUNCATED`, which must never be. */
const judge = (client: ProtocolName, stream: boolean, status: number, text: string): string => {
	if (status >= 400) return String(status);
	if (!stream) return text.trimEnd().endsWith("}") ? "answered" : "TRUNCATED";
	if (errors.test(text)) return "error event";
	return ends[client].test(text) ? "answered" : "TRUNCATED";
};

/** Sends half of what it announced and goes. */
const half = (callers: Callers, { path, body }: Question): Promise<void> =>
	new Promise((resolve) => {
		const { hostname, port } = new URL(callers.url);
		const socket = connect(Number(port), hostname, () => {
			socket.write(
				`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${callers.keys[0]}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, body.length / 2)}`,
			);
			setTimeout(() => socket.destroy(), 30);
		});
		socket.on("error", () => undefined);
		socket.on("close", () => resolve());
	});

interface Heard {
	readonly text: string;
	readonly firstByteMs: number;
}

/** Reads the answer as this kind of client does; undefined for one that leaves in the middle. */
const listen = async (response: Response, fault: string, began: number): Promise<Heard | undefined> => {
	const reader = response.body?.getReader();
	const decoder = new TextDecoder();
	let text = "";
	let firstByteMs: number | undefined;
	for (;;) {
		const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
		firstByteMs ??= performance.now() - began;
		if (done) return { text, firstByteMs };
		text += decoder.decode(value, { stream: true });
		if (fault === "leaves-midway") {
			await reader?.cancel();
			return undefined;
		}
		if (fault === "reads-slowly") await pause(60);
	}
};

const keyFor = (callers: Callers, fault: string): string => {
	if (fault === "no-key") return "sk-nobody";
	return fault === "no-quota" ? callers.poorKey : pick(callers.keys as [string, ...string[]]);
};

const ask = async (callers: Callers, fault: string, counts: Counts): Promise<string> => {
	const client = pick(protocols);
	const stream = fault === "leaves-midway" || Math.random() < 0.6;
	const words = Math.random() < 0.05 ? "word ".repeat(10_000) : "Say something.";
	const model = fault === "followed" ? fault : pick(protocols);
	const asked = question(client, model, stream, upstreamFaults.includes(fault) ? `${words} fault:${fault}` : words);
	if (fault === "half-a-body") return await half(callers, asked).then(() => "left");
	const abort = new AbortController();
	const timer = setTimeout(() => abort.abort(), fault === "leaves-early" ? Math.random() * 40 : patienceMs);
	const began = performance.now();
	const send = (): Promise<Response> =>
		fetch(callers.url + asked.path, {
			method: "POST",
			headers: { authorization: `Bearer ${keyFor(callers, fault)}`, "content-type": "application/json" },
			body: fault === "not-json" ? asked.body.slice(1) : asked.body,
			signal: abort.signal,
		});
	try {
		const response = await send().catch((error: unknown) => {
			// A connection may be closed for having been idle in the very moment in which it is used again; clients know that.
			if (asRecord(error)["code"] !== "ECONNRESET" || abort.signal.aborted) throw error;
			counts.note("connections", "closed as they were used again");
			return send();
		});
		const heard = await listen(response, fault, began);
		if (!heard) return "left";
		if (fault === "") {
			counts.firstBytes.push(heard.firstByteMs);
			counts.ends.push(performance.now() - began);
		}
		return judge(client, stream, response.status, heard.text);
	} catch (error) {
		if (fault === "leaves-early") return "left";
		return abort.signal.aborted ? "HUNG" : `connection broken (${String(error)})`;
	} finally {
		clearTimeout(timer);
	}
};

/** Asks once; `fault` is empty for a healthy call. */
export const call = async (callers: Callers, fault: string, counts: Counts): Promise<void> => {
	counts.note(fault === "" ? "healthy" : fault, await ask(callers, fault, counts));
};

/** What must not have come of anything asked; empty when all is well. Outcomes in capitals must never be. */
export const wrongOutcomes = (outcomes: Outcomes): readonly string[] =>
	Object.entries(outcomes).flatMap(([asked, came]) =>
		Object.entries(came).flatMap(([outcome, count]) => {
			const mustAnswer = asked === "healthy" || answeredAllTheSame.has(asked);
			const wrong = outcome === "500" || /^[A-Z]/.test(outcome) || (mustAnswer && outcome !== "answered");
			return wrong ? [`${asked}: ${count} ${outcome}`] : [];
		}),
	);
