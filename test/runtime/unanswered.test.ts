/** Why an upstream gave no answer: each runtime's `fetch` says it in its own way, and what was never sent is never charged. */
import assert from "node:assert/strict";
import { createServer, type Server, type Socket } from "node:net";
import { after, test } from "node:test";
import { isUnsent, unansweredCode } from "../../core/errors/unanswered.ts";

const servers: Server[] = [];

const serve = async (answer: (socket: Socket) => void): Promise<string> => {
	const server = createServer((socket) => {
		socket.on("error", () => undefined);
		socket.once("data", () => answer(socket));
	});
	servers.push(server);
	await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
	const address = server.address();
	return `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
};

after(() => {
	for (const server of servers) server.close();
});

const codeAt = async (url: string): Promise<string | undefined> => {
	try {
		await fetch(url, { method: "POST", body: "{}" });
	} catch (error) {
		return unansweredCode(error);
	}
	return "answered";
};

test("before anything was sent", async () => {
	const gone = await serve(() => undefined);
	await new Promise((closed) => servers.pop()?.close(closed));
	const plain = await serve((socket) => void socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"));
	const codes = [
		await codeAt(`http://${gone}/`),
		await codeAt("http://nowhere.invalid/"),
		await codeAt(`https://${plain}/`),
	];
	assert.deepEqual(codes, ["ECONNREFUSED", "ENOTFOUND", "EPROTO"]);
	for (const code of codes) assert.ok(isUnsent(code ?? ""));
});

test("after that", async () => {
	const ends = await serve((socket) => void socket.end());
	const code = await codeAt(`http://${ends}/`);
	assert.equal(code, "ECONNRESET");
	assert.ok(!isUnsent(code));
});
