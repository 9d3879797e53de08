/** What upstreams do wrong, each with the one thing that is promised of it. */
import { gzipSync } from "node:zlib";
import {
	type Act,
	chunked,
	delta,
	done,
	finish,
	good,
	head,
	lastChunk,
	response,
	upstreamKey,
	usageEvent,
	type Way,
} from "./world.ts";

export interface UpstreamFault {
	readonly name: string;
	/** What is promised, in words for the table. */
	readonly promised: string;
	readonly act: Act;
	/** What may be seen in every way of asking, or in one. */
	readonly expected: RegExp | Readonly<Partial<Record<Way, RegExp>>>;
	/** The model to ask for, when it is not the one that leads to the bare sockets. */
	readonly model?: string;
	/** Looks at what the token was charged, in dollars. */
	readonly charged?: (used: number) => boolean;
}

const answered = /^answered$/;
const refused = /^(502|504|503)$/;
/** A status before anything was sent, an error in the protocol's own words after. */
const failed = /^(502|504|503|error event)$/;
const eventStream = "text/event-stream";

const part = (stream: boolean): string => (stream ? delta("Hel") : '{"id":"c","choices":[{"index":0,"mess');
const typeOf = (stream: boolean): string => (stream ? eventStream : "application/json");

/** A good answer, changed as text. */
const changed =
	(change: (text: string) => string | Uint8Array): Act =>
	(socket, { stream }) => {
		const { type, text } = good(stream);
		socket.write(response(type, change(text)));
	};

const withUsage =
	(prompt: number, completed: number): Act =>
	(socket, { stream }) => {
		const whole = good(false).text.replace(
			/"usage":\{[^}]*\}/,
			`"usage":{"prompt_tokens":${prompt},"completion_tokens":${completed},"total_tokens":${prompt + completed}}`,
		);
		const text = stream ? delta("Hel") + delta("lo") + finish + usageEvent(prompt, completed) + done : whole;
		socket.write(response(typeOf(stream), text));
	};

const limited =
	(retryAfter: string): Act =>
	(socket) => {
		socket.write(
			response(
				"application/json",
				'{"error":{"message":"slow down","type":"rate_limit_error"}}',
				"429 Too Many Requests",
				{ "Retry-After": retryAfter },
			),
		);
	};

/** Made once: making it takes as long as sending it. */
const tinyEvents = response(eventStream, delta("x").repeat(100_000) + finish + done);

export const upstreamFaults: readonly UpstreamFault[] = [
	{ name: "connection refused", promised: "502", act: () => undefined, model: "closed", expected: /^502$/ },
	{ name: "name that does not resolve", promised: "502", act: () => undefined, model: "nowhere", expected: /^502$/ },
	{
		name: "TLS handshake with something that speaks none",
		promised: "502 or 504",
		act: () => undefined,
		model: "tls",
		expected: refused,
	},
	{ name: "accepts, then silence", promised: "504 at firstByteSeconds", act: () => undefined, expected: /^504$/ },
	{
		name: "headers, then silence",
		promised: "an error after idleSeconds",
		act: (socket, { stream }) =>
			void socket.write(head("200 OK", { "Content-Type": typeOf(stream), "Transfer-Encoding": "chunked" })),
		expected: failed,
	},
	{
		name: "an event, then silence",
		promised: "an error after idleSeconds",
		act: (socket, { stream }) => void socket.write(chunked(typeOf(stream), [part(stream)])),
		expected: failed,
	},
	{
		name: "one byte at a time",
		promised: "answered",
		act(socket, { stream }) {
			const { type, text } = good(stream);
			const bytes = response(type, text);
			let at = 0;
			const step = (): void => {
				if (at >= bytes.length || socket.destroyed) return;
				socket.write(bytes.subarray(at, ++at), () => setImmediate(step));
			};
			step();
		},
		expected: answered,
	},
	{ name: "reset before headers", promised: "502", act: (socket) => void socket.resetAndDestroy(), expected: /^502$/ },
	{ name: "closed before headers", promised: "502", act: (socket) => void socket.end(), expected: /^502$/ },
	{
		name: "reset in the middle of the headers",
		promised: "502",
		act: (socket) =>
			void socket.write("HTTP/1.1 200 OK\r\nContent-Ty", () => setImmediate(() => socket.resetAndDestroy())),
		expected: /^502$/,
	},
	{
		name: "reset in the middle of the body",
		promised: "an error, nothing repeated",
		act: (socket, { stream }) =>
			void socket.write(chunked(typeOf(stream), [`${part(stream)}data: {"cho`]), () =>
				setTimeout(() => socket.resetAndDestroy(), 20),
			),
		expected: failed,
	},
	{
		name: "reset between events",
		promised: "an error, nothing repeated",
		act: (socket, { stream }) =>
			void socket.write(chunked(typeOf(stream), [part(stream)]), () => setTimeout(() => socket.resetAndDestroy(), 20)),
		expected: failed,
	},
	{
		name: "a clean end without the terminal event",
		promised: "an error, never a truncated success",
		act: (socket, { stream }) =>
			void socket.write(Buffer.concat([chunked(typeOf(stream), [part(stream)]), Buffer.from(lastChunk)])),
		expected: failed,
	},
	{
		name: "truncated, with the connection's close as the end",
		promised: "an error, never a truncated success",
		act: (socket, { stream }) =>
			void socket.end(head("200 OK", { "Content-Type": typeOf(stream), Connection: "close" }) + part(stream)),
		expected: failed,
	},
	{
		name: "content-length larger than the body",
		promised: "an error",
		act: (socket, { stream }) =>
			void socket.end(head("200 OK", { "Content-Type": typeOf(stream), "Content-Length": 100_000 }) + part(stream)),
		expected: failed,
	},
	{
		name: "content-length smaller than the body",
		promised: "an error",
		act: (socket, { stream }) =>
			void socket.end(head("200 OK", { "Content-Type": typeOf(stream), "Content-Length": 20 }) + good(stream).text),
		expected: failed,
	},
	{
		name: "a garbage status line",
		promised: "502 or 504",
		act: (socket) => void socket.write("HELLO WHAT\r\n\r\n"),
		expected: refused,
	},
	{
		name: "a status line of another protocol",
		promised: "502 or 504",
		act: (socket) => void socket.write("SSH-2.0-OpenSSH_9\r\n"),
		expected: refused,
	},
	{
		name: "a header line of 1 MB",
		promised: "an error: what never comes is given up",
		act: (socket) => void socket.write(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(1_000_000)}\r\n\r\n`),
		expected: failed,
	},
	{
		name: "a gzip bomb: 50 MB out of 50 KB",
		promised: "502 at answerLimitBytes, or an error event",
		act(socket, { stream }) {
			const bomb = gzipSync(Buffer.alloc(50_000_000, stream ? "data: xxxxx" : " "));
			socket.write(response(typeOf(stream), bomb, "200 OK", { "Content-Encoding": "gzip" }));
		},
		expected: failed,
	},
	{
		name: "gzip where none was asked for",
		promised: "answered",
		act: (socket, { stream }) =>
			void socket.write(
				response(typeOf(stream), gzipSync(good(stream).text), "200 OK", { "Content-Encoding": "gzip" }),
			),
		expected: answered,
	},
	{
		name: "invalid UTF-8, split across chunks",
		promised: "answered, the bad bytes replaced",
		act(socket, { stream }) {
			const bytes = Buffer.from(good(stream).text.replace("Hel", "H\u00e9\u00e9l"));
			const at = bytes.indexOf(0xc3) + 1;
			bytes[bytes.lastIndexOf(0xc3) + 1] = 0x20;
			socket.write(chunked(typeOf(stream), [bytes.subarray(0, at), bytes.subarray(at)]));
			socket.write(lastChunk);
		},
		expected: answered,
	},
	{
		name: "CR, LF and CRLF mixed",
		promised: "answered",
		act: changed((text) => {
			let line = 0;
			return text.startsWith("data")
				? text.replace(/\n\n/g, () => ["\r\n\r\n", "\r\r", "\n\n"][line++ % 3] ?? "")
				: text;
		}),
		expected: {
			"chat stream": answered,
			"messages stream": answered,
			"gemini stream": answered,
			"chat whole": answered,
		},
	},
	{ name: "a byte order mark", promised: "answered", act: changed((text) => `\ufeff${text}`), expected: answered },
	{
		name: "comments and unknown fields between events",
		promised: "answered",
		act: changed((text) =>
			text.startsWith("data") ? text.replace(/^data/gm, ": hello\nretry: 10\nfoo: bar\ndata") : text,
		),
		expected: answered,
	},
	{
		name: "an event of 10 MB",
		promised: "an error at answerLimitBytes",
		act: (socket, { stream }) =>
			void socket.write(
				response(
					typeOf(stream),
					stream ? delta("x".repeat(10_000_000)) : good(false).text.replace("Hello", "x".repeat(10_000_000)),
				),
			),
		expected: failed,
	},
	{
		name: "100,000 tiny events",
		promised: "cut at the bound of the quota, with the protocol's own end",
		act(socket, { stream }) {
			if (!stream) return void socket.write(response("application/json", good(false).text));
			socket.write(tinyEvents);
		},
		expected: answered,
	},
	{
		name: "events after the end",
		promised: "answered; charged once",
		act: (socket, { stream }) =>
			void socket.write(
				response(
					typeOf(stream),
					stream ? `${good(true).text}${delta("more")}${usageEvent(100, 100)}` : good(false).text,
				),
			),
		expected: answered,
	},
	{
		name: "usage missing",
		promised: "answered, charged by estimate",
		act: changed((text) => text.replace(/,?"usage":\{[^}]*\}/, "")),
		expected: answered,
		charged: (used) => used > 0,
	},
	{
		name: "usage negative",
		promised: "answered, never a credit",
		act: withUsage(-5, -1000),
		expected: answered,
		charged: (used) => used >= 0,
	},
	{
		name: "usage beyond what was held",
		promised: "answered, charged no more than was held",
		act: withUsage(10, 1_000_000_000),
		expected: answered,
		charged: (used) => used <= 0.05,
	},
	{
		name: "usage that is no number",
		promised: "answered",
		act: changed((text) => text.replace(/"prompt_tokens":5/, '"prompt_tokens":"many"')),
		expected: answered,
	},
	{
		name: "200 with an error in it",
		promised: "an error status",
		act: (socket, { stream }) =>
			void socket.write(
				response(
					stream ? eventStream : "application/json",
					`${stream ? "data: " : ""}{"error":{"message":"overloaded","type":"server_error"}}${stream ? "\n\n" : ""}`,
				),
			),
		expected: /^(502|503)$/,
		charged: (used) => used === 0,
	},
	{
		name: "an error as an event in mid-stream",
		promised: "an error event, in the client's protocol",
		act: (socket, { stream }) =>
			void socket.write(
				response(
					typeOf(stream),
					stream ? `${delta("Hel")}data: {"error":{"message":"overloaded","type":"server_error"}}\n\n` : "",
				),
			),
		expected: failed,
	},
	{
		name: "an error in mid-stream that repeats Portico's key and the upstream's address",
		promised: "an error event, without them",
		act: (socket, { stream }) =>
			void socket.write(
				response(
					typeOf(stream),
					`${stream ? `${delta("Hel")}data: ` : ""}{"error":{"message":"bad key ${upstreamKey}, bad host 127.0.0.1:${socket.localPort}","type":"server_error"}}${stream ? "\n\n" : ""}`,
				),
			),
		expected: failed,
	},
	{ name: "429, retry-after in seconds", promised: "429", act: limited("3600"), expected: /^429$/ },
	{
		name: "429, retry-after as a date",
		promised: "429",
		act: limited("Fri, 01 Jan 2100 00:00:00 GMT"),
		expected: /^429$/,
	},
	{ name: "429, retry-after garbage", promised: "429", act: limited("soon, -1; NaN"), expected: /^429$/ },
	...[301, 302, 307, 308].map(
		(status): UpstreamFault => ({
			name: `${status} to an address inside`,
			promised: "502, nothing followed",
			act: (socket) =>
				void socket.write(head(`${status} Moved`, { Location: "http://169.254.169.254/latest", "Content-Length": 0 })),
			expected: /^502$/,
		}),
	),
	{
		name: "100 Continue first",
		promised: "answered",
		act: (socket, { stream }) =>
			void socket.write(
				Buffer.concat([Buffer.from("HTTP/1.1 100 Continue\r\n\r\n"), response(typeOf(stream), good(stream).text)]),
			),
		expected: answered,
	},
	{
		name: "103 Early Hints first",
		promised: "answered",
		act: (socket, { stream }) =>
			void socket.write(
				Buffer.concat([
					Buffer.from("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
					response(typeOf(stream), good(stream).text),
				]),
			),
		expected: answered,
	},
	{
		name: "204 without a body",
		promised: "502",
		act: (socket) => void socket.write(head("204 No Content")),
		expected: /^502$/,
	},
	{
		name: "200 with an empty body",
		promised: "502",
		act: (socket, { stream }) => void socket.write(response(typeOf(stream), "")),
		expected: /^502$/,
	},
	{
		name: "502 as HTML",
		promised: "502 or 503, in JSON",
		act: (socket) =>
			void socket.write(response("text/html", "<html><h1>502 Bad Gateway</h1></html>", "502 Bad Gateway")),
		expected: /^(502|503)$/,
	},
	{
		name: "200 as HTML",
		promised: "502",
		act: (socket) => void socket.write(response("text/html", "<html>Log in</html>")),
		expected: /^502$/,
	},
	{
		name: "JSON that is none",
		promised: "an error where it is read; passed on as it came where it is not",
		act: (socket, { stream }) =>
			void socket.write(response(typeOf(stream), stream ? "data: {nonsense\n\ndata: [DONE]\n\n" : "{nonsense")),
		expected: {
			"chat stream": /^(answered|error event|502)$/,
			"chat whole": failed,
			"messages stream": failed,
			"gemini stream": failed,
		},
	},
	{
		name: "JSON of another kind",
		promised: "an error",
		act: (socket, { stream }) =>
			void socket.write(response(typeOf(stream), stream ? "data: [1,2]\n\ndata: null\n\n" : "[]")),
		expected: failed,
	},
	{
		name: "an error status whose words never end",
		promised: "the status, after 64 KB",
		act: (socket) =>
			void socket.write(
				`${head("500 Error", { "Content-Type": "application/json", "Transfer-Encoding": "chunked" })}30d40\r\n${"x".repeat(200_000)}\r\n`,
			),
		expected: failed,
	},
	{
		name: "500 whose body is reset",
		promised: "502 or 503",
		act: (socket) =>
			void socket.write(
				head("500 Internal Server Error", { "Content-Type": "application/json", "Content-Length": 1000 }),
				() => setTimeout(() => socket.resetAndDestroy(), 20),
			),
		expected: /^(502|503)$/,
	},
	{
		name: "a stream where one piece was asked for, and the reverse",
		promised: "answered in the form asked for",
		act(socket, { stream }) {
			const { type, text } = good(!stream);
			socket.write(response(type, text));
		},
		expected: answered,
	},
	{
		name: "a kept connection closed as it is used again",
		promised: "answered, on a new one",
		act(socket, { stream, nth }) {
			if (nth > 1) return void socket.resetAndDestroy();
			const { type, text } = good(stream);
			socket.write(response(type, text));
		},
		expected: answered,
	},
	{
		name: "401 for Portico's own key",
		promised: "502: the client's key is not at fault",
		act: (socket) =>
			void socket.write(
				response(
					"application/json",
					'{"error":{"message":"Incorrect API key upstream-secret-8812","type":"invalid_request_error","code":"invalid_api_key"}}',
					"401 Unauthorized",
				),
			),
		expected: /^502$/,
	},
];
