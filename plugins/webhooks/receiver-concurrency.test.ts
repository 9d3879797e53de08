import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ReceiverConcurrency } from "./receiver-concurrency.ts";

const enterAll = (concurrency: ReceiverConcurrency, receiver: string, wanted = 1000): number => {
	let entered = 0;
	while (entered < wanted && concurrency.enter(receiver)) entered++;
	return entered;
};

/** Lets a receiver answer promptly once. */
const prove = (concurrency: ReceiverConcurrency, receiver: string): void => {
	expect(concurrency.enter(receiver)).toBe(true);
	concurrency.leave(receiver, 10);
};

describe("concurrency", () => {
	test("a receiver that answers promptly gets all its concurrency, a stranger a few", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		prove(concurrency, "known");
		expect(enterAll(concurrency, "known")).toBe(64);
		expect(enterAll(concurrency, "stranger")).toBe(16);
	});

	test("strangers that hang fill their share and leave room for who answers", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		prove(concurrency, "healthy");
		let running = 0;
		for (let index = 0; index < 2000; index++) running += enterAll(concurrency, `hung-${index}`);
		expect(running).toBe(768);
		expect(enterAll(concurrency, "healthy")).toBe(64);
	});

	test("seven hundred strangers have a place each, however many the first ones want", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		const served = Array.from({ length: 500 }, (_, index) => enterAll(concurrency, `hung-${index}`));
		expect(served.every((count) => count >= 1)).toBe(true);
	});

	test("one that stops answering falls back to a stranger's share", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		prove(concurrency, "once good");
		for (let index = 0; index < 64; index++) concurrency.enter("once good");
		for (let index = 0; index < 64; index++) concurrency.leave("once good", 5000);
		expect(enterAll(concurrency, "once good")).toBe(16);
	});

	test("whom to look for are all but the full, or only the proven when strangers have used up their share", () => {
		const concurrency = new ReceiverConcurrency({ overall: 16, perReceiver: 4 });
		prove(concurrency, "healthy");
		expect(concurrency.reach()).toEqual({ only: false, receivers: [] });
		for (let index = 0; index < 20; index++) concurrency.enter(`hung-${index}`);
		expect(concurrency.reach()).toEqual({ only: true, receivers: ["healthy"] });
	});

	test("limits hold whatever happens, and everything is given back", () => {
		fc.assert(
			fc.property(
				steps,
				fc.integer({ min: 4, max: 40 }),
				fc.integer({ min: 1, max: 8 }),
				(list, overall, perReceiver) => {
					const book = new Book(new ReceiverConcurrency({ overall, perReceiver }));
					for (const step of list) {
						book.take(step);
						expect(book.all).toBeLessThanOrEqual(overall);
						expect(book.concurrency.free).toBe(overall - book.all);
						expect(book.most).toBeLessThanOrEqual(perReceiver);
					}
					book.leaveAll();
					expect([book.concurrency.free, book.concurrency.reach().only]).toEqual([overall, false]);
				},
			),
		);
	});
});

interface Step {
	readonly receiver: number;
	readonly enters: boolean;
	readonly durationMs: number | undefined;
}

const steps = fc.array(
	fc.record({ receiver: fc.nat(20), enters: fc.boolean(), durationMs: fc.option(fc.nat(6000), { nil: undefined }) }),
	{ maxLength: 400 },
);

/** What is known to be running, counted apart from what each upstream holds. */
class Book {
	readonly concurrency: ReceiverConcurrency;
	private readonly running = new Map<number, number>();

	constructor(concurrency: ReceiverConcurrency) {
		this.concurrency = concurrency;
	}

	take({ receiver, enters, durationMs }: Step): void {
		const count = this.running.get(receiver) ?? 0;
		if (enters && this.concurrency.enter(`r${receiver}`)) this.running.set(receiver, count + 1);
		else if (!enters && count > 0) {
			this.concurrency.leave(`r${receiver}`, durationMs);
			this.running.set(receiver, count - 1);
		}
	}

	leaveAll(): void {
		for (const [receiver, count] of this.running)
			for (let left = count; left > 0; left--) this.concurrency.leave(`r${receiver}`, undefined);
		this.running.clear();
	}

	get all(): number {
		return [...this.running.values()].reduce((sum, count) => sum + count, 0);
	}

	get most(): number {
		return Math.max(0, ...this.running.values());
	}
}
