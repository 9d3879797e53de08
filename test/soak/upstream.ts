/**
 * The upstream of a soak, a program of its own: answers in the protocol it is asked in, and misbehaves where the words of
 * a request name a fault (`fault:reset`). Prints `listening PORT`; on SIGUSR2 it closes every connection, so that what
 * Portico keeps open by itself can be told from what it keeps open for later calls.
 */
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { answers, type ProtocolName } from "./answers.ts";

/** Between two words of a stream, milliseconds. */
const wordMs = 4;
const slowMs = 300;

const protocolOf = (path: string): ProtocolName => {
	if (path.endsWith("/messages")) return "messages";
	if (path.endsWith("/responses")) return "responses";
	return path.includes("enerateContent") ? "generate-content" : "chat-completions";
};

const json = (response: ServerResponse, status: number, text: string): void => {
	response.writeHead(status, { "content-type": "application/json" }).end(text);
};

/** Faults in place of an answer. */
const instead: Readonly<Record<string, (response: ServerResponse) => void>> = {
	reset: (response) => response.socket?.resetAndDestroy(),
	html: (response) => void response.writeHead(500, { "content-type": "text/html" }).end("<html>"),
	overloaded: (response) => json(response, 529, '{"error":{"type":"overloaded_error","message":"busy"}}'),
	nonsense: (response) => json(response, 200, "{"),
};

/** Faults after the first words of a stream; `silent` says nothing more until Portico gives up. */
const midway: Readonly<Record<string, (response: ServerResponse) => void>> = {
	"reset-midway": (response) => response.socket?.resetAndDestroy(),
	truncated: (response) => void response.end(),
	silent: () => undefined,
};

/** Every fault a request can name. */
const answer = async (response: ServerResponse, path: string, text: string): Promise<void> => {
	const fault = /fault:([a-z-]+)/.exec(text)?.[1] ?? "";
	const { whole, stream } = answers[protocolOf(path)];
	const streamed = /"stream":\s*true/.test(text) || path.includes("streamGenerateContent");
	if (fault === "slow") await pause(slowMs);
	const early = instead[fault];
	if (early) return early(response);
	const late = midway[fault];
	if (!streamed && !late) return json(response, 200, whole);
	response.writeHead(200, { "content-type": "text/event-stream" });
	response.write(stream.first);
	for (const [index, word] of stream.words.entries()) {
		await pause(wordMs);
		if (response.destroyed) return;
		if (late && index === 2) return late(response);
		response.write(word);
	}
	response.end(stream.last);
};

const server = createServer(async (request, response) => {
	response.on("error", () => undefined);
	let text = "";
	try {
		for await (const piece of request) text += String(piece);
		await answer(response, request.url ?? "", text);
	} catch {
		// Portico closed the connection in the middle: what it asked for is not wanted any more.
		response.destroy();
	}
});
const sockets = new Set<Socket>();
server.on("connection", (socket: Socket) => {
	sockets.add(socket);
	socket.on("close", () => sockets.delete(socket));
});
process.on("SIGUSR2", () => {
	for (const socket of sockets) socket.destroy();
});
server.on("clientError", (_, socket) => socket.destroy());
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	process.stdout.write(`listening ${typeof address === "object" && address !== null ? address.port : 0}\n`);
});
