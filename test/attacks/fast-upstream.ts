/**
 * A process of its own: an upstream that streams without end and as fast as it can, and clients that ask for that and do
 * not read. In the process of the gateway they would hold it up themselves.
 */
import { connect, createServer, type Socket } from "node:net";
import { postHead } from "./raw-client.ts";

export interface Order {
	readonly url: string;
	readonly key: string;
	readonly path: string;
	readonly body: string;
	readonly clients: number;
}

const delta = { content: "x".repeat(200) };
const event = `data: ${JSON.stringify({
	id: "c",
	object: "chat.completion.chunk",
	created: 1,
	model: "m",
	choices: [{ index: 0, delta, finish_reason: null }],
})}\n\n`;
const block = Buffer.from(event.repeat(Math.ceil(65_536 / event.length)));

const pour = (socket: Socket): void => {
	while (!socket.destroyed) {
		if (socket.write(block)) continue;
		socket.once("drain", () => setImmediate(() => pour(socket)));
		return;
	}
};

const upstream = createServer((socket) => {
	socket.on("error", () => undefined);
	socket.once("data", () => {
		socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n");
		pour(socket);
	});
});
upstream.listen(0, "127.0.0.1", () => {
	const address = upstream.address();
	process.send?.({ port: typeof address === "object" ? address?.port : undefined });
});

process.on("message", ({ url, key, path, body, clients }: Order) => {
	const { hostname, port } = new URL(url);
	for (let number = 0; number < clients; number++) {
		const socket = connect(Number(port), hostname, () => socket.write(postHead(path, key, body.length) + body));
		socket.on("error", () => undefined);
		socket.pause();
	}
});
