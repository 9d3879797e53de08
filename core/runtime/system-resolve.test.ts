import { afterEach, beforeEach, expect, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import { getServers, setServers } from "node:dns";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createResolve } from "./system-resolve.ts";

const before = getServers();
let server: Socket;
let folder: string;

/** Answers `A` with 192.0.2.7 for every name, and nothing at all where the name says that it hangs. */
const startNameServer = async (): Promise<Socket> => {
	const socket = createSocket("udp4");
	socket.on("message", (question, { port, address }) => {
		const end = question.indexOf(0, 12) + 5;
		const asked = question.subarray(12, end);
		if (asked.includes("hangs")) return;
		const isForIpv4 = question.readUInt16BE(end - 4) === 1;
		const head = Buffer.concat([
			question.subarray(0, 2),
			Buffer.from([0x81, 0x80, 0, 1, 0, Number(isForIpv4), 0, 0, 0, 0]),
		]);
		const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 7]);
		socket.send(Buffer.concat([head, asked, ...(isForIpv4 ? [answer] : [])]), port, address);
	});
	socket.bind(0, "127.0.0.1");
	await once(socket, "listening");
	return socket;
};

beforeEach(async () => {
	server = await startNameServer();
	setServers([`127.0.0.1:${server.address().port}`]);
	folder = mkdtempSync(join(tmpdir(), "portico-names-"));
	writeFileSync(join(folder, "resolv.conf"), "nameserver 192.0.2.1\n");
});

afterEach(() => {
	setServers(before);
	server.close();
	rmSync(folder, { recursive: true });
});

test("names whose servers hang keep no other name waiting", async () => {
	const resolve = createResolve(join(folder, "resolv.conf"));
	const hanging = Array.from({ length: 40 }, (_, index) => resolve(`r${index}.hangs.example`).catch(() => "none"));
	const answered = resolve("receiver.example");
	expect(await Promise.race([answered, ...hanging])).toEqual(["192.0.2.7"]);
});

test("the hosts file counts, and who has no address is refused", async () => {
	const resolve = createResolve(join(folder, "resolv.conf"));
	expect(await resolve("localhost")).toContain("127.0.0.1");
	expect(resolve("a..b")).rejects.toThrow();
});

test("another network's name servers are asked from then on", async () => {
	const file = join(folder, "resolv.conf");
	const resolve = createResolve(file);
	await resolve("localhost");
	expect(getServers()).toEqual([`127.0.0.1:${server.address().port}`]);

	const text =
		"# of this network\nsearch example\nnameserver 192.0.2.53 # first\n  nameserver 2001:db8::53\nnameserver none\n";
	writeFileSync(file, text);
	await resolve("localhost");
	expect(getServers()).toEqual(["192.0.2.53", "2001:db8::53"]);

	rmSync(file);
	await resolve("localhost");
	expect(getServers()).toEqual(["192.0.2.53", "2001:db8::53"]);
});
