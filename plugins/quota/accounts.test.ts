import { afterEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { settle as rest } from "../../test/support/moving-clock.ts";
import { World, type WorldCall, type WorldNode } from "../../test/support/quota-world.ts";
import type { Reservation } from "./lease.ts";
import { Statements } from "./statements.ts";
import { reserveTask } from "./tasks.ts";

let world: World;
afterEach(() => world.close());

const open = async (nodes = 1, leaseMs?: number): Promise<World> => {
	world = new World({ nodes, ...(leaseMs && { statements: (now) => new Statements(now, leaseMs) }) });
	await world.open();
	return world;
};
const node = (index = 0): WorldNode => world.nodes[index] as WorldNode;
const token = (): string => `${world.prefix}t`;
const account = () => world.account(token());

/** A call that is let through, or undefined. */
const ask = async (amount: number, at = node()): Promise<WorldCall | undefined> => {
	const before = new Set(world.calls);
	world.ask(at, token(), amount, amount);
	await rest();
	return [...world.calls].find((call) => !before.has(call));
};
const mustAsk = async (amount: number, at = node()): Promise<WorldCall> => {
	const call = await ask(amount, at);
	if (!call) throw new Error("the call was refused");
	return call;
};

describe("a slice", () => {
	test("is more than one call needs, never more than a fair share of what is left", async () => {
		await open();
		world.setQuota(token(), 1_000);
		await mustAsk(10);
		expect(account()).toEqual({ quota: 1_000, used: 0, leased: 320 });
		world.setQuota(token(), 400);
		expect(account().leased).toBe(320);
	});

	test("goes back after two seconds in which nobody used it", async () => {
		await open();
		world.setQuota(token(), 1_000);
		world.end(await mustAsk(10), 7);
		await world.pass(1_900);
		expect(account()).toMatchObject({ used: 7, leased: 313 });
		await world.pass(1_200);
		expect(account()).toMatchObject({ used: 7, leased: 0 });
	});

	test("is kept while a call runs, however long", async () => {
		await open();
		world.setQuota(token(), 1_000);
		const call = await mustAsk(10);
		await world.pass(60_000);
		await world.reap();
		expect(account().leased).toBe(320);
		world.end(call, 10);
		await world.pass(5_000);
		expect(account()).toEqual({ quota: 1_000, used: 10, leased: 0 });
	});

	test("whose time is over by a clock that was set is charged by the time that a flush has ended", async () => {
		await open();
		world.setQuota(token(), 1_000);
		const call = await mustAsk(10);
		node().clock.wall += 86_400_000;
		world.end(call, 7);
		await node().accounts.flush();
		expect(account()).toMatchObject({ used: 7 });
		expect(world.recorded(token())).toBe(7);
	});

	test("whose time is over by the clock keeps nothing from the next call but what running calls hold", async () => {
		await open();
		world.setQuota(token(), 100);
		const running = await mustAsk(40);
		world.end(await mustAsk(50), 0);
		node().clock.wall += 86_400_000;
		expect(await ask(61)).toBeUndefined();
		node().clock.wall += 86_400_000;
		world.end(await mustAsk(60), 60);
		world.end(running, 40);
		await node().accounts.flush();
		expect(account()).toMatchObject({ used: 100 });
	});

	test("that another node starves for is given back at once, but for what calls hold", async () => {
		await open(2);
		world.setQuota(token(), 100);
		world.end(await mustAsk(30, node(0)), 5);
		const held = await mustAsk(30, node(0));
		expect(account().leased + account().used).toBeGreaterThan(40);
		world.ask(node(1), token(), 60, 60);
		await world.pass(400);
		const [, other] = [...world.calls];
		expect(other).toMatchObject({ node: node(1), reservation: { amount: 60 } });
		world.end(held, 30);
		if (other) world.end(other, 60);
		// Of a database that nodes share what nobody uses goes back later.
		await world.pass(31_000);
		expect(account()).toEqual({ quota: 100, used: 95, leased: 0 });
	});
});

describe("a slice of a database that nodes share", () => {
	/** So many calls a second, one after the other, at what each may and does cost. */
	const spend = async (seconds: number, most: number, cost: number): Promise<number> => {
		let answered = 0;
		for (let call = 0; call < seconds * 10; call++) {
			const asked = await ask(most);
			if (asked) {
				answered++;
				world.end(asked, cost);
			}
			await world.pass(100);
		}
		return answered;
	};

	test("is filled up to last for a minute at its pace, so that none is refused while the database is away", async () => {
		await open(2, 90_000);
		world.setQuota(token(), 10_000_000);
		expect(await spend(8, 20, 10)).toBe(80);
		const at = node();
		at.faults.push(...new Array<"failed">(100_000).fill("failed"));
		expect(await spend(60, 20, 10)).toBe(600);
		at.faults.length = 0;
		await world.pass(1_000);
		expect(account()).toMatchObject({ used: 6_800 });
		expect(world.recorded(token())).toBe(6_800);
	});

	test("takes nothing ahead that another node asked for", async () => {
		await open(2);
		world.setQuota(token(), 10_000);
		await spend(8, 20, 10);
		expect(account().leased).toBeGreaterThan(1_000);
		world.ask(node(1), token(), 9_000, 9_000);
		await world.pass(600);
		expect([...world.calls].map(({ node: on }) => world.nodes.indexOf(on))).toEqual([1]);
		await spend(5, 20, 10);
		expect(account().leased).toBeLessThan(9_000 + 700);
	});

	test("goes back after half a minute in which nobody used it, and not while the database is away", async () => {
		await open(2);
		world.setQuota(token(), 1_000);
		world.end(await mustAsk(10), 7);
		await world.pass(10_000);
		const at = node();
		at.faults.push(...new Array<"failed">(100_000).fill("failed"));
		await world.pass(6_000);
		world.end(await mustAsk(10), 7);
		at.faults.length = 0;
		await world.pass(29_000);
		expect(account().leased).toBeGreaterThan(0);
		await world.pass(2_500);
		expect(account()).toEqual({ quota: 1_000, used: 14, leased: 0 });
	});

	/** While the database is away: so many calls of 5, each with its row. Gives the sizes of the batches from then on, and what was wrong with the books after each. */
	const gather = async (count: number): Promise<{ batches: number[]; wrong: string[] }> => {
		world.setQuota(token(), 1_000_000);
		world.end(await mustAsk(1_000), 10);
		await world.pass(200);
		const { accounts, faults } = node();
		const reservation = (await accounts.reserve(
			{ id: "many", account: token(), model: "m" },
			{ least: 1, most: 1 },
			1_000_000,
		)) as Reservation;
		accounts.settle(reservation, 0);
		faults.push(...new Array<"failed">(100_000).fill("failed"));
		for (let call = 0; call < count; call++) {
			const { lease } = reservation;
			const one = { ...reservation, id: `${world.prefix}many-${call}`, amount: 5 };
			lease.hold(one, 0);
			const charge = accounts.settle(one, 5);
			accounts.record(charge.lease, { id: one.id, token: token(), cost: 5 });
		}
		world.delivered.set(token(), 10 + 5 * count);
		await world.pass(2_000);
		expect(account().used).toBe(10);
		faults.length = 0;
		const [batches, wrong]: [number[], string[]] = [[], []];
		world.watch = (statements) => {
			batches.push(statements);
			const broken = world.broken();
			if (broken !== undefined) wrong.push(broken);
		};
		return { batches, wrong };
	};

	test("brings what has gathered while the database was away in pieces, each with the charges it explains", async () => {
		await open(2);
		const { batches, wrong } = await gather(2_000);
		for (let turn = 0; turn < 20; turn++) await world.pass(100);
		expect([account().used, wrong]).toEqual([10_010, []]);
		expect(Math.max(...batches)).toBeLessThan(350);
		expect(batches.filter((count) => count > 100).length).toBeGreaterThanOrEqual(6);
	});

	test("so does the process after one that was killed, from its journal", async () => {
		await open(2);
		const { batches, wrong } = await gather(2_000);
		world.kill(node(), true);
		await world.start(node());
		expect([account().used, wrong]).toEqual([10_010, []]);
		expect(Math.max(...batches)).toBeLessThan(520);
		expect(batches.filter((count) => count >= 500).length).toBeGreaterThanOrEqual(3);
	});
});

describe("a quota that is changed", () => {
	test("downwards counts at once on the node, though the slice had more", async () => {
		await open();
		world.setQuota(token(), 1_000);
		world.end(await mustAsk(10), 10);
		world.setQuota(token(), 15);
		expect(await ask(10)).toBeUndefined();
		expect(await mustAsk(5)).toBeDefined();
	});
	test("below what is used lets nothing through, and upwards again lets through what is new", async () => {
		await open();
		world.setQuota(token(), 100);
		world.end(await mustAsk(50), 50);
		world.setQuota(token(), 20);
		expect(await ask(1)).toBeUndefined();
		await world.pass(3_000);
		expect(account()).toMatchObject({ quota: 20, used: 50 });
		world.setQuota(token(), 60);
		expect(await ask(11)).toBeUndefined();
		expect(await mustAsk(10)).toBeDefined();
		expect(world.broken()).toBeUndefined();
	});
});

describe("a call", () => {
	test("is charged once, however often it is settled, and at most what it held", async () => {
		await open();
		world.setQuota(token(), 100);
		const { reservation } = await mustAsk(10);
		expect(node().accounts.settle(reservation, 25)).toMatchObject({ charged: 10, excess: 15 });
		expect(node().accounts.settle(reservation, 25)).toMatchObject({ charged: 0, excess: 0 });
		await world.pass(100);
		expect(account().used).toBe(10);
	});
	test("is not let through when the journal cannot be written", async () => {
		await open();
		world.setQuota(token(), 1_000);
		await mustAsk(10);
		node().journals.begin(node().accounts.holder);
		const { journal } = node().accounts;
		journal.flush = () => {
			throw new Error("no space left on device");
		};
		expect(await ask(10)).toBeUndefined();
		expect(world.calls.size).toBe(1);
	});
	test("that runs when its process dies is charged its last mark, or all it held", async () => {
		await open();
		world.setQuota(token(), 1_000);
		const marked = await mustAsk(100);
		await mustAsk(50);
		node().accounts.watermark(marked.reservation, 30);
		node().accounts.watermark(marked.reservation, 40);
		world.kill(node(), true);
		await world.start(node());
		expect(account()).toEqual({ quota: 1_000, used: 90, leased: 0 });
		expect(world.recorded(token())).toBe(90);
	});
	test("that was settled but not written when its process died is charged what it cost, once", async () => {
		await open();
		world.setQuota(token(), 1_000);
		world.end(await mustAsk(100), 33);
		world.kill(node(), true);
		await world.start(node());
		expect(account().used).toBe(33);
		world.kill(node(), true);
		await world.start(node());
		expect(account()).toEqual({ quota: 1_000, used: 33, leased: 0 });
		expect(world.recorded(token())).toBe(33);
	});
});

describe("what a node had leased", () => {
	test("is charged in full after a loss of power, because the journal may lack its end", async () => {
		await open();
		world.setQuota(token(), 1_000);
		world.end(await mustAsk(10), 10);
		world.kill(node(), true);
		node().boot = "another";
		await world.start(node());
		expect(account()).toEqual({ quota: 1_000, used: 320, leased: 0 });
		expect(world.recorded(token())).toBe(320);
	});

	test("is charged what was spent of it where the database has lost it, as far as the account reaches", async () => {
		await open();
		world.setQuota(token(), 1_000);
		world.end(await mustAsk(100), 33);
		await mustAsk(50);
		world.kill(node(), true);
		world.loseLeases(token());
		await world.start(node());
		expect(account()).toEqual({ quota: 1_000, used: 83, leased: 0 });
		expect(world.recorded(token())).toBe(83);

		world.end(await mustAsk(500), 500);
		world.kill(node(), true);
		world.loseLeases(token());
		world.setQuota(token(), 300);
		await world.start(node());
		expect(account()).toEqual({ quota: 300, used: 300, leased: 0 });
	});

	test("is charged in full when it falls silent, and put right when it comes back", async () => {
		await open(2);
		world.setQuota(token(), 1_000);
		const call = await mustAsk(10);
		node().stopped = true;
		await world.pass(13_000);
		await world.reap();
		expect(account().leased).toBe(320);
		await world.pass(2_000);
		await world.reap();
		expect(account()).toMatchObject({ used: 320, leased: 0 });
		expect(world.recorded(token())).toBe(320);
		node().stopped = false;
		await world.pass(200);
		world.end(call, 4);
		await world.pass(500);
		expect(account()).toMatchObject({ used: 4, leased: 0 });
		expect(world.recorded(token())).toBe(4);
		expect(await mustAsk(10)).toBeDefined();
	});
});

describe("a token without a quota", () => {
	test("is let through at once, and what it costs is counted", async () => {
		await open();
		world.setQuota(token(), undefined);
		const call = await mustAsk(1);
		world.end(call, 700);
		await world.pass(100);
		expect(account()).toEqual({ quota: null, used: 700, leased: 0 });
		expect(world.recorded(token())).toBe(700);
	});
	test("that is given one is held to it, what it used before included", async () => {
		await open();
		world.setQuota(token(), undefined);
		const running = await mustAsk(1);
		world.end(await mustAsk(1), 700);
		await world.pass(100);
		world.setQuota(token(), 750);
		expect(await ask(60)).toBeUndefined();
		world.end(running, 200);
		await world.pass(200);
		expect(account()).toMatchObject({ used: 900, leased: 0 });
		expect(await ask(1)).toBeUndefined();
	});
});

describe("a task", () => {
	const reserve = (amount: number, id: string, at = node()) =>
		reserveTask(at.accounts, { id: token(), compiled: new Map() }, amount, `${world.prefix}${id}`, 0);
	const settle = (id: string, cost: number): void => world.write([world.sql.settleTask(`${world.prefix}${id}`, cost)]);

	test("holds what it may cost until it ends, and is charged once", async () => {
		await open();
		world.setQuota(token(), 100);
		const held = await reserve(60, "a");
		if (!("keep" in held)) throw new Error("refused");
		world.write(held.keep());
		await world.pass(3_600_000);
		await world.reap();
		expect(account()).toMatchObject({ used: 0, leased: 60 });
		settle("a", 45);
		settle("a", 45);
		settle("a", 0);
		expect(account()).toMatchObject({ used: 45, leased: 0 });
	});
	test("asked for twice by one id is held once", async () => {
		await open();
		world.setQuota(token(), 100);
		await reserve(60, "a");
		expect(await reserve(60, "a")).toHaveProperty("keep");
		expect(account().leased).toBe(60);
	});
	test("that costs more than it held is charged what it held", async () => {
		await open();
		world.setQuota(token(), 100);
		await reserve(60, "a");
		settle("a", 500);
		expect(account().used).toBe(60);
	});
	test("that was never created gives its hold back, and cannot be created afterwards", async () => {
		await open();
		world.setQuota(token(), 100);
		const held = await reserve(60, "a");
		await world.pass(61_000);
		await world.reap();
		expect(account()).toMatchObject({ used: 0, leased: 0 });
		expect(() => world.write("keep" in held ? held.keep() : [])).toThrow(/CHECK/);
	});
	test("that its batch did not create gives its hold back too", async () => {
		await open();
		world.setQuota(token(), 100);
		const held = await reserve(60, "a");
		world.write("keep" in held ? held.keep(sql`false`) : []);
		await world.pass(61_000);
		await world.reap();
		expect(account()).toMatchObject({ used: 0, leased: 0 });
	});
	test("gets what a node had leased but no call holds", async () => {
		await open(2);
		world.setQuota(token(), 100);
		world.end(await mustAsk(1, node(0)), 1);
		world.end(await mustAsk(1, node(1)), 1);
		const asked = reserve(95, "a", node(1));
		await world.pass(400);
		expect(await asked).toHaveProperty("keep");
		expect(account().leased).toBeGreaterThanOrEqual(95);
	});
	test("is refused in different words when the quota is held and when it is used up", async () => {
		await open();
		world.setQuota(token(), 100);
		const call: Reservation = (await mustAsk(60)).reservation;
		expect(await reserve(60, "a")).toMatchObject({ kind: "quota_held", retryAfterSeconds: 1 });
		node().accounts.settle(call, 60);
		await world.pass(100);
		expect(await reserve(60, "b")).toMatchObject({ kind: "quota_exhausted" });
	});
	test("of a token without a quota is counted", async () => {
		await open();
		world.setQuota(token(), undefined);
		await reserve(60, "a");
		settle("a", 60);
		expect(account()).toMatchObject({ used: 60, leased: 0 });
	});
});
