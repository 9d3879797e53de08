/**
 * Two persons, ten tokens, one ceiling and one budget of the day each, around a midnight: random histories over several nodes, with crashes, lost replies, tasks, and clocks that are set,
 * against an oracle that counts what the upstream delivered. `HOLDING_SEEDS` sets how many, `HOLDING_SEED` and
 * `HOLDING_PATH` replay one.
 */

import { expect, test } from "bun:test";
import fc from "fast-check";
import { World, type WorldNode } from "../../test/support/quota-world.ts";
import { personAccount } from "./account-names.ts";
import type { Accounts } from "./accounts.ts";
import { Budgets, budgetsKey } from "./budgets.ts";
import {
	type Accountable,
	accountsOf,
	type Holding,
	holdNow,
	holdOnAll,
	isLack,
	type Lack,
	type Spender,
	settleOnAll,
} from "./holding.ts";
import { reserveTask } from "./tasks.ts";
import { windowFinder } from "./windows.ts";

const persons = 2;
const tokens = 10;

type Command =
	| { readonly do: "ask"; readonly node: number; readonly token: number; readonly least: number; readonly most: number }
	| { readonly do: "deliver"; readonly call: number; readonly amount: number }
	| { readonly do: "end"; readonly call: number; readonly more: number }
	| { readonly do: "kill"; readonly node: number; readonly turned: boolean }
	| { readonly do: "restart"; readonly node: number }
	| { readonly do: "stop" | "go on"; readonly node: number }
	| { readonly do: "pass"; readonly milliseconds: number }
	| { readonly do: "clock"; readonly node: number; readonly milliseconds: number }
	| { readonly do: "reap" }
	| { readonly do: "fault"; readonly node: number; readonly kind: "lost_reply" | "failed" | "failed_after_commit" }
	| { readonly do: "ask task"; readonly node: number; readonly token: number; readonly amount: number }
	| { readonly do: "end task"; readonly task: number; readonly cost: number };

const dayMs = 86_400_000;
const secondDay = 20_000;
const node = fc.nat(2);
const token = fc.nat(tokens - 1);
const one = <T extends Command>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });

const command: fc.Arbitrary<Command> = fc.oneof(
	one(
		10,
		fc
			.record({ node, token, least: fc.integer({ min: 1, max: 40 }), more: fc.nat(60) })
			.map(({ more, ...ask }) => ({ do: "ask" as const, ...ask, most: ask.least + more })),
	),
	one(6, fc.record({ do: fc.constant("deliver" as const), call: fc.nat(50), amount: fc.nat(60) })),
	one(5, fc.record({ do: fc.constant("end" as const), call: fc.nat(50), more: fc.integer({ min: 0, max: 20 }) })),
	one(1, fc.record({ do: fc.constant("kill" as const), node, turned: fc.boolean() })),
	one(2, fc.record({ do: fc.constant("restart" as const), node })),
	one(1, fc.record({ do: fc.constantFrom("stop" as const, "go on" as const), node })),
	one(
		5,
		fc.record({ do: fc.constant("pass" as const), milliseconds: fc.constantFrom(1, 50, 100, 300, 2_500, 16_000) }),
	),
	one(
		1,
		fc.record({
			do: fc.constant("clock" as const),
			node,
			milliseconds: fc.constantFrom(-dayMs, -40_000, -500, 500, 40_000, dayMs),
		}),
	),
	one(1, fc.constant({ do: "reap" as const })),
	one(
		2,
		fc.record({
			do: fc.constant("fault" as const),
			node,
			kind: fc.constantFrom("lost_reply" as const, "failed" as const, "failed_after_commit" as const),
		}),
	),
	one(2, fc.record({ do: fc.constant("ask task" as const), node, token, amount: fc.nat(60) })),
	one(2, fc.record({ do: fc.constant("end task" as const), task: fc.nat(20), cost: fc.nat(80) })),
);

interface Call {
	readonly id: string;
	readonly node: WorldNode;
	readonly accounts: Accounts;
	readonly token: number;
	/** The day in which it was let in. */
	readonly day: number;
	readonly holding: Holding;
	delivered: number;
}

const compiled = (amount: number) =>
	new Map([
		[
			budgetsKey,
			new Budgets([{ amount, per: "day", zone: "UTC", boost: undefined, windowAt: windowFinder("day", "UTC") }]),
		],
	]);

/** As the policy does: at once, where the node has all of it. */
const held = async (
	accounts: Accounts,
	id: string,
	on: Accountable,
	need: { readonly least: number; readonly most: number },
): Promise<Holding | Lack> => {
	const call = { id, model: { name: "m" } };
	const holding = holdNow(accounts, call, on, need.most);
	if (!holding) return await holdOnAll(accounts, call, on, need);
	try {
		await holding.kept;
		return holding;
	} catch (error) {
		settleOnAll(accounts, holding, 0);
		throw error;
	}
};

/** Ceilings of 300 and 150, of which 200 and 90 in a day; every third token has a quota of its own. */
class Household {
	readonly world: World;
	private calls: Call[] = [];
	private readonly tasks = new Map<string, { readonly token: number; readonly day: number; readonly amount: number }>();
	private readonly delivered = new Map<string, number>();
	private serial = 0;
	/** Days in which something was let in, by the clocks of the nodes. */
	private readonly days = new Set([secondDay - 1, secondDay]);
	crashed = false;

	constructor(nodes: number) {
		this.world = new World({ nodes });
	}

	tokenName(token: number): string {
		return `${this.world.prefix}t${token}`;
	}

	owner(token: number) {
		const person = token % persons;
		const bounds = person === 0 ? { ceiling: 300, compiled: compiled(200) } : { ceiling: 150, compiled: compiled(90) };
		return { id: `${this.world.prefix}p${person}`, ...bounds };
	}

	private dayOf(now: number): number {
		const day = Math.floor(now / dayMs);
		this.days.add(day);
		return day;
	}

	private dayName(person: number, day: number): string {
		return `budget:person:${this.owner(person).id}/day/UTC/${day * dayMs}`;
	}

	quota(token: number): number | undefined {
		return token % 3 === 0 ? 100 : undefined;
	}

	async open(): Promise<void> {
		await this.world.open();
		// Half a minute before the second day.
		for (const { clock } of this.world.nodes) clock.wall = secondDay * dayMs - 30_000 - clock.monotonic();
		for (let token = 0; token < tokens; token++) {
			const quota = this.quota(token);
			if (quota !== undefined) this.world.write(this.world.sql.setQuota(this.tokenName(token), quota));
		}
	}

	private add(token: number, day: number, amount: number): void {
		for (const name of [this.tokenName(token), personAccount(this.owner(token).id), this.dayName(token, day)])
			this.delivered.set(name, (this.delivered.get(name) ?? 0) + amount);
	}

	ask({ node: index, token, least, most }: Extract<Command, { do: "ask" }>): void {
		const node = this.world.nodes[index % this.world.nodes.length] as WorldNode;
		if (!node.alive || node.stopped) return;
		const { accounts } = node;
		const id = `${this.world.prefix}c${++this.serial}`;
		const now = node.clock.now();
		const day = this.dayOf(now);
		const on = accountsOf(this.spender(token), this.quota(token), now);
		held(accounts, id, on, { least, most }).then(
			(holding) => {
				if (isLack(holding) || node.accounts !== accounts || !node.alive) return;
				this.calls.push({ id, node, accounts, token, day, holding, delivered: 0 });
			},
			() => {},
		);
	}

	private pick(index: number): Call | undefined {
		const running = this.calls.filter(({ node }) => node.alive && !node.stopped);
		return running[index % Math.max(1, running.length)];
	}

	deliver({ call, amount }: { readonly call: number; readonly amount: number }): void {
		const found = this.pick(call);
		if (!found) return;
		const more = Math.min(amount, found.holding.amount - found.delivered);
		found.delivered += more;
		this.add(found.token, found.day, more);
	}

	end(call: Call | undefined, more: number): void {
		if (!call) return;
		this.calls = this.calls.filter((one) => one !== call);
		const { charged = 0, lease } = settleOnAll(call.accounts, call.holding, call.delivered + more);
		call.accounts.record(lease, { id: call.id, token: this.tokenName(call.token), cost: charged });
	}

	kill(node: WorldNode, turned: boolean): void {
		if (!node.alive) return;
		this.crashed = true;
		this.world.kill(node, turned);
		this.calls = this.calls.filter((call) => call.node !== node);
	}

	private spender(token: number): Spender {
		return { id: this.tokenName(token), owner: this.owner(token), compiled: new Map() };
	}

	askTask(node: WorldNode, token: number, amount: number): void {
		if (!node.alive || node.stopped) return;
		const id = `${this.world.prefix}k${++this.serial}`;
		const now = node.clock.now();
		const day = this.dayOf(now);
		reserveTask(node.accounts, this.spender(token), amount, id, now).then(
			(answer) => {
				if (!("keep" in answer)) return;
				try {
					this.world.write(answer.keep());
					this.tasks.set(id, { token, day, amount });
				} catch {
					// The hold had been given up, so the task is not created.
				}
			},
			() => {},
		);
	}

	endTask(index: number, cost: number): void {
		const [id, task] = [...this.tasks][index % Math.max(1, this.tasks.size)] ?? [];
		if (id === undefined || !task) return;
		this.tasks.delete(id);
		this.add(task.token, task.day, Math.min(cost, task.amount));
		// The reply may be lost: the batch is written twice.
		for (let time = 0; time < 2; time++) this.world.write([this.world.sql.settleTask(id, cost)]);
	}

	async run(what: Command): Promise<void> {
		const nodeOf = (index: number) => this.world.nodes[index % this.world.nodes.length] as WorldNode;
		switch (what.do) {
			case "ask":
				return this.ask(what);
			case "deliver":
				return this.deliver(what);
			case "end":
				return this.end(this.pick(what.call), what.more);
			case "kill":
				return this.kill(nodeOf(what.node), what.turned);
			case "restart":
				return await this.world.start(nodeOf(what.node));
			case "stop":
			case "go on":
				if (what.do === "stop") this.crashed = true;
				return void Object.assign(nodeOf(what.node), { stopped: what.do === "stop" });
			case "pass":
				return await this.world.pass(what.milliseconds);
			case "clock":
				nodeOf(what.node).clock.wall += what.milliseconds;
				return;
			case "reap":
				return await this.world.reap();
			case "fault":
				return void nodeOf(what.node).faults.push(what.kind);
			case "ask task":
				return this.askTask(nodeOf(what.node), what.token, what.amount);
			case "end task":
				return this.endTask(what.task, what.cost);
		}
	}

	/** Everything ends, and everybody comes back. */
	async drain(): Promise<void> {
		for (const node of this.world.nodes) node.stopped = false;
		for (let round = 0; round < 3; round++) {
			for (const node of this.world.nodes) await this.world.start(node);
			for (const call of [...this.calls]) this.end(call, 0);
			while (this.tasks.size > 0) this.endTask(0, 5);
			await this.world.pass(90_000);
			await this.world.reap();
		}
	}

	/** Every account with its limit. */
	private limits(): readonly (readonly [string, number])[] {
		const own = Array.from({ length: tokens }, (_, token) => [this.tokenName(token), this.quota(token)] as const);
		const owners = Array.from({ length: persons }, (_, person) => this.owner(person));
		return [
			...own.flatMap(([name, quota]) => (quota === undefined ? [] : [[name, quota] as const])),
			...owners.map(({ id, ceiling }) => [personAccount(id), ceiling] as const),
			...[...this.days].flatMap((day) => [[this.dayName(0, day), 200] as const, [this.dayName(1, day), 90] as const]),
		];
	}

	wrong(): string | undefined {
		if (this.world.refusals.length > 0) return `the database refused: ${this.world.refusals[0]}`;
		for (const [name, limit] of this.limits()) {
			const delivered = this.delivered.get(name) ?? 0;
			const { used, leased } = this.world.account(name);
			if (delivered > limit) return `${name}: delivered ${delivered} of ${limit}`;
			if (used + leased > limit) return `${name}: ${used} used and ${leased} leased of ${limit}`;
		}
		return undefined;
	}

	/** After the drain: what was delivered is charged, to the person as to their tokens. */
	left(): string | undefined {
		for (const [name] of this.limits()) {
			const { leased } = this.world.account(name);
			if (leased !== 0) return `${name}: still leased ${leased}`;
		}
		return Array.from({ length: persons }, (_, person) => this.leftOf(person)).find((wrong) => wrong !== undefined);
	}

	private leftOf(person: number): string | undefined {
		const name = personAccount(this.owner(person).id);
		const { used } = this.world.account(name);
		const days = [...this.days].map((day) => this.dayName(person, day));
		for (const account of [name, ...days]) {
			const [charged, delivered] = [this.world.account(account).used, this.delivered.get(account) ?? 0];
			if (charged < delivered) return `${account}: charged ${charged}, delivered ${delivered}`;
		}
		const own = Array.from({ length: tokens }, (_, token) => token).filter((token) => token % persons === person);
		const sums = [days, own.map((token) => this.tokenName(token))].map((names) =>
			names.reduce((sum, one) => sum + this.world.account(one).used, 0),
		);
		if (!this.crashed && sums.some((sum) => sum !== used))
			return `${name}: charged ${used}, its days and tokens ${sums}`;
		return undefined;
	}
}

const history = async (commands: readonly Command[], nodes: number): Promise<string | undefined> => {
	const household = new Household(nodes);
	await household.open();
	try {
		for (const what of commands) {
			await household.run(what);
			const wrong = household.wrong();
			if (wrong) return `after ${JSON.stringify(what)}: ${wrong}`;
		}
		await household.drain();
		return household.wrong() ?? household.left();
	} finally {
		household.world.close();
	}
};

const seeds = Number(process.env["HOLDING_SEEDS"] ?? 60);
const seed = Number(process.env["HOLDING_SEED"] ?? Date.now() % 2 ** 31);
const path = process.env["HOLDING_PATH"];

test(`no ceiling, no budget and no quota is overspent in ${seeds} histories (seed ${seed})`, async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(command, { minLength: 20, maxLength: 80 }),
			fc.integer({ min: 1, max: 3 }),
			async (commands, nodes) => expect(await history(commands, nodes)).toBeUndefined(),
		),
		{ numRuns: seeds, seed, ...(path && { path }) },
	);
}, 120_000);
