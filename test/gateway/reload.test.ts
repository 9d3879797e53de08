/** Reloading: the new generation is built beside the old one, and only a sound one takes its place. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
	createTestClock,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestClock,
	type TestGateway,
} from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { quiet } from "../support/quiet.ts";
import { notes, release, reset } from "./fixtures/lifecycle/notes.ts";

const lifecycle = join(import.meta.dir, "fixtures/lifecycle");

let upstream: ScriptedUpstream;
let gateway: TestGateway;
let clock: TestClock;

const plugins = (settings: object, models: readonly string[] = ["m"]) => [
	"tokens",
	"chat-completions",
	{ use: lifecycle, with: settings },
	{
		use: "router",
		with: {
			upstreams: [
				{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-upstream-0123456789" },
			],
			models: models.map((name) => ({ name, targets: [{ upstream: "main", model: "m" }] })),
		},
	},
];

beforeEach(async () => {
	upstream = startUpstream();
	clock = createTestClock();
	gateway = await startGateway({ clock, plugins: plugins({ mark: "one" }) });
	reset();
});
afterEach(async () => {
	await gateway.stop();
	await upstream.stop();
});

const file = () => join(gateway.folder, "portico.yaml");

/** Writes another config and asks for a reload; gives the answer. */
const reload = async (given: string | ReturnType<typeof plugins>, more: object = {}) => {
	if (typeof given === "string") writeFileSync(file(), given);
	else {
		const config = JSON.parse(readFileSync(file(), "utf8")) as object;
		const items = given.map((plugin) => (typeof plugin === "string" ? { use: plugin } : plugin));
		writeFileSync(file(), JSON.stringify({ ...config, ...more, plugins: items }));
	}
	const response = await fetch(`${gateway.url}/admin/reload`, {
		method: "POST",
		headers: { authorization: `Bearer ${gateway.adminToken}` },
	});
	return { status: response.status, ...((await response.json()) as { reloaded: boolean; complaints: string[] }) };
};

const mark = async () => await (await fetch(`${gateway.url}/mark`)).text();
const models = async () => {
	const list = (await (await gateway.ask("/v1/models")).json()) as { data: { id: string }[] };
	return list.data.map(({ id }) => id);
};
const longEnough = 60_000;
const untilNoted = (note: string) => until(() => notes.includes(note), note, longEnough);
/** The old generation is looked at some times a second. */
const untilLookedAt = (condition: () => boolean, what: string) =>
	until(
		async () => {
			await clock.advance(1_000);
			return condition();
		},
		what,
		longEnough,
	);
const untilStopped = (mark: string) => untilLookedAt(() => notes.includes(`${mark} stopped`), `the stop of ${mark}`);

describe("a sound config", () => {
	test("takes the place of the old one, which is stopped", async () => {
		expect(await reload(plugins({ mark: "two" }, ["m", "n"]))).toEqual({ status: 200, reloaded: true, complaints: [] });
		expect([await mark(), await models()]).toEqual(["two", ["m", "n"]]);
		await untilStopped("one");
		expect(notes).toEqual(["two set up", "two started", "one stopped"]);
	});

	test("keeps tokens and their keys", async () => {
		const { key } = await gateway.token();
		await reload(plugins({ mark: "two" }));
		const response = await gateway.ask("/v1/models", undefined, { headers: { authorization: `Bearer ${key}` } });
		expect(response.status).toBe(200);
	});

	test("may be reloaded many times, also by several at once, and the last one counts", async () => {
		const all = await Promise.all(["two", "three", "four"].map((name) => reload(plugins({ mark: name }))));
		expect(all.map(({ reloaded }) => reloaded)).toEqual([true, true, true]);
		expect(await mark()).toBe("four");
		await untilStopped("one");
		const ended = (word: string): number => notes.filter((note) => note.endsWith(word)).length;
		await untilLookedAt(() => ended("stopped") === ended("started"), "the stop of all but the last");
	});

	test("that was written while another was being built counts too", async () => {
		const first = reload(plugins({ mark: "two", waits: true }));
		await untilNoted("two set up");
		const second = reload(plugins({ mark: "three" }));
		await quiet(10); // The second has been asked for.
		release("two set-up");
		expect([(await first).reloaded, (await second).reloaded]).toEqual([true, true]);
		expect(await mark()).toBe("three");
	});

	test("says how long calls may go on after a stop was asked for", async () => {
		await reload(plugins({ mark: "two" }), { server: { drainSeconds: 100 } });
		const { portico } = gateway;
		expect(portico.server).toMatchObject({ drainSeconds: 100, shutdownDelaySeconds: 0 });
		portico.drain();
		await clock.advance(99_000);
		expect(portico.mustEnd.signal.aborted).toBe(false);
		await clock.advance(1_000);
		expect(portico.mustEnd.signal.aborted).toBe(true);
	});

	test("that changes what only a start can change says so in the log, and as long as it is so", async () => {
		const troubles = async () => (await gateway.admin("GET", "/admin/troubles"))["data"];
		const { server } = JSON.parse(readFileSync(file(), "utf8")) as { readonly server: object };
		await reload(plugins({ mark: "two" }), { server: { ...server, port: 1 } });
		expect(await mark()).toBe("two");
		expect(gateway.log).toContainEqual(
			expect.objectContaining({ level: "warn", msg: expect.stringContaining("restart"), setting: "server.port" }),
		);
		expect(await troubles()).toMatchObject([{ what: "config", message: expect.stringContaining(": server.port.") }]);
		await reload(plugins({ mark: "two" }), { server });
		expect(await troubles()).toEqual([]);
		const megabytes = (count: number) => ({ server: { ...server, bodyLimitBytes: count * 1024 ** 2 } });
		await reload(plugins({ mark: "two" }), megabytes(100));
		expect(await troubles()).toEqual([]);
		// The runtime itself reads no body that is so much larger than those of the start.
		await reload(plugins({ mark: "two" }), megabytes(129));
		expect(await troubles()).toMatchObject([{ message: expect.stringContaining(": server.bodyLimitBytes.") }]);
	});
});

describe("what runs goes on as it was", () => {
	test.each([
		["when the file is no YAML", "plugins: [", "portico.yaml"],
		["when a setting is none", JSON.stringify({ plugins: [{ use: "tokens", with: { peper: 1 } }] }), "peper"],
		["when a plugin is not there", JSON.stringify({ plugins: [{ use: "no-such-plugin" }] }), "no-such-plugin"],
		["when a service is missing", JSON.stringify({ plugins: [{ use: "quota" }] }), "needs the service"],
		["when a variable is missing", JSON.stringify({ plugins: [{ use: `\${NO_SUCH_VARIABLE}` }] }), "NO_SUCH_VARIABLE"],
	])("%s", async (_, text, said) => {
		const { status, reloaded, complaints } = await reload(text);
		expect([status, reloaded]).toEqual([422, false]);
		expect(complaints.join("\n")).toContain(said);
		expect([await mark(), await models()]).toEqual(["one", ["m"]]);
		expect(notes).toEqual([]);
	});

	test.each([
		["set-up", "set-up was told to fail", ["two set up"]],
		["check", "it was told to complain", ["two set up"]],
		["start", "start was told to fail", ["two set up", "two started", "two stopped"]],
	])("when a plugin fails at its %s", async (fails, said, expected) => {
		const { status, complaints } = await reload(plugins({ mark: "two", fails }));
		expect(status).toBe(422);
		expect(complaints.join("\n")).toContain(said);
		expect([await mark(), await models()]).toEqual(["one", ["m"]]);
		expect(notes).toEqual(expected);
	});

	test("and a later sound config is taken", async () => {
		await reload(plugins({ mark: "two", fails: "start" }));
		expect((await reload(plugins({ mark: "three" }))).reloaded).toBe(true);
		expect(await mark()).toBe("three");
	});

	test("when two routes clash", async () => {
		const twice = { use: lifecycle, as: "again", with: { mark: "two" } };
		const { complaints } = await reload([...plugins({ mark: "two" }), twice]);
		expect(complaints.join("\n")).toContain('"lifecycle" offers the route GET /mark too');
		expect(await mark()).toBe("one");
	});
});

describe("what was under way on the old generation", () => {
	const chunk = (content: string) =>
		`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
	const ending = `${chunk("").replace('"finish_reason":null', '"finish_reason":"stop"')}data: [DONE]\n\n`;

	test("streams on to its end, and only then is the old generation stopped", async () => {
		const release = Promise.withResolvers<void>();
		upstream.answer(() => {
			const encoder = new TextEncoder();
			const body = new ReadableStream<Uint8Array>({
				async start(controller) {
					controller.enqueue(encoder.encode(chunk("begin")));
					await release.promise;
					controller.enqueue(encoder.encode(chunk(" end") + ending));
					controller.close();
				},
			});
			return new Response(body, { headers: { "content-type": "text/event-stream" } });
		});
		const running = await gateway.ask("/v1/chat/completions", {
			model: "m",
			stream: true,
			messages: [{ role: "user", content: "Hello" }],
		});
		await reload(plugins({ mark: "two" }, ["other"]));
		expect([await mark(), await models()]).toEqual(["two", ["other"]]);
		await clock.advance(60_000);
		await quiet(10);
		expect(notes).not.toContain("one stopped");
		release.resolve();
		const text = await running.text();
		expect(text).toContain('" end"');
		expect(text).toEndWith("data: [DONE]\n\n");
		await untilStopped("one");
	});

	test("is answered by it, also on a plugin's own route", async () => {
		const slow = fetch(`${gateway.url}/slow`);
		await untilNoted("one holds");
		await reload(plugins({ mark: "two" }));
		expect(gateway.portico.openCalls()).toBeGreaterThan(0);
		await clock.advance(60_000);
		await quiet(10);
		expect(notes).not.toContain("one stopped");
		release("one");
		expect(await (await slow).text()).toBe("one");
		await untilStopped("one");
		expect(gateway.portico.openCalls()).toBe(0);
	});
});

test("a job that runs is told to end at a reload and at a stop, before its plugin is stopped", async () => {
	await reload(plugins({ mark: "two", works: true }));
	await untilNoted("two works");
	await reload(plugins({ mark: "three", works: true }));
	await untilStopped("two");
	await untilNoted("three works");
	await gateway.portico.stop();
	for (const mark of ["two", "three"])
		expect(notes.filter((note) => note.startsWith(mark) && /work|stopped/.test(note))).toEqual([
			`${mark} works`,
			`${mark} ends its work`,
			`${mark} stopped`,
		]);
	expect(notes.indexOf("two ends its work")).toBeLessThan(notes.indexOf("three works"));
});

test("a stop in the middle of a reload stops what the reload brought too", async () => {
	const reloading = reload(plugins({ mark: "two", waits: true })).catch(() => undefined);
	await untilNoted("two set up");
	const stopping = gateway.portico.stop();
	release("two set-up");
	await Promise.all([stopping, reloading]);
	const started = notes.filter((note) => note.endsWith("started")).map((note) => note.split(" ")[0]);
	for (const name of ["one", ...started]) expect(notes).toContain(`${name} stopped`);
});
