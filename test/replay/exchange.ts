/** A recorded exchange as a client would make it, and what is to come of it. */
import { streamOf } from "../support/chunkings.ts";
import type { ProtocolName, RecordedAnswer, Recording } from "../support/recordings.ts";

export interface Asked {
	readonly path: string;
	readonly body: Readonly<Record<string, unknown>>;
}

/** What stands in where the source kept no request. */
const plain: Readonly<Record<ProtocolName, (stream: boolean) => Asked>> = {
	"chat-completions": (stream) => ({
		path: "/v1/chat/completions",
		body: {
			model: "m",
			messages: [{ role: "user", content: "Hello" }],
			stream,
			...(stream && { stream_options: { include_usage: true } }),
		},
	}),
	responses: (stream) => ({ path: "/v1/responses", body: { model: "m", input: "Hello", stream } }),
	messages: (stream) => ({
		path: "/v1/messages",
		body: { model: "m", max_tokens: 1000, messages: [{ role: "user", content: "Hello" }], stream },
	}),
	"generate-content": (stream) => ({
		path: `/v1beta/models/m:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
		body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
	}),
};

/** The path as the provider documents it; recorded keys are left out, and hosts that some sources replaced by words. */
const pathOf = (url: string): string => {
	const { pathname, searchParams } = new URL(url.replace(/^https?:\/\/[^/]*/, "http://upstream.test"));
	searchParams.delete("key");
	return pathname + (searchParams.size > 0 ? `?${searchParams}` : "");
};

/** The request of the exchange. Where it goes on from an answer that only its provider has, that is left out. */
export const askedFor = ({ protocol, request, answer, url }: Recording): Asked => {
	if (!request) return plain[protocol](answer.form !== "json");
	const { previous_response_id: _, conversation: __, ...body } = request;
	return { path: pathOf(url), body };
};

/** Where a stream is told to have ended, or to have failed, by its own protocol. */
const announcements: Readonly<Record<ProtocolName, RegExp>> = {
	"chat-completions": /^data: \[DONE\]/m,
	responses: /"type": ?"(?:response\.(?:completed|incomplete|failed)|error)"/,
	messages: /"type": ?"(?:message_stop|error)"/,
	"generate-content": /"(?:finishReason|blockReason|error)"/,
};

/** An event that tells of a failure. */
const failure = /^event: ?error|^data: ?\{"error"|"type": ?"(?:error|response\.failed)"/m;

/** The first thing that a client could show. */
const firstWord: Readonly<Record<ProtocolName, RegExp>> = {
	"chat-completions": /"delta": ?\{[^}]*"(?:content|tool_calls|refusal)": ?[^n"\s]|"content": ?"[^"]/,
	responses: /\.delta"/,
	messages: /"content_block_delta"/,
	"generate-content": /"parts"/,
};

/** Why the exchange cannot come out as it was recorded; undefined for nearly all. */
export const oddity = ({ protocol, request, answer, status }: Recording): string | undefined => {
	if (status >= 400) return undefined;
	if (answer.form === "json")
		return request?.["stream"] === true ? "a stream was asked for, and the source kept the whole" : undefined;
	if (answer.form === "array") return undefined;
	if (!announcements[protocol].test(answer.text)) return "the source kept a stream without its end";
	const failsAt = answer.text.search(failure);
	const beginsAt = answer.text.search(firstWord[protocol]);
	return failsAt !== -1 && (beginsAt === -1 || failsAt < beginsAt)
		? "a stream that fails before its first word is an error of HTTP"
		: undefined;
};

/** The events of a stream by their lines: name and data of each, comments and the like left out. */
export const eventsIn = (text: string): readonly string[] =>
	text
		.replaceAll("\r\n", "\n")
		.split(/\n\n+/)
		.map((event) =>
			event
				.split("\n")
				.filter((line) => /^(?:event|data)\b/.test(line))
				.map((line) => line.replace(/^(\w+): ?/, "$1: "))
				.join("\n"),
		)
		.filter((event) => event !== "");

/** The recorded answer as the upstream gives it. Gemini's comes as events where events are asked for, else as a list. */
export const answered = (
	{ answer, status }: Recording,
	path: string,
	cut: (text: string) => readonly Uint8Array[],
): Response => {
	const stream = (text: string) =>
		new Response(streamOf(cut(text)), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
	if (answer.form === "json") return Response.json(answer.value, { status });
	if (answer.form === "events") return stream(answer.text);
	return path.includes("alt=sse")
		? stream(answer.items.map((item) => `data: ${JSON.stringify(item)}\r\n\r\n`).join(""))
		: Response.json(answer.items);
};

/** What the client is to get, in the form `got` gives it. */
export const expected = (answer: RecordedAnswer): unknown => {
	// As it went over the wire: JSON has no -0.
	if (answer.form === "json") return JSON.parse(JSON.stringify(answer.value)) as unknown;
	return answer.form === "array" ? answer.items : eventsIn(answer.text);
};

/** What the client got. */
export const got = (answer: RecordedAnswer, text: string): unknown =>
	answer.form === "events" ? eventsIn(text) : (JSON.parse(text) as unknown);

/** Where two values first differ, and how; undefined when they do not. */
export const difference = (want: unknown, found: unknown, path = ""): string | undefined => {
	if (Bun.deepEquals(want, found)) return undefined;
	if (typeof want === "object" && want !== null && typeof found === "object" && found !== null) {
		const [wanted, had] = [want as Record<string, unknown>, found as Record<string, unknown>];
		for (const key of new Set([...Object.keys(wanted), ...Object.keys(had)])) {
			const within = difference(wanted[key], had[key], `${path}/${key}`);
			if (within !== undefined) return within;
		}
	}
	const short = (value: unknown): string => JSON.stringify(value)?.slice(0, 300) ?? "nothing";
	return `${path}: ${short(found)} instead of ${short(want)}`;
};
