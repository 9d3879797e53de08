/** Ids in paths, queries and bodies: another token's task is answered as one that never was, and no id leads out of its place. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { asList, asRecord, asText } from "#core";
import { startTaskDoors, type TaskDoors } from "./task-dialects.ts";

let gateway: TaskDoors;
/** Tasks of one token, by kind, and the key of another. */
const theirs: Record<string, string> = {};
let strangerKey = "";

beforeAll(async () => {
	gateway = await startTaskDoors();
	for (const kind of ["image", "video", "music"]) {
		const response = await gateway.ask("/v1/tasks", { kind, prompt: "a cat", model: "dear" });
		theirs[kind] = asText(asRecord(await response.json())["id"]) ?? "";
	}
	strangerKey = (await gateway.token()).key;
});
afterAll(() => gateway.close());

const unknownId = `task_${"0".repeat(32)}`;

interface Door {
	readonly method?: string;
	readonly kind: string;
	readonly path: (id: string) => string;
	readonly body?: (id: string) => unknown;
	/** The status for the owner, so that the door is known to open. */
	readonly owner: number;
}

const change = { action: "UPSCALE", index: 1 };
const doors: readonly Door[] = [
	{ kind: "image", path: (id) => `/v1/tasks/${id}`, owner: 200 },
	{ kind: "image", path: (id) => `/v1/tasks/${id}/content`, owner: 400 },
	{ kind: "image", path: (id) => `/v1/tasks/${id}/deliveries`, owner: 200 },
	{ kind: "image", path: (id) => `/mj/task/${id}/fetch`, owner: 200 },
	{ kind: "image", path: (id) => `/mj-fast/task/${id}/fetch`, owner: 200 },
	{ kind: "image", path: (id) => `/v1/mj/task/${id}/image-seed`, owner: 400 },
	{ kind: "image", path: (id) => `/mj/image/${id}`, owner: 400 },
	{ kind: "image", path: () => "/mj/submit/change", body: (taskId) => ({ ...change, taskId }), owner: 400 },
	{ kind: "image", path: () => "/mj/submit/simple-change", body: (id) => ({ content: `${id} U1` }), owner: 400 },
	{ kind: "image", path: (id) => `/kling/v1/images/generations/${id}`, owner: 200 },
	{ kind: "video", path: (id) => `/v1/videos/${id}`, owner: 200 },
	{ kind: "video", path: (id) => `/v1/videos/${id}/content`, owner: 400 },
	{ kind: "video", path: (id) => `/v1/videos/${id}/remix`, body: () => ({ prompt: "more" }), owner: 400 },
	{ kind: "video", path: () => "/v1/videos/edits", body: (id) => ({ prompt: "more", video: { id } }), owner: 400 },
	{ kind: "video", path: () => "/v1/videos/extensions", body: (video) => ({ prompt: "more", video }), owner: 400 },
	{ kind: "video", method: "DELETE", path: (id) => `/v1/videos/${id}`, owner: 409 },
	{ kind: "video", path: (id) => `/v1/video/generations/${id}`, owner: 200 },
	{ kind: "video", path: (id) => `/v1/video/query?id=${id}`, owner: 200 },
	{ kind: "video", path: (id) => `/kling/v1/videos/text2video/${id}`, owner: 200 },
	{ kind: "video", path: (id) => `/v1beta/models/dear/operations/${id}`, owner: 200 },
	{ kind: "video", path: (id) => `/v1beta/files/${id.slice("task_".length)}:download`, owner: 400 },
	{ kind: "music", path: (id) => `/suno/fetch/${id}`, owner: 200 },
	{ kind: "music", path: (id) => `/suno/lyrics/${id}`, owner: 200 },
	{
		kind: "music",
		path: () => "/suno/submit/music",
		body: (id) => ({ prompt: "x", continue_clip_id: "c", task_id: id, mv: "dear" }),
		owner: 400,
	},
	// The last: it ends the task.
	{ kind: "image", path: (id) => `/mj/task/${id}/cancel`, body: () => ({}), owner: 200 },
	{ kind: "music", path: (id) => `/v1/tasks/${id}/cancel`, body: () => ({}), owner: 200 },
];

/** Asks at a door; what differs from call to call is left out of the answer. */
const knock = async (door: Door, id: string, key: string): Promise<{ status: number; text: string }> => {
	const body = door.body?.(id);
	const response = await fetch(gateway.url + door.path(id), {
		method: door.method ?? (body === undefined ? "GET" : "POST"),
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});
	const text = (await response.text()).replace(/"request_id":"[^"]*"/, '"request_id":""');
	return { status: response.status, text };
};

describe("another token's task is answered as one that never was:", () => {
	test.each(doors.map((door) => [`${door.method ?? ""} ${door.path("ID")}`, door] as const))("%s", async (_, door) => {
		const id = theirs[door.kind] ?? "";
		const stranger = await knock(door, id, strangerKey);
		expect(stranger.status).toBe(404);
		expect(stranger).toEqual(await knock(door, unknownId, strangerKey));
		expect(stranger).toEqual(await knock(door, unknownId, gateway.key));
		expect(stranger.text).not.toContain(id);
		expect((await knock(door, id, gateway.key)).status).toBe(door.owner);
	});

	test("in lists it is not there", async () => {
		const ids = Object.values(theirs);
		const headers = { authorization: `Bearer ${strangerKey}` };
		const json = async (path: string, body?: unknown): Promise<unknown> => {
			const response = await gateway.ask(path, body, { headers });
			expect(response.status).toBe(200);
			return response.json();
		};
		expect(await json("/mj/task/list-by-condition", { ids })).toEqual([]);
		expect(await json("/mj/task/list-by-ids", { ids })).toEqual([]);
		expect(await json("/suno/fetch", { ids })).toMatchObject({ data: [] });
		const feed = await gateway.ask(`/suno/feed/${ids.join(",")}`, undefined, { headers });
		expect(feed.status).toBe(404);
		for (const after of ids)
			for (const path of ["/v1/tasks", "/v1/videos", "/v1/deliveries"])
				expect(asRecord(await json(`${path}?after=${after}`))["data"]).toEqual([]);
		expect(asList(await json("/mj/task/queue"))).toEqual([]);
	});
});

/** As they stand in a path. */
const strange = [
	"%00",
	"task_%00",
	"%2e%2e%2f%2e%2e%2fadmin%2ftokens",
	"..%2f..%2fetc%2fpasswd",
	"%5c..%5c",
	"%25zz",
	"%2500",
	"'%20OR%201=1%20--",
	"%25",
	"*",
	"_",
	"%E2%80%AE%F0%9F%98%80",
	"x".repeat(10_000),
	"constructor",
	"__proto__",
	"0",
];

describe("an id that is none:", () => {
	test.each(strange.map((id) => [id.slice(0, 40), id] as const))(
		"%s is found nowhere, and breaks nothing",
		async (_, id) => {
			for (const door of doors.filter(({ body }) => body === undefined)) {
				const { status, text } = await knock({ ...door, path: () => door.path(id.padStart(5, "_")) }, id, gateway.key);
				expect({ at: door.path("ID"), status }).toEqual({ at: door.path("ID"), status: 404 });
				expect(() => JSON.parse(text)).not.toThrow();
			}
			const text = decodeURIComponent(id);
			for (const door of doors.filter(({ body, path }) => body !== undefined && path("ID") === path("OTHER")))
				expect((await knock(door, text, gateway.key)).status).toBeOneOf([400, 404]);
			const feed = await gateway.ask(`/suno/feed/${id}`);
			expect(feed.status).toBe(404);
			await feed.json();
			expect(
				(await gateway.ask(`/v1/tasks/${id}/files/0.png?expires=9999999999&signature=${id.slice(0, 100)}`)).status,
			).toBe(404);
			expect((await gateway.ask(`/v1/tasks/${unknownId}/files/${id}?expires=9999999999&signature=x`)).status).toBe(404);
			for (const path of [`/mj/submit/${id}`, `/${id}/mj/submit/imagine`])
				expect((await gateway.ask(path, { prompt: "a cat", model: "dear" })).status).toBe(404);
		},
	);

	test("broken escapes are no address", async () => {
		for (const id of ["%zz", "%", "%e2%28", "%ff"])
			for (const path of [
				`/v1/tasks/${id}`,
				`/mj/task/${id}/fetch`,
				`/suno/feed/${id}`,
				`/v1beta/models/${id}/operations/x`,
			])
				expect((await gateway.ask(path)).status).toBe(404);
		for (const model of ["%zz", "%25zz", "%00", "%2e%2e%2f%2e%2e", "a:b:c", "..%2f.."])
			expect(
				(await gateway.ask(`/v1beta/models/${model}:predictLongRunning`, { instances: [{ prompt: "x" }] })).status,
			).toBeOneOf([400, 404]);
	});

	test.each([
		"/v1/tasks/../../admin/tokens",
		"/v1/tasks/%2e%2e/%2e%2e/admin/tokens",
		"/mj/task/../../admin/tokens/fetch",
		"/v1/tasks//",
		"/v1/tasks/./cancel",
		"/v1/videos/..\\..\\admin",
	])("%s over a bare socket: no admin route, no answer of a task", async (path) => {
		const { port } = new URL(gateway.url);
		const answer = await new Promise<string>((resolve, reject) => {
			let text = "";
			const socket = connect(Number(port), "127.0.0.1", () =>
				socket.write(
					`GET ${path} HTTP/1.1\r\nHost: a.example\r\nAuthorization: Bearer ${gateway.key}\r\nConnection: close\r\n\r\n`,
				),
			);
			socket.on("data", (data) => {
				text += String(data);
			});
			socket.on("end", () => resolve(text));
			socket.on("error", reject);
		});
		expect(answer).toMatch(/^HTTP\/1\.1 40[0145]/);
	});
});

describe("lists of ids, and pages, that are none:", () => {
	test.each([
		["a number", 7],
		["a text", "task_x"],
		["null", null],
		["a record", { length: 1 }],
		["records in a list", [{ toString: 1 }, { valueOf: 1 }, null, 7, ["x"], true]],
		["nested lists", [[[["x"]]]]],
		["10,000 of them", Array.from({ length: 10_000 }, (_, index) => `t${index}`)],
	])("%s", async (_, ids) => {
		for (const path of ["/mj/task/list-by-condition", "/mj/task/list-by-ids"])
			expect(await (await gateway.ask(path, { ids })).json()).toEqual([]);
		expect(await (await gateway.ask("/suno/fetch", { ids })).json()).toMatchObject({ code: "success", data: [] });
	});

	test.each(["0", "-1", "1.5", "abc", "1e9", "NaN", "Infinity", "%00", "x".repeat(5000)])("limit=%s", async (limit) => {
		for (const path of ["/v1/tasks", "/v1/deliveries"])
			expect((await gateway.ask(`${path}?limit=${limit}`)).status).toBe(400);
		expect((await gateway.ask(`/v1/videos?limit=${limit}`)).status).toBeOneOf([200, 400]);
		for (const path of ["/kling/v1/videos/text2video", "/kling/v1/images/generations"])
			expect((await gateway.ask(`${path}?pageSize=${limit}&pageNum=${limit}`)).status).toBe(200);
	});

	test.each(["status=DONE", "status=%00", "status='", "status="])("%s: 400", async (query) => {
		expect((await gateway.ask(`/v1/tasks?${query}`)).status).toBe(400);
		expect((await gateway.ask(`/v1/deliveries?${query}`)).status).toBe(400);
	});

	test.each([{ from: "soon" }, { from: {} }, { from: 1e308 }, { to: [] }, { from: true }])(
		"redelivery of %j: 400, or nothing",
		async (span) => {
			const response = await gateway.ask("/v1/deliveries/redeliver", span);
			if (response.status !== 400) expect(await response.json()).toMatchObject({ count: 0 });
			expect(response.status).toBeOneOf([202, 400]);
		},
	);
});

test("no route has failed", () => {
	expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
});
