import { expect, test } from "bun:test";
import { createMovedClock, until } from "../../test/support/moved-clock.ts";
import { quiet } from "../../test/support/quiet.ts";
import { WorkQueue, type WorkQueueOptions } from "./work-queue.ts";

/** Rows by the time at which they become due, each taken once, and ended by the test. */
const scene = (options: Partial<WorkQueueOptions> = {}) => {
	const clock = createMovedClock(0);
	const due = new Map<string, number>();
	const taken: string[] = [];
	const ends = new Map<string, { end(): void; fail(error: Error): void }>();
	const renewed: (readonly string[])[] = [];
	const recovered: (readonly string[])[] = [];
	const failures: unknown[] = [];
	const leases = new Set<string>();
	const queue = new WorkQueue({
		clock,
		now: clock.now,
		leaseMs: 30_000,
		async claim(lease) {
			const ids = [...due].filter(([, at]) => at <= clock.now()).map(([id]) => id);
			if (ids.length === 0) return undefined;
			leases.add(lease);
			return ids.map((id) => {
				due.delete(id);
				taken.push(id);
				const { promise, resolve, reject } = Promise.withResolvers<void>();
				ends.set(id, { end: resolve, fail: reject });
				return { ids: [id], ended: promise };
			});
		},
		nextDue: async (now) => [...due.values()].filter((at) => at > now).sort((a, b) => a - b)[0],
		renew: async (given) => void renewed.push(given),
		recover: async (held) => void recovered.push(held),
		failed: (error) => void failures.push(error),
		...options,
	});
	return { clock, due, taken, ends, renewed, recovered, failures, leases, queue };
};

test("takes what is due, and sleeps until the next is", async () => {
	const { clock, due, taken, queue } = scene();
	due.set("now", 0).set("later", 1_000);
	queue.wake();
	await queue.claimed();
	expect(taken).toEqual(["now"]);
	clock.advance(999);
	await quiet(5);
	expect(taken).toEqual(["now"]);
	clock.advance(1);
	await until(() => taken.length === 2);
});

test("takes what becomes due while it looks for due rows, and does not leave it to the next tick", async () => {
	const { clock, due, taken, queue } = scene({
		async claim() {
			if ((due.get("a") ?? Number.POSITIVE_INFINITY) > clock.now()) {
				clock.advance(5);
				return undefined;
			}
			due.delete("a");
			taken.push("a");
			return [{ ids: ["a"], ended: Promise.resolve() }];
		},
	});
	due.set("a", 4);
	queue.wake();
	await queue.claimed();
	expect(taken).toEqual([]);
	clock.advance(1);
	await until(() => taken.length === 1);
});

test("renews what it holds and nothing else, and tells a recovery what that is", async () => {
	const { clock, due, ends, renewed, recovered, leases, queue } = scene();
	due.set("a", 0).set("b", 0);
	queue.wake();
	await queue.claimed();
	clock.advance(10_000);
	await queue.tick();
	expect(renewed).toEqual([[...leases]]);
	expect(recovered.at(-1)).toEqual(["a", "b"]);
	ends.get("a")?.end();
	await quiet(5);
	await queue.tick();
	expect(recovered.at(-1)).toEqual(["b"]);
	ends.get("b")?.end();
	await quiet(5);
	clock.advance(10_000);
	await queue.tick();
	expect(renewed).toHaveLength(1);
});

test("goes on renewing after a stop, until its work has ended", async () => {
	const { clock, due, ends, renewed, leases, queue } = scene();
	due.set("a", 0);
	queue.wake();
	await queue.claimed();
	const stopping = queue.stop();
	for (let third = 0; third < 4; third++) {
		clock.advance(10_000);
		await quiet(5);
	}
	const [lease = ""] = leases;
	expect(renewed).toEqual([[lease], [lease], [lease], [lease]]);
	ends.get("a")?.end();
	await stopping;
	clock.advance(20_000);
	await quiet(5);
	expect(renewed).toHaveLength(4);
});

test("a lease that could not be lengthened is told of, and lengthened a third of its time later", async () => {
	let tries = 0;
	const { clock, due, failures, queue } = scene({
		async renew() {
			if (++tries === 1) throw new Error("locked");
		},
	});
	due.set("a", 0);
	queue.wake();
	await queue.claimed();
	clock.advance(10_000);
	await until(() => failures.length === 1);
	expect(failures).toEqual([new Error("locked")]);
	clock.advance(10_000);
	await until(() => tries === 2);
});

test("work that cannot be ended is told of and let go", async () => {
	const { due, ends, failures, recovered, queue } = scene();
	due.set("a", 0);
	queue.wake();
	await queue.claimed();
	const error = new Error("no");
	ends.get("a")?.fail(error);
	await until(() => failures.length === 1);
	expect(failures).toEqual([error]);
	await queue.tick();
	expect(recovered.at(-1)).toEqual([]);
});

test("a claim that fails is told of, and made again at the next tick", async () => {
	let broken = true;
	let claims = 0;
	const { failures, queue } = scene({
		async claim() {
			claims++;
			if (broken) throw new Error("locked");
			return undefined;
		},
	});
	queue.wake();
	await queue.claimed();
	expect(failures).toEqual([new Error("locked")]);
	broken = false;
	await queue.tick();
	await queue.claimed();
	expect(claims).toBe(2);
});

test("a claim that goes on failing is told of once, and anew for another reason or after one that succeeded", async () => {
	let reason: string | undefined = "away";
	const { failures, queue } = scene({
		async claim() {
			if (reason !== undefined) throw new Error(reason);
			return undefined;
		},
	});
	for (const next of ["away", "away", "full", "full", undefined, "full"]) {
		reason = next;
		await queue.tick();
		await queue.claimed();
	}
	expect(failures).toEqual([new Error("away"), new Error("full"), new Error("full")]);
});

test("claims nothing more once its job has ended, which leaves what is due to another", async () => {
	const { clock, due, taken, queue } = scene();
	const job = new AbortController();
	due.set("later", 1_000);
	await queue.tick(job.signal);
	await queue.claimed();
	job.abort();
	clock.advance(1_000);
	queue.wake();
	await queue.claimed();
	await quiet(5);
	expect(taken).toEqual([]);
});

test("a stop claims nothing more and waits for what is under way, until that must end", async () => {
	const { due, taken, ends, queue } = scene();
	due.set("a", 0);
	queue.wake();
	await queue.claimed();
	let stopped = false;
	const stopping = queue.stop().then(() => {
		stopped = true;
	});
	due.set("b", 0);
	queue.wake();
	await quiet(5);
	expect([taken, stopped]).toEqual([["a"], false]);
	ends.get("a")?.end();
	await stopping;

	const other = scene();
	other.due.set("a", 0);
	other.queue.wake();
	await other.queue.claimed();
	const mustEnd = new AbortController();
	const limited = other.queue.stop(mustEnd.signal);
	mustEnd.abort();
	await limited;
	other.clock.advance(10_000);
	await quiet(5);
	expect(other.renewed).toEqual([]);
});
