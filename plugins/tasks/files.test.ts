import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asRecord, asText, sql } from "#core";
import { startGateway } from "#core/testing";
import { until } from "../../test/support/moved-clock.ts";
import { createFiles } from "./files.ts";
import { createLinks } from "./signed-links.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const links = createLinks(() => "a key of the tests");
const missing: string[] = [];
const files = createFiles({
	folder,
	links,
	withinTime: (_limit, given, work) => work(given),
	missed: (task) => void missing.push(task),
});
const id = `task_${"ab".repeat(16)}`;
const signal = new AbortController().signal;

test("public addresses are passed on, bytes are kept under a signed address", async () => {
	const result = await files.keep(
		id,
		"https://gateway.example",
		2_000_000,
		{
			files: [
				{ role: "image", mediaType: "image/png", url: "https://cdn.example/1.png" },
				{ role: "video", mediaType: "video/mp4", bytes: new Uint8Array([1, 2, 3]) },
				{ role: "audio", mediaType: "audio/odd", fetch: async () => new Uint8Array([4]) },
			],
			title: "T",
		},
		signal,
	);
	expect(result.title).toBe("T");
	expect(result.files.map(({ url }) => url.replace(/\?.*/, ""))).toEqual([
		"https://cdn.example/1.png",
		`https://gateway.example/v1/tasks/${id}/files/1.mp4`,
		`https://gateway.example/v1/tasks/${id}/files/2.bin`,
	]);
	const { searchParams } = new URL(result.files[1]?.url ?? "");
	expect(links.allows(id, "1.mp4", searchParams, 1_999_999)).toBe(true);
	expect(links.allows(id, "1.mp4", searchParams, 2_000_000)).toBe(false);
	expect(links.allows(id, "2.bin", searchParams, 0)).toBe(false);
	expect(createLinks(() => "another key").allows(id, "1.mp4", searchParams, 0)).toBe(false);
	const later = new URLSearchParams(searchParams);
	later.set("expires", "9999999999");
	expect(links.allows(id, "1.mp4", later, 0)).toBe(false);
});

test("a file that does not come leaves nothing half done", async () => {
	const other = `task_${"cd".repeat(16)}`;
	const broken = { role: "video", mediaType: "video/mp4", fetch: () => Promise.reject(new Error("gone")) };
	await expect(files.keep(other, "https://gateway.example", 1, { files: [broken] }, signal)).rejects.toThrow("gone");
	expect(await files.open(other, "0.mp4", null)).toBeUndefined();
	expect(missing).toEqual([other]);
	const empty = { ...broken, fetch: () => Promise.resolve(new Uint8Array(0)) };
	await expect(files.keep(other, "https://gateway.example", 1, { files: [empty] }, signal)).rejects.toThrow("empty");
});

test.each([
	["bytes=1-", 206, "2", "bytes 1-2/3"],
	["", 200, "3", null],
] as const)("whoever downloads it is told how long it is (%s)", async (range, status, length, part) => {
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: async (request) => (await files.open(id, "1.mp4", request.headers.get("range"))) ?? Response.error(),
	});
	const { status: code, headers } = await fetch(server.url, { headers: { range } });
	const told = ["content-length", "transfer-encoding", "content-range"].map((name) => headers.get(name));
	expect([code, ...told]).toEqual([status, length, null, part]);
	await server.stop(true);
});

test.each([
	["bytes=0-1", 206, "bytes 0-1/3", [1, 2]],
	["bytes=1-", 206, "bytes 1-2/3", [2, 3]],
	["bytes=-1", 206, "bytes 2-2/3", [3]],
	["bytes=0-99", 206, "bytes 0-2/3", [1, 2, 3]],
	["bytes=9-", 200, null, [1, 2, 3]],
	["lines=1-2", 200, null, [1, 2, 3]],
] as const)("the range %s", async (range, status, contentRange, bytes) => {
	const response = await files.open(id, "1.mp4", range);
	expect([response?.status, response?.headers.get("content-range")]).toEqual([status, contentRange]);
	expect([...new Uint8Array((await response?.arrayBuffer()) ?? new ArrayBuffer(0))]).toEqual([...bytes]);
});

test.each([
	["..", "1.mp4"],
	[id, "../1.mp4"],
	[id, "1.mp4.part"],
	[id, ""],
	["task_", "1.mp4"],
	[`${id}/..`, "1.mp4"],
])("%s/%s is no file of a task", async (task, file) => expect(await files.open(task, file, null)).toBeUndefined());

test("removed files are gone, and nothing else is", async () => {
	await files.remove("..");
	await files.remove(id);
	expect([existsSync(join(folder, id)), existsSync(folder)]).toEqual([false, true]);
});

test("the log tells of a task's file that is not here, as on the other of two nodes, and of no deleted task's", async () => {
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"tasks",
			{ use: "image", with: { defaultModel: "demo" } },
			{ use: "demo", with: { taskSeconds: 0 } },
		],
	});
	const made = await gateway.ask("/v1/images/generations", { prompt: "a cat", response_format: "url" });
	const [picture] = asList(asRecord(await made.json())["data"]);
	const address = asText(asRecord(picture)["url"]) ?? "";
	const [, task = ""] = /\/tasks\/(task_\w+)\//.exec(address) ?? [];
	const fetched = async (): Promise<number> => (await fetch(address)).status;
	const told = (): number =>
		gateway.log.filter(({ msg }) => msg === "a result file is not in this node's folder").length;
	expect(await fetched()).toBe(200);
	rmSync(join(gateway.folder, "tasks", task), { recursive: true });
	expect(await fetched()).toBe(404);
	expect(await (await fetch(address)).text()).toContain("content_gone");
	const { search } = new URL(address);
	expect(await (await fetch(address.replace(search, search.replace(/\w$/, "")))).text()).toContain("link is not valid");
	await until(() => told() > 0, "told");
	const before = told();
	await gateway.store.write([sql`DELETE FROM tasks`]);
	expect(await fetched()).toBe(404);
	await gateway.ask("/v1/tasks");
	expect(told()).toBe(before);
	await gateway.stop();
});
