import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { overNetwork } from "./admin-calls.ts";

const gone = (address: string) => `process 7 at ${address} is stopping, or does not answer; try again in a moment`;

test("a server that has gone is told in a sentence", async () => {
	const server = createServer();
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
	await new Promise((done) => server.close(done));
	await expect(overNetwork({ address, pid: 7 }, "t")).rejects.toThrow(gone(address));
});

test("one that takes the connection and says nothing is not waited for", async () => {
	const server = createServer();
	await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
	const address = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
	await expect(overNetwork({ address, pid: 7 }, "t", 50)).rejects.toThrow(gone(address));
	server.close();
});

test("one that stops between two answers is told so too, and a refusal stays its own", async () => {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ url }) =>
			url.endsWith("/livez")
				? Response.json({ status: "ok" })
				: Response.json({ error: { message: "no such token" } }, { status: 404 }),
	});
	const address = `http://127.0.0.1:${server.port}`;
	const call = await overNetwork({ address, pid: 7 }, "t");
	await expect(call("GET", "/admin/tokens/x")).rejects.toThrow("no such token");
	await server.stop(true);
	await expect(call("GET", "/admin/tokens/x")).rejects.toThrow(gone(address));
});

test("one that cannot do it now is told with the command that says why", async () => {
	const message = "the database did not answer; try again in a moment";
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ url }) => Response.json({ error: { message } }, { status: url.endsWith("/livez") ? 200 : 503 }),
	});
	const call = await overNetwork({ address: `http://127.0.0.1:${server.port}`, pid: 7 }, "t");
	await expect(call("GET", "/admin/tokens")).rejects.toThrow(`${message}; portico status says what is wrong`);
	await server.stop(true);
});

test("one that was given another admin token is told by what to do, and not by a header", async () => {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: ({ url }) =>
			Response.json({ error: { message: "a header" } }, { status: url.endsWith("/livez") ? 200 : 401 }),
	});
	const call = await overNetwork({ address: `http://127.0.0.1:${server.port}`, pid: 7 }, "t");
	await expect(call("GET", "/admin/tokens")).rejects.toThrow(
		"the PORTICO_ADMIN_TOKEN that the server was started with",
	);
	await server.stop(true);
});
