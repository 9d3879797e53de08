/**
 * Random histories of calls, crashes, stopped nodes, lost replies and changed quotas, run against a world with an oracle on
 * a single thread. `QUOTA_SEED` and `QUOTA_PATH` replay one.
 */
import fc from "fast-check";
import { marginMs, unkeptTaskMs } from "../../plugins/quota/statements.ts";
import { shortLeaseMs, World, type WorldCall, type WorldNode, type WorldOptions } from "./quota-world.ts";

/** What happens to a world: calls, tasks, crashes, lost replies, other quotas. */
type Command =
	| { readonly do: "ask"; readonly node: number; readonly token: number; readonly least: number; readonly most: number }
	| { readonly do: "deliver"; readonly call: number; readonly amount: number }
	| { readonly do: "end"; readonly call: number; readonly more: number }
	| { readonly do: "abort"; readonly call: number }
	| { readonly do: "kill"; readonly node: number; readonly turned: boolean }
	| { readonly do: "restart"; readonly node: number }
	| { readonly do: "stop" | "go on"; readonly node: number }
	| { readonly do: "pass"; readonly milliseconds: number }
	| { readonly do: "reap" }
	| { readonly do: "cut"; readonly node: number; readonly lines: number }
	| { readonly do: "ask task"; readonly node: number; readonly token: number; readonly amount: number }
	| { readonly do: "end task"; readonly task: number; readonly cost: number }
	| { readonly do: "fault"; readonly node: number; readonly kind: "lost_reply" | "failed" | "failed_after_commit" }
	| { readonly do: "quota"; readonly token: number; readonly quota: number | undefined };

const node = fc.nat(2);
const token = fc.nat(1);
const call = fc.nat(50);
const amount = fc.nat(60);

const command: fc.Arbitrary<Command> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc
			.record({
				do: fc.constant("ask" as const),
				node,
				token,
				least: fc.integer({ min: 1, max: 60 }),
				more: fc.nat(60),
			})
			.map(({ more, ...ask }) => ({ ...ask, most: ask.least + more })),
	},
	{ weight: 5, arbitrary: fc.record({ do: fc.constant("deliver" as const), call, amount }) },
	{
		weight: 5,
		arbitrary: fc.record({ do: fc.constant("end" as const), call, more: fc.integer({ min: -20, max: 20 }) }),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("abort" as const), call }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("kill" as const), node, turned: fc.boolean() }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("restart" as const), node }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constantFrom("stop" as const, "go on" as const), node }) },
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant("pass" as const),
			milliseconds: fc.constantFrom(1, 50, 100, 300, 2_500, 16_000),
		}),
	},
	{ weight: 1, arbitrary: fc.constant({ do: "reap" as const }) },
	{ weight: 1, arbitrary: fc.record({ do: fc.constant("cut" as const), node, lines: fc.nat(6) }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("ask task" as const), node, token, amount }) },
	{ weight: 2, arbitrary: fc.record({ do: fc.constant("end task" as const), task: fc.nat(20), cost: fc.nat(80) }) },
	{
		weight: 2,
		arbitrary: fc.record({
			do: fc.constant("fault" as const),
			node,
			kind: fc.constantFrom("lost_reply" as const, "failed" as const, "failed_after_commit" as const),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			do: fc.constant("quota" as const),
			token,
			quota: fc.oneof({ weight: 6, arbitrary: fc.nat(400) }, { weight: 1, arbitrary: fc.constant(undefined) }),
		}),
	},
);

type Run<C> = { readonly [K in Command["do"]]: (world: World, what: Extract<Command, { do: K }> & C) => unknown };

const nodeOf = (world: World, index: number) => world.nodes[index % world.nodes.length] as WorldNode;
const tokenOf = (world: World, index: number): string => `${world.prefix}t${index}`;
const callOf = (world: World, index: number): WorldCall | undefined => {
	const running = [...world.calls].filter((one) => one.node.alive && !one.node.stopped);
	return running[index % Math.max(1, running.length)];
};
const withCall = (world: World, index: number, act: (one: WorldCall) => void): void => {
	const one = callOf(world, index);
	if (one) act(one);
};

/** What each command does to a world. */
const run: Run<unknown> = {
	ask: (world, { node, token, least, most }) => world.ask(nodeOf(world, node), tokenOf(world, token), least, most),
	deliver: (world, { call, amount }) => withCall(world, call, (one) => world.deliver(one, amount)),
	end: (world, { call, more }) => withCall(world, call, (one) => world.end(one, one.delivered + Math.max(0, more))),
	abort: (world, { call }) => withCall(world, call, (one) => world.end(one, one.delivered)),
	kill: (world, { node, turned }) => world.kill(nodeOf(world, node), turned),
	restart: (world, { node }) => world.start(nodeOf(world, node)),
	stop: (world, { node }) => Object.assign(nodeOf(world, node), { stopped: true }),
	"go on": (world, { node }) => Object.assign(nodeOf(world, node), { stopped: false }),
	pass: (world, { milliseconds }) => world.pass(milliseconds),
	reap: (world) => world.reap(),
	cut: (world, { node, lines }) => world.cut(nodeOf(world, node), lines),
	"ask task": (world, { node, token, amount }) => world.askTask(nodeOf(world, node), tokenOf(world, token), amount),
	"end task": (world, { task, cost }) => {
		const ids = [...world.tasks.keys()];
		world.endTask(ids[task % Math.max(1, ids.length)] ?? "", cost);
	},
	fault: (world, { node, kind }) => nodeOf(world, node).faults.push(kind),
	quota: (world, { token, quota }) => world.setQuota(tokenOf(world, token), quota),
};

/** Everything ends: calls settle, dead nodes come back, and nothing may be left held. */
const drain = async (world: World): Promise<void> => {
	for (const one of world.nodes) {
		one.stopped = false;
		one.faults.length = 0;
	}
	await world.pass(500);
	for (const one of [...world.calls]) world.end(one, one.delivered);
	for (const one of world.nodes) await world.start(one);
	await world.pass(3_000);
	for (const id of [...world.tasks.keys()]) world.endTask(id, 5);
	for (const one of [...world.calls]) world.end(one, one.delivered);
	await world.pass(shortLeaseMs + 2 * marginMs + 3_000);
	await world.reap();
	await world.pass(500);
	// The hold of a task whose creator never heard of it ends by itself.
	await world.pass(unkeptTaskMs);
	await world.reap();
};

/** What must be true of a token when nothing runs any more; `exact` unless it was unlimited for a while. */
const leftWrong = (world: World, name: string, exact: boolean): string | undefined => {
	const { used, leased } = world.account(name);
	const delivered = world.delivered.get(name) ?? 0;
	if (leased !== 0) return `at the end ${leased} is still leased`;
	if (exact && delivered > used) return `delivered ${delivered}, charged only ${used}`;
	if (exact && used > delivered + world.overcharge + world.overreported)
		return `charged ${used} for ${delivered}, more than crashes explain`;
	return undefined;
};

/** Runs one history; the first thing that is wrong, or nothing. */
const history = async (commands: readonly Command[], options: WorldOptions): Promise<string | undefined> => {
	const world = new World(options);
	await world.open();
	world.setQuota(tokenOf(world, 0), 300);
	world.setQuota(tokenOf(world, 1), 120);
	try {
		for (const what of commands) {
			await run[what.do](world, what as never);
			const wrong = world.broken();
			if (wrong) return `after ${JSON.stringify(what)}: ${wrong}`;
		}
		await drain(world);
		const left = [0, 1]
			.map((index) => tokenOf(world, index))
			.map((name) => leftWrong(world, name, !world.everUnlimited.has(name)));
		return world.broken() ?? left.find((wrong) => wrong !== undefined);
	} finally {
		world.close();
	}
};

export const seed = Number(process.env["QUOTA_SEED"] ?? Date.now() % 2 ** 31);
const path = process.env["QUOTA_PATH"];

/** Runs so many histories; the details of the first that went wrong. */
export const checkHistories = async (
	runs: number,
	options: Omit<WorldOptions, "nodes">,
): Promise<fc.RunDetails<[commands: Command[], nodes: number]>> =>
	await fc.check(
		fc.asyncProperty(
			fc.array(command, { minLength: 10, maxLength: 40 }),
			fc.integer({ min: 1, max: 3 }),
			async (commands, nodes) => {
				const wrong = await history(commands, { nodes, ...options });
				if (wrong !== undefined) throw new Error(wrong);
			},
		),
		{
			numRuns: runs,
			seed,
			endOnFailure: options.statements !== undefined || options.alterJournal !== undefined,
			...(path && { path }),
		},
	);
