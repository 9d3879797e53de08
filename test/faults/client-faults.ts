/** What clients do wrong, over bare sockets. */
import { connect, type Socket } from "node:net";
import { until } from "./until.ts";
import { chunked, delta, good, response, type World } from "./world.ts";

interface ClientFault {
	readonly name: string;
	readonly promised: string;
	readonly expected: RegExp;
	/** Does it; gives what was seen. */
	run(world: World, token: { readonly key: string }): Promise<string>;
}

const path = "/v1/chat/completions";
const turn = (milliseconds = 2): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Client {
	readonly socket: Socket;
	text(): string;
	readonly closed: Promise<void>;
}

const dial = (world: World, first: string): Client => {
	let text = "";
	const socket = connect(Number(new URL(world.gateway.url).port), "127.0.0.1", () => socket.write(first));
	socket.on("data", (data) => {
		text += String(data);
	});
	socket.on("error", () => undefined);
	return { socket, text: () => text, closed: new Promise((resolve) => socket.on("close", () => resolve())) };
};

const request = (key: string, body: object, more = ""): string => {
	const text = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello" }], ...body });
	return `POST ${path} HTTP/1.1\r\nHost: localhost:1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n${more}\r\n${text}`;
};
const headOf = (key: string, length: number): string =>
	`POST ${path} HTTP/1.1\r\nHost: localhost:1\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const open = (world: World): number => world.gateway.portico.openCalls();

export const clientFaults: readonly ClientFault[] = [
	{
		name: "leaves before the upstream answers",
		promised: "the upstream is let go, nothing stays open",
		expected: /^upstream let go, call over$/,
		async run(world, { key }) {
			world.act(() => undefined);
			const { socket } = dial(world, request(key, {}));
			await until(() => world.sockets() === 1);
			socket.destroy();
			const gone = await until(() => world.sockets() === 0);
			return `${gone ? "upstream let go" : "UPSTREAM HELD"}, ${(await until(() => open(world) === 0)) ? "call over" : "CALL OPEN"}`;
		},
	},
	{
		name: "leaves in the middle of a stream",
		promised: "the upstream is let go, what was delivered is charged",
		expected: /^upstream let go, call over$/,
		async run(world, { key }) {
			world.act((socket) => void socket.write(chunked("text/event-stream", [delta("Hel")])));
			const { socket, text } = dial(world, request(key, { stream: true }));
			await until(() => text().includes("Hel"));
			socket.resetAndDestroy();
			const gone = await until(() => world.sockets() === 0);
			return `${gone ? "upstream let go" : "UPSTREAM HELD"}, ${(await until(() => open(world) === 0)) ? "call over" : "CALL OPEN"}`;
		},
	},
	{
		name: "does not read",
		promised: "let go after idleSeconds",
		expected: /^call over$/,
		async run(world, { key }) {
			const event = delta("x".repeat(100_000));
			world.act((socket) => {
				socket.write(chunked("text/event-stream", [delta("a")]));
				const more = (): void => {
					if (!socket.destroyed) socket.write(`${event.length.toString(16)}\r\n${event}\r\n`, () => setImmediate(more));
				};
				more();
			});
			// Without a quota's bound: the stream would be cut at it.
			const { socket } = dial(world, request(world.gateway.key, { stream: true, user: key.slice(0, 4) }));
			socket.pause();
			await until(() => open(world) === 1);
			for (let look = 0; look < 300 && open(world) > 0; look++) await turn(20);
			const over = open(world) === 0;
			socket.destroy();
			return over ? "call over" : "CALL OPEN";
		},
	},
	{
		name: "drips its body",
		promised: "408 after bodySeconds, connection closed",
		expected: /^HTTP\/1.1 408/,
		async run(world, { key }) {
			const { socket, text, closed } = dial(world, `${headOf(key, 1000)}{`);
			const drip = setInterval(() => socket.write(" "), 50);
			await closed;
			clearInterval(drip);
			return text();
		},
	},
	{
		name: "resets in the middle of its body",
		promised: "nothing stays open",
		expected: /^call over$/,
		async run(world, { key }) {
			const { socket } = dial(world, `${headOf(key, 1000)}{`);
			await until(() => open(world) === 1);
			socket.resetAndDestroy();
			return (await until(() => open(world) === 0)) ? "call over" : "CALL OPEN";
		},
	},
	{
		name: "closes its side after the request",
		promised: "answered or let go, nothing stays open",
		expected: /^call over$/,
		async run(world, { key }) {
			world.act((socket, { stream }) => void socket.write(response("application/json", good(stream).text)));
			const { socket, closed } = dial(world, request(key, {}));
			socket.end();
			await Promise.race([closed, turn(1000)]);
			socket.destroy();
			return (await until(() => open(world) === 0)) ? "call over" : "CALL OPEN";
		},
	},
	{
		name: "pipelines three requests",
		promised: "answers in order, or the connection closed by the runtime",
		expected: /^(200,404,200|closed)$/,
		async run(world, { key }) {
			world.act((socket, { stream }) => void socket.write(response("application/json", good(stream).text)));
			const { socket, text, closed } = dial(
				world,
				request(key, {}) + request(key, { model: "none" }) + request(key, {}),
			);
			const statuses = (): string[] => [...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? "");
			await Promise.race([closed, until(() => statuses().length === 3)]);
			socket.destroy();
			return statuses().join(",") || "closed";
		},
	},
	{
		name: "opens 500 connections and says nothing",
		promised: "others are answered",
		expected: /^answered$/,
		async run(world, { key }) {
			const idle = Array.from({ length: 500 }, () => dial(world, ""));
			world.act((socket, { stream }) => void socket.write(response("application/json", good(stream).text)));
			const seen = await world.ask("chat whole", key);
			for (const { socket } of idle) socket.destroy();
			return seen;
		},
	},
	...(
		[
			["bytes that are no HTTP", "\u0000\u0001\u0002 nonsense\r\n\r\n"],
			["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
			["a TLS greeting", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
			[
				"content-length and chunked together",
				`POST ${path} HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
			],
			[
				"two lengths that differ",
				`POST ${path} HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello`,
			],
			[
				"a chunk whose size is no number",
				`POST ${path} HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n`,
			],
			["no Host", `POST ${path} HTTP/1.1\r\nContent-Length: 0\r\n\r\n`],
			["a Host with a path", `GET /admin/tokens HTTP/1.1\r\nHost: x/admin?\r\n\r\n`],
		] as const
	).map(
		([name, bytes]): ClientFault => ({
			name: `sends ${name}`,
			promised: "400 or closed",
			expected: /^(HTTP\/1.1 (400|401|404)|closed)/,
			async run(world) {
				const { socket, text, closed } = dial(world, bytes);
				await Promise.race([closed, until(() => text() !== ""), turn(500).then(() => socket.end())]);
				socket.destroy();
				return text() || "closed";
			},
		}),
	),
];
