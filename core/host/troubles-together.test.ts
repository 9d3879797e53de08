import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import type { WorkerAnswer, Workers } from "../contract/host-info.ts";
import { createLog } from "../runtime/log.ts";
import { FailingParts } from "./failing-parts.ts";
import type { Trouble } from "./trouble.ts";
import { Troubles } from "./troubles.ts";
import { troublesTogether } from "./troubles-together.ts";
import type { UnwellUpstream } from "./upstream-states.ts";

const trouble = (what: Trouble["what"], since: number): Trouble => ({
	what,
	since,
	message: `the ${what} is wrong`,
	advice: "mend it",
});

const none = { data: [], upstreams: [] };

const saying = (...answers: readonly (readonly [running: boolean, answer: readonly unknown[]])[]): Workers => ({
	ask: async () =>
		answers.map(
			([running, data], index): WorkerAnswer => ({ worker: index + 1, running, answer: { data, upstreams: [] } }),
		),
	answer: () => () => undefined,
});

test("what every worker has is told once, since the first had it; what one has is told as its own", async () => {
	const [early, late, alone] = [trouble("database", 5), trouble("database", 9), trouble("config", 7)];
	expect(await troublesTogether(saying([true, [late]], [true, [early, alone]]), () => none)).toEqual({
		data: [early, { ...alone, workers: [2] }],
		upstreams: [],
		workers: 2,
	});
});

test("what fails in a plugin is counted over all workers, with the last words of any", async () => {
	const worker = (
		...failures: readonly (readonly [policy: string, at: number, error: string])[]
	): readonly Trouble[] => {
		const clock = createMovedClock();
		const failing = new FailingParts(clock);
		const log = failing.heardIn(createLog("silent"));
		for (const [policy, at, error] of failures) {
			clock.advance(at);
			log.error("a policy failed; the call is refused", { policy, error });
		}
		return failing.list();
	};
	const first = worker(["night-watch", 0, "Error: early"], ["night-watch", 9_000, "Error: late"]);
	const second = worker(["night-watch", 5_000, "Error: between"], ["gate", 0, "Error: shut"]);
	const since = createMovedClock().now();
	const last = new Date(since + 9_000).toISOString();
	expect(await troublesTogether(saying([true, first], [true, second]), () => none)).toMatchObject({
		workers: 2,
		data: [
			{
				what: "plugin",
				since,
				message: `The policy "night-watch" failed 3 times, the last time at ${last}: Error: late`,
				failures: { part: 'The policy "night-watch"', times: 3 },
			},
			{ message: expect.stringMatching(/^The policy "gate" failed once at /), workers: [2] },
		],
	});
});

test("a worker that hangs is told with its process, whatever it said before, or nothing", async () => {
	const silent = { since: 5, process: 4711 };
	const workers: Workers = {
		...saying(),
		ask: async () => [
			{ worker: 1, running: true, answer: none },
			{ worker: 2, running: true, silent, answer: undefined },
		],
	};
	expect(await troublesTogether(workers, () => none)).toEqual({
		data: [
			{
				what: "worker",
				since: 5,
				message: "Worker 2 of 2 (process 4711) does not answer, and calls that reach it wait.",
				advice: expect.stringMatching(/^If that lasts end it \(kill -9 4711\)/),
			},
		],
		upstreams: [],
		workers: 2,
	});
});

test("a worker that has ended has no troubles any more, and without others this one speaks for itself", async () => {
	const own = trouble("config", 1);
	expect(await troublesTogether(saying([true, []], [false, [own]]), () => ({ data: [own], upstreams: [] }))).toEqual({
		...none,
		workers: 1,
	});
	const alone = { data: [own], upstreams: [], workers: 1 };
	expect(await troublesTogether(undefined, () => ({ data: [own], upstreams: [] }))).toEqual(alone);
	const silent: Workers = { ...saying(), ask: () => Promise.reject(new Error("no answer")) };
	expect(await troublesTogether(silent, () => ({ data: [own], upstreams: [] }))).toEqual(alone);
});

test("an upstream that fails at any worker is told once, as it is where calls are kept away from it", async () => {
	const lastFailure = { message: "Incorrect API key", at: "2041-01-01T00:00:00.000Z", advice: "Set another key." };
	const open: UnwellUpstream = {
		upstream: "a",
		circuit: "open",
		failingSince: "2041-01-01T00:00:00.000Z",
		lastFailure,
		failing: true,
	};
	const resting: UnwellUpstream = { upstream: "b", circuit: "closed", keys: [true, false], failing: false };
	const left: UnwellUpstream = { upstream: "d", circuit: "half-open", failing: false };
	const told = [
		[{ upstream: "a", circuit: "half-open", failures: 9, failing: true }, left, { ...left, of: "tasks" }],
		[open, resting, { ...left, failing: true }],
		[{ upstream: "c", circuit: "strange", failing: true }],
	];
	const workers: Workers = {
		...saying(),
		ask: async () => told.map((upstreams, at) => ({ worker: at + 1, running: true, answer: { data: [], upstreams } })),
	};
	expect(await troublesTogether(workers, () => none)).toEqual({
		data: [],
		upstreams: [open, { ...left, failing: true }, { ...left, of: "tasks" }, resting],
		workers: 3,
	});
});

const url = "file:portico.db";

test("a full disk is a trouble for as long as it lasts, also where the database still finds room in its own files", () => {
	const clock = createMovedClock();
	let free: number | undefined = 0;
	const troubles = new Troubles({ clock, outage: () => undefined, freeBytes: () => free, url });
	const since = clock.now();
	// Nobody asks, but it is looked at now and then.
	void troubles.job.run(new AbortController().signal);
	clock.advance(60_000);
	expect(troubles.list()).toMatchObject([{ what: "disk", since, advice: expect.stringMatching(/Make room/) }]);
	for (free of [undefined, 1024 ** 3]) expect(troubles.list()).toEqual([]);
});

test("that hardly anything may be opened is one since it was first seen", () => {
	const clock = createMovedClock();
	const none = () => undefined;
	let usedUp = true;
	const troubles = new Troubles({ clock, outage: none, freeBytes: none, url, usedUp: () => usedUp });
	const since = clock.now();
	void troubles.job.run(new AbortController().signal);
	clock.advance(60_000);
	expect(troubles.list()).toMatchObject([
		{ what: "open files", since, advice: expect.stringMatching(/raise its limit of open files/) },
	]);
	usedUp = false;
	expect(troubles.list()).toEqual([]);
});

test.each(["SQLITE_BUSY", "SQLITE_BUSY_SNAPSHOT", "SQLITE_LOCKED"])(
	"%s says that another program is to be ended",
	(code) => {
		const troubles = new Troubles({
			clock: createMovedClock(),
			outage: () => ({ since: 5, code }),
			freeBytes: () => undefined,
			url,
		});
		expect(troubles.list()).toMatchObject([
			{
				what: "database",
				since: 5,
				message: expect.stringMatching(/^Another program has locked the database\. \(SQLITE_/),
				advice: "Find the program that has the database file open (fuser FILE) and end it; it goes on by itself.",
			},
		]);
	},
);

test.each([
	[
		"refuses its token",
		"TOKEN_REFUSED",
		/^The database server does not take the token of database\.authToken/,
		/^Give/,
	],
	[
		"has lost its files",
		"TABLES_GONE",
		/^The database server holds none of Portico's tables any more/,
		/^Start it on its own/,
	],
])("a database server that %s is told as that", (_, code, message, advice) => {
	const outage = () => ({ since: 5, code });
	const input = { clock: createMovedClock(), outage, freeBytes: () => undefined, url: "http://127.0.0.1:8080" };
	expect(new Troubles(input).list()).toMatchObject([
		{ what: "database", message: expect.stringMatching(message), advice: expect.stringMatching(advice) },
	]);
});

test.each(["SQLITE_IOERR", "SQLITE_IOERR_WRITE"])("%s says that the disk is to be looked at", (code) => {
	const outage = () => ({ since: 5, code });
	const troubles = new Troubles({ clock: createMovedClock(), outage, freeBytes: () => undefined, url });
	expect(troubles.list()).toMatchObject([
		{
			message: expect.stringMatching(/^The disk of the database fails, or is full\. \(SQLITE_IOERR/),
			advice: expect.stringMatching(/^Look at the disk that holds the database/),
		},
	]);
});

test("of a server that Portico has started nobody is told to start it, but where its folder belongs", () => {
	const home = mkdtempSync(join(tmpdir(), "portico-troubles-"));
	const file = join(home, "portico.db");
	const outage = () => ({ since: 5, code: "SERVER_ERROR" });
	const troubles = (at: string) =>
		new Troubles({ clock: createMovedClock(), outage, freeBytes: () => undefined, url: at }).list();
	const folder = `${file}.sqld`;
	mkdirSync(folder);
	expect(troubles("http://127.0.0.1:8080")).toMatchObject([
		{ advice: expect.stringMatching(/^Start the database server/) },
	]);
	expect(troubles(`file:${file}`)).toMatchObject([
		{ advice: expect.stringMatching(/^It is started again when it ends/) },
	]);
	rmSync(home, { recursive: true });
	expect(troubles(`file:${file}`)).toMatchObject([
		{
			message: expect.stringContaining(`The folder ${folder}, which holds the database, was removed or moved away`),
			advice: expect.stringMatching(/^Put back the very folder/),
		},
	]);
});
