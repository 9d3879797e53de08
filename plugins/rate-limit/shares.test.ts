/** What several nodes let through together, against one bucket of a single node. */
import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { settle } from "../../test/support/moving-clock.ts";
import { type Fault, RateWorld } from "../../test/support/rate-world.ts";
import type { Limits } from "./meter.ts";

let world: RateWorld;
afterEach(() => world.close());
const begin = (limits: Limits, nodes: number): RateWorld => {
	world = new RateWorld(limits, nodes);
	return world;
};

/** So many calls at once, spread over the nodes; whoever waits for other nodes gets the time to. */
const burst = async (count: number): Promise<void> => {
	const calls = Promise.all(Array.from({ length: count }, (_, index) => world.call(world.node(index))));
	await world.elapse(1_000);
	await calls;
};

describe("a burst on three nodes", () => {
	test.each([1, 2, 7, 15, 16, 60, 600])("lets exactly %p requests of the minute through", async (limit) => {
		begin({ requestsPerMinute: limit }, 3);
		await burst(limit * 2 + 5);
		// A second passed.
		expect(world.passed).toBeGreaterThanOrEqual(limit);
		expect(world.passed).toBeLessThanOrEqual(limit + Math.ceil(limit / 60));
		expect(world.lowest).toBeGreaterThanOrEqual(-1e-6);
	});
	test.each([1, 2, 15, 16, 40, 100])("lets exactly %p calls run at once", async (limit) => {
		begin({ concurrent: limit }, 3);
		await burst(limit * 2 + 5);
		expect([world.passed, world.mostAtOnce]).toEqual([limit, limit]);
		for (const node of world.nodes) while (node.running > 0) world.end(node, true);
		await world.elapse(20);
		await burst(limit * 2 + 5);
		expect([world.passed, world.mostAtOnce]).toEqual([2 * limit, limit]);
	});
	test("lets the minute's tokens through, and no call that would need more", async () => {
		begin({ tokensPerMinute: 6_000 }, 3);
		const calls = Promise.all(Array.from({ length: 20 }, (_, index) => world.call(world.node(index), 500)));
		await world.elapse(900);
		await calls;
		expect(world.passed).toBe(12);
	});
});

test("a node that holds a share lets calls through without asking, and asks before it is used up", async () => {
	begin({ requestsPerMinute: 6_000 }, 2);
	const node = world.node(0);
	expect(await world.call(node)).toBe("passed");
	for (let index = 0; index < 300; index++) {
		// At once: nothing is awaited.
		expect(node.meter.obstacle(0)).toBeUndefined();
		expect(await world.call(node)).toBe("passed");
		await settle();
	}
	expect(node.writes()).toBeLessThan(10);
});

test("what a node holds and no call wants is back after less than half a second, and its end gives back at once", async () => {
	begin({ requestsPerMinute: 6_000, concurrent: 100 }, 2);
	await world.call(world.node(0));
	const held = () => world.rows("SELECT bucket, held FROM rate_shares WHERE held > 0 ORDER BY bucket");
	expect(held()).toEqual([
		{ bucket: "token t concurrent", held: 7 },
		{ bucket: "token t requests", held: 376 },
	]);
	await world.elapse(450);
	expect(held()).toEqual([{ bucket: "token t concurrent", held: 1 }]);
	await world.call(world.node(1));
	world.end(world.node(0), true);
	await Promise.all(world.nodes.map(({ sync }) => sync.close()));
	expect(held()).toEqual([{ bucket: "token t concurrent", held: 1 }]);
});

test("of all nodes together no more than an eighth is held that no call wanted", async () => {
	begin({ requestsPerMinute: 8_000 }, 12);
	for (const node of world.nodes) expect(await world.call(node)).toBe("passed");
	const [row] = world.rows("SELECT sum(spare) AS spare, min(spare) AS least FROM rate_shares");
	expect(Number(row?.["spare"])).toBeLessThanOrEqual(1_000);
	expect(world.refused).toBe(0);
});

test("calls that run are counted as long as they run, and those of a node that died as long as its share lasts", async () => {
	begin({ concurrent: 2 }, 2);
	expect(await world.call(world.node(0))).toBe("passed");
	expect(await world.call(world.node(1))).toBe("passed");
	await world.elapse(60_000);
	await burst(4);
	expect([world.passed, world.mostAtOnce]).toEqual([2, 2]);
	world.kill(0);
	await world.elapse(9_000);
	await burst(2);
	expect(world.passed).toBe(2);
	await world.elapse(4_000);
	await burst(2);
	expect([world.passed, world.mostAtOnce]).toEqual([3, 2]);
});

test("what calls used beyond their guess keeps other nodes waiting too", async () => {
	begin({ tokensPerMinute: 6_000 }, 2);
	expect(await world.call(world.node(0), 100)).toBe("passed");
	// It is told again when the database did not hear it.
	world.node(0).faults.push("failed");
	world.end(world.node(0), true, 100, 7_000);
	await world.elapse(600);
	const asked = world.call(world.node(1), 10);
	await world.elapse(500);
	expect(await asked).toBe("refused");
	// A thousand too many are ten seconds of the limit.
	await world.elapse(10_000);
	expect(await world.call(world.node(1), 10)).toBe("passed");
});

describe("a node that holds ten of 160 requests", () => {
	const crowd = (at: number): Promise<unknown> =>
		Promise.all(Array.from({ length: 200 }, () => world.call(world.node(at))));
	const holding = async (): Promise<void> => {
		begin({ requestsPerMinute: 160 }, 2);
		expect(await world.call(world.node(0))).toBe("passed");
		expect(world.rows("SELECT held FROM rate_shares")).toEqual([{ held: 11 }]);
	};
	const standStill = async (milliseconds: number, then = async (): Promise<void> => {}): Promise<void> => {
		world.node(0).still = true;
		await world.elapse(milliseconds);
		await then();
		world.node(0).still = false;
	};

	test("and stood still while the bucket filled gets no more than the bucket beside them", async () => {
		await holding();
		await standStill(7_000);
		const crowded = crowd(0);
		await world.elapse(1_000);
		await crowded;
		expect(world.lowest).toBeGreaterThanOrEqual(0);
		expect(world.passed).toBeGreaterThanOrEqual(160);
	});
	test("and stood still for longer than its share lasts has them no more", async () => {
		await holding();
		await standStill(14_000, async () => void (await world.call(world.node(1))));
		await standStill(6_000);
		const crowded = Promise.all([crowd(1), crowd(0)]);
		await world.elapse(1_000);
		await crowded;
		expect(world.lowest).toBeGreaterThanOrEqual(0);
	});
	test("and gave them back without hearing so has them no more", async () => {
		await holding();
		world.node(0).faults.push("failed_after_commit");
		await world.elapse(450);
		const crowded = Promise.all([crowd(1), crowd(0)]);
		await world.elapse(1_000);
		await crowded;
		expect(world.lowest).toBeGreaterThanOrEqual(0);
	});
	test("and of which the database knows nothing any more has what it is granted anew", async () => {
		await holding();
		world.rows("DELETE FROM rate_shares RETURNING bucket");
		for (let index = 0; index < 5; index++) expect(await world.call(world.node(0))).toBe("passed");
		await settle();
		expect(world.rows("SELECT held, granted FROM rate_shares")).toEqual([{ held: 5, granted: 5 }]);
	});
});

test("a limit that is changed changes what is left by as much, on whichever node it is heard first", async () => {
	begin({ requestsPerMinute: 10 }, 2);
	await burst(12);
	expect(world.passed).toBe(10);
	const { sync } = world.node(1);
	const later = begin({ requestsPerMinute: 30 }, 1);
	later.time = 1_000_000 + 1_000;
	expect(sync.holder).not.toBe(later.node(0).sync.holder);
	await burst(40);
	expect(later.passed).toBeGreaterThanOrEqual(20);
	expect(later.passed).toBeLessThanOrEqual(21);
});

test("without the database a share goes on as long as it lasts, and nothing passes that was not asked for", async () => {
	begin({ requestsPerMinute: 6_000 }, 1);
	const node = world.node(0);
	expect(await world.call(node)).toBe("passed");
	node.line.cut = true;
	for (let second = 0; second < 7; second++) {
		expect(await world.call(node)).toBe("passed");
		await world.elapse(250);
	}
	await world.elapse(9_000);
	expect(await world.call(node)).toBe("unreachable");
	node.line.cut = false;
	expect(await world.call(node)).toBe("passed");
});

test("where the number of nodes is told, each lets its part through while the database is away, and tells of it afterwards", async () => {
	world = new RateWorld({ requestsPerMinute: 600, concurrent: 30 }, 3, true);
	const endBut = (running: number): void => {
		for (const one of world.nodes) for (let left = one.running; left > running; left--) world.end(one, true);
	};
	const cut = (away: boolean): void => {
		for (const one of world.nodes) one.line.cut = away;
	};
	const crowds = async (seconds: number): Promise<number> => {
		const before = world.passed;
		for (let second = 0; second < seconds; second++) {
			endBut(4);
			await burst(90);
		}
		return world.passed - before;
	};
	// The minute is used up when the database goes.
	await crowds(60);
	cut(true);
	expect(await crowds(60)).toBeGreaterThan(500);
	cut(false);
	await world.elapse(1_000);
	await crowds(20);
	expect(world.lowest).toBeGreaterThanOrEqual(-1e-6);
	expect(world.mostAtOnce).toBeLessThanOrEqual(30);
});

test("a bucket that nobody asked for in a while is forgotten, one that is overdrawn is not", async () => {
	begin({ requestsPerMinute: 10, tokensPerMinute: 60 }, 1);
	await world.call(world.node(0), 10);
	world.end(world.node(0), true, 10, 1_000);
	await world.elapse(400_000);
	world.prune();
	expect(world.rows("SELECT name FROM rate_buckets")).toEqual([{ name: "token t tokens" }]);
	await world.elapse(800_000);
	world.prune();
	expect(world.rows("SELECT name FROM rate_buckets UNION SELECT bucket FROM rate_shares")).toEqual([]);
});

const node = fc.nat(3);
const fault = fc.constantFrom<Fault>("lost_reply", "failed", "failed_after_commit");
type Deed = () => Promise<void> | void;
const deed: fc.Arbitrary<Deed> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.tuple(node, fc.integer({ min: 1, max: 12 })).map(
			([at, count]): Deed =>
				() => {
					for (let index = 0; index < count; index++) void world.call(world.node(at));
				},
		),
	},
	{
		weight: 5,
		arbitrary: fc.tuple(node, fc.boolean()).map(
			([at, sent]): Deed =>
				() =>
					world.end(world.node(at), sent),
		),
	},
	{
		weight: 5,
		arbitrary: fc.integer({ min: 1, max: 15_000 }).map(
			(milliseconds): Deed =>
				() =>
					world.elapse(milliseconds),
		),
	},
	{
		weight: 2,
		arbitrary: fc.tuple(node, fault).map(
			([at, one]): Deed =>
				() =>
					void world.node(at).faults.push(one),
		),
	},
	{
		weight: 1,
		arbitrary: node.map(
			(at): Deed =>
				() =>
					world.kill(at),
		),
	},
	{
		weight: 1,
		// Calls of a node that nobody hears of are not counted for ever: that is said, and is no part of this.
		arbitrary: node.map(
			(at): Deed =>
				() => {
					const one = world.node(at);
					one.still = !one.still && one.running === 0;
				},
		),
	},
);

test("never lets more through than a single node would, whatever happens to nodes and database", async () => {
	const limits = fc.record({
		requestsPerMinute: fc.integer({ min: 1, max: 200 }),
		concurrent: fc.integer({ min: 1, max: 40 }),
	});
	await fc.assert(
		fc.asyncProperty(limits, fc.array(deed, { maxLength: 60 }), async (limited, deeds) => {
			begin(limited, 4);
			for (const one of deeds) await one();
			await world.elapse(2_000);
			world.close();
			expect(world.lowest).toBeGreaterThanOrEqual(-1e-6);
			expect(world.mostAtOnce).toBeLessThanOrEqual(limited.concurrent);
		}),
		{ numRuns: Number(process.env["RUNS"] ?? 40) },
	);
}, 600_000);
