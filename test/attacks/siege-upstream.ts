/** An upstream of the siege: what it answers, the end of the asked model's name says. */
import { createServer, type Server, type Socket } from "node:net";
import { answers } from "../support/upstream-answers.ts";
import type { AttackProtocol } from "./world.ts";

const counts = { input: 10, output: 5, reasoning: 2 };
const eventStream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/** Writes without end, as fast as it is taken. */
export const pour = (socket: Socket, bytes: string | Buffer): void => {
	while (!socket.destroyed) {
		if (socket.write(bytes)) continue;
		socket.once("drain", () => setImmediate(() => pour(socket, bytes)));
		return;
	}
};

const json = (value: unknown): string => {
	const text = JSON.stringify(value);
	return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
};

let made = 0;
const whole = (protocol: AttackProtocol): object => ({
	...answers[protocol].whole("Good.", counts),
	...(protocol === "responses" && { id: `resp_${++made}` }),
});

/** By the end of the model's name. */
const manners: Readonly<Record<string, (socket: Socket, protocol: AttackProtocol) => void>> = {
	fast(socket, protocol) {
		const { opening, word } = answers[protocol];
		socket.write(eventStream + opening(counts));
		pour(socket, Buffer.from(word("x".repeat(200)).repeat(200)));
	},
	held(socket, protocol) {
		const { opening, word } = answers[protocol];
		socket.write(eventStream + opening(counts) + word("FIRST"));
	},
	endless(socket, protocol) {
		socket.write(`${eventStream}${answers[protocol].opening(counts)}data: `);
		pour(socket, "x".repeat(64 * 1024));
	},
	streamed(socket, protocol) {
		const { opening, word, finish, count } = answers[protocol];
		socket.end(eventStream + opening(counts) + word("Good.").repeat(5) + finish(counts) + count(counts));
	},
};

const protocolAt = (path: string): AttackProtocol =>
	path.includes("/chat/")
		? "chat-completions"
		: path.includes("/messages")
			? "messages"
			: path.includes("/responses")
				? "responses"
				: "generate-content";

/** A request is answered once all of it is there; what it asks for stands at its beginning. */
const answerTo = (socket: Socket): void => {
	let head = "";
	let left: number | undefined;
	socket.on("error", () => undefined);
	socket.on("data", (bytes) => {
		if (left === 0) return;
		if (head.length < 8192) head += bytes.toString("latin1");
		const end = head.indexOf("\r\n\r\n");
		if (left === undefined && end === -1) return;
		left ??= Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0) + end + 4;
		left = Math.max(0, left - bytes.length);
		if (left > 0) return;
		const [, path = ""] = head.split(" ", 2);
		const protocol = protocolAt(path);
		const manner = /(?:"model": *"|\/models\/)[\w-]+-(\w+)/.exec(head)?.[1] ?? "";
		const answer = manners[manner];
		if (answer) answer(socket, protocol);
		else socket.end(json(whole(protocol)));
	});
};

export const startSiegeUpstream = (): Promise<{ readonly url: string; readonly server: Server }> =>
	new Promise((resolve, reject) => {
		const server = createServer(answerTo);
		server.once("error", reject);
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			if (address === null || typeof address === "string") reject(new Error("no port"));
			else resolve({ url: `http://127.0.0.1:${address.port}`, server });
		});
	});
