/** The checks that follow every fault see what they are there for. */
import { expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import type { Received } from "../support/receiver.ts";
import { complaintsOf } from "./journey.ts";
import { watchResources } from "./resources.ts";

const listening = async (): Promise<{ port: number; close(): void }> => {
	const accepted: Socket[] = [];
	const server = createServer((socket) => accepted.push(socket));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : 0,
		close() {
			for (const socket of accepted) socket.destroy();
			server.close();
		},
	};
};

/** More than what earlier tests of this process may still give up meanwhile. */
const many = 60;

test("sockets, files and memory that stay are seen, and are not once they are gone", async () => {
	const server = await listening();
	const resources = watchResources();
	expect(await resources()).toEqual([]);
	const sockets = await Promise.all(
		Array.from(
			{ length: many },
			() =>
				new Promise<Socket>((resolve) => {
					const socket = connect(server.port, "127.0.0.1", () => resolve(socket));
				}),
		),
	);
	expect(await resources()).toEqual([expect.stringMatching(/^INV7: \d+ sockets are open/)]);
	for (const socket of sockets) socket.destroy();
	expect(await resources()).toEqual([]);
	const files = await Promise.all(Array.from({ length: many }, () => open(import.meta.path)));
	const told = await resources();
	for (const file of files) await file.close();
	expect(told).toEqual([expect.stringContaining("checks.long.ts")]);
	const kept = Array.from({ length: 200_000 }, (_, index) => ({ index, text: `${index}`.repeat(8) }));
	expect(await resources()).toEqual([expect.stringMatching(/^INV7: \d+ MB in memory/)]);
	expect(kept).toHaveLength(200_000);
	server.close();
}, 30_000);

const callback = (status: string, sequence: number, attempt = 1): Received => ({
	method: "POST",
	path: "/hook",
	headers: { "webhook-id": `msg_${status}`, "x-event-seq": String(sequence), "x-delivery-attempt": String(attempt) },
	body: Buffer.from(JSON.stringify({ status })),
	at: 0,
});
const all = [callback("NOT_START", 1), callback("IN_PROGRESS", 2), callback("SUCCESS", 3)] as const;

test("callbacks that come twice are well; those that are missing, late or sent too often are not", () => {
	expect(complaintsOf(all)).toEqual([]);
	expect(complaintsOf([...all, callback("SUCCESS", 3, 2)])).toEqual([]);
	expect(complaintsOf(all.slice(0, 2))).toEqual(["INV5: callbacks told NOT_START,IN_PROGRESS"]);
	expect(complaintsOf([all[0], all[2], all[1]])).toContain("INV5: out of order: 1,3,2");
	expect(complaintsOf([...all, callback("SUCCESS", 3, 5)])).toEqual(["INV5: 5 attempts"]);
	expect(complaintsOf([])).toContain("INV5: callbacks told nothing");
});
