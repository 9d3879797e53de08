import { expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import { type Contribution, definePlugin } from "../contract/define.ts";
import { type Job, jobs } from "../contract/job.ts";
import { add } from "../contract/token.ts";
import { createLog } from "../runtime/log.ts";
import { buildGeneration } from "./generation.ts";

/** A generation of one plugin, that gives this. */
const generationOf = async (contribution: Contribution, log = createLog("silent")) => {
	const plugin = definePlugin({
		name: "ranks",
		summary: "Ranks.",
		config: t.Object({}),
		gives: [jobs],
		setup: () => contribution,
	});
	const instance = { name: "ranks", use: "./ranks", plugin, config: {}, sound: true };
	return await buildGeneration([instance], ["ranks"], new Map(), log);
};

test("a plugin whose start never ends is not waited for while others wait", async () => {
	const stopped: string[] = [];
	const { generation } = await generationOf({
		start: () => new Promise<never>(() => undefined),
		stop: () => void stopped.push("ranks"),
	});
	await expect(generation.start(1)).rejects.toThrow(
		'the start of the plugin "ranks" has not ended after 0.001 seconds',
	);
	await generation.stop(new AbortController().signal);
	expect(stopped).toEqual(["ranks"]);
});

test("a plugin whose stop never ends is waited for until all must end, and a while longer", async () => {
	const { generation } = await generationOf({ stop: () => new Promise<never>(() => undefined) });
	await generation.start();
	const mustEnd = new AbortController();
	let over = false;
	const stopped = generation.stop(mustEnd.signal, 1).then(() => {
		over = true;
	});
	for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
	expect(over).toBe(false);
	mustEnd.abort();
	await stopped;
	expect(over).toBe(true);
});

test("a plugin whose stop hangs keeps none of the others from theirs, and is waited for beside them", async () => {
	const order: string[] = [];
	const released = Promise.withResolvers<void>();
	const last = Promise.withResolvers<void>();
	const stops: Readonly<Record<string, () => Promise<void> | void>> = {
		giver: () => {
			order.push("giver");
			last.resolve();
		},
		hangs: () => released.promise.then(() => void order.push("hung")),
		first: () => void order.push("first"),
	};
	const instances = Object.entries(stops).map(([name, stop]) => ({
		name,
		use: name,
		plugin: definePlugin({ name, summary: "Stops.", config: t.Object({}), setup: () => ({ stop }) }),
		config: {},
		sound: true,
	}));
	const { generation } = await buildGeneration(instances, Object.keys(stops), new Map(), createLog("silent"));
	await generation.start();
	const stopped = generation.stop(AbortSignal.abort(), 60_000, 1);
	await last.promise;
	expect(order).toEqual(["first", "giver"]);
	released.resolve();
	await stopped;
	expect(order).toEqual(["first", "giver", "hung"]);
});

test("a plugin may start for as long as it takes where nobody waits", async () => {
	const started = Promise.withResolvers<void>();
	const { generation } = await generationOf({ start: () => started.promise });
	const starting = generation.start();
	started.resolve();
	expect(await starting).toBeUndefined();
});

test("a plugin whose start takes long is named while it is waited for", async () => {
	const started = Promise.withResolvers<void>();
	const lines: Record<string, unknown>[] = [];
	const log = createLog("warn", (line) => {
		lines.push(JSON.parse(line));
		started.resolve();
	});
	const { generation } = await generationOf({ start: () => started.promise }, log);
	await generation.start(undefined, 1);
	expect(lines).toMatchObject([
		{ level: "warn", plugin: "ranks", seconds: 0.001, msg: "a plugin has not ended its start, and is waited for" },
	]);
});

test("what a plugin finds wrong itself is of one of its settings where it says so", async () => {
	const found = ["all of it", { at: ["models", 2, "name"], message: "this one" }, { at: "x", message: "somewhere" }, 7];
	const { complaints } = await generationOf({ check: () => found as string[] });
	expect(complaints).toEqual([
		{ plugin: "ranks", message: "all of it" },
		{ plugin: "ranks", message: "this one", at: ["models", 2, "name"] },
		{ plugin: "ranks", message: "somewhere" },
		{ plugin: "ranks", message: "7" },
	]);
});

test("a job whose schedule is none is complained of by the name of its plugin", async () => {
	const job = (schedule: string): Job => ({ name: `ranks: ${schedule}`, schedule, run: () => undefined });
	const schedules = ["* * * * * *", "17 3 * * *", "every day", "61 * * * *"];
	const { complaints } = await generationOf({ offers: schedules.map((schedule) => add(jobs, job(schedule))) });
	expect(complaints).toEqual([
		{
			plugin: "ranks",
			message: 'the schedule of its job "ranks: every day" is not one such as "0 3 * * *": "every day"',
		},
		{
			plugin: "ranks",
			message: 'the schedule of its job "ranks: 61 * * * *" is not one such as "0 3 * * *": "61 * * * *"',
		},
	]);
});
