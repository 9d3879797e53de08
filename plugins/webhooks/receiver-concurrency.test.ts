import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { loadName, ReceiverConcurrency } from "./receiver-concurrency.ts";

const enterAll = (concurrency: ReceiverConcurrency, receiver: string, owner = "a", wanted = 1000): number => {
	let entered = 0;
	while (entered < wanted && concurrency.enter(owner, receiver)) entered++;
	return entered;
};

/** Lets a receiver answer promptly once. */
const prove = (concurrency: ReceiverConcurrency, receiver: string, owner = "a"): void => {
	expect(concurrency.enter(owner, receiver)).toBe(true);
	concurrency.leave(owner, receiver, 10);
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
		expect(running).toBe(615);
		expect(enterAll(concurrency, "healthy")).toBe(64);
	});

	test("more than four hundred strangers have a place each, however many the first ones want", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		const served = Array.from({ length: 450 }, (_, index) => enterAll(concurrency, `hung-${index}`));
		expect(served.every((count) => count >= 1)).toBe(true);
	});

	test("one that stops answering falls back to a stranger's share", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		prove(concurrency, "once good");
		for (let index = 0; index < 64; index++) concurrency.enter("a", "once good");
		for (let index = 0; index < 64; index++) concurrency.leave("a", "once good", 5000);
		expect(enterAll(concurrency, "once good")).toBe(16);
	});

	test("however many receivers of several tokens hang, one more token has room at a stranger", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		for (let token = 0; token < 3; token++)
			for (let index = 0; index < 1000; index++) enterAll(concurrency, `hung-${index}`, `hanging-${token}`);
		expect(enterAll(concurrency, "stranger", "b")).toBe(5);
	});

	test("however many tokens take all places they can, each of many others has one", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		const receivers = Array.from({ length: 40 }, (_, index) => `prompt-${index}`);
		const greedy = Array.from({ length: 12 }, (_, index) => `greedy-${index}`);
		for (const owner of greedy) for (const receiver of receivers) prove(concurrency, `${owner}-${receiver}`, owner);
		for (const owner of greedy) for (const receiver of receivers) enterAll(concurrency, `${owner}-${receiver}`, owner);
		for (const owner of greedy) for (const receiver of receivers) enterAll(concurrency, `hung-${receiver}`, owner);
		expect(Array.from({ length: 50 }, (_, index) => enterAll(concurrency, "own", `token-${index}`))).toEqual(
			Array.from({ length: 50 }, () => 1),
		);
	});

	test("receivers that were prompt and hang now leave a quarter of all places to other tokens", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		for (let index = 0; index < 40; index++) prove(concurrency, `prompt-${index}`);
		let running = 0;
		for (let index = 0; index < 40; index++) running += enterAll(concurrency, `prompt-${index}`);
		expect(running).toBe(768);
		expect(enterAll(concurrency, "stranger", "b")).toBe(16);
	});

	test("at a receiver that one token has filled another has a place, and all that are left", () => {
		const concurrency = new ReceiverConcurrency({ overall: 1024, perReceiver: 64 });
		prove(concurrency, "shared");
		prove(concurrency, "shared", "b");
		expect(enterAll(concurrency, "shared")).toBe(64);
		expect(enterAll(concurrency, "shared", "b")).toBe(1);
		for (let index = 0; index < 64; index++) concurrency.leave("a", "shared", 5000);
		expect(enterAll(concurrency, "shared")).toBe(16);
		expect(enterAll(concurrency, "shared", "b")).toBe(47);
	});

	test("what is looked for: all but what is full; of a token whose strangers fill its share only who is known", () => {
		const concurrency = new ReceiverConcurrency({ overall: 64, perReceiver: 4 });
		prove(concurrency, "healthy");
		expect(concurrency.reach()).toEqual({ only: false, narrowed: [], open: [], full: [] });
		enterAll(concurrency, "healthy");
		expect(concurrency.reach().full).toEqual([loadName("a", "healthy")]);
		for (let index = 0; index < 4; index++) concurrency.leave("a", "healthy", 10);
		for (let index = 0; index < 60; index++) concurrency.enter("a", `hung-${index}`);
		expect(concurrency.reach()).toEqual({ only: false, narrowed: ["a"], open: [loadName("a", "healthy")], full: [] });
		for (const owner of "bc") for (let index = 0; index < 20; index++) concurrency.enter(owner, `hung-${index}`);
		expect(concurrency.reach()).toMatchObject({
			only: false,
			narrowed: ["a", "b", "c"],
			open: [loadName("a", "healthy")],
			full: [],
		});
		for (let index = 0; index < 20; index++) concurrency.enter(`other-${index}`, "hung");
		expect(concurrency.reach()).toMatchObject({ only: true, full: [] });
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
						expect(book.most).toBeLessThan(perReceiver + tokens.length);
						expect(book.agrees).toBe(true);
					}
					book.leaveAll();
					expect([book.concurrency.free, book.concurrency.reach().only]).toEqual([overall, false]);
				},
			),
		);
	});
});

const tokens = ["a", "b", "c"] as const;

interface Step {
	readonly token: (typeof tokens)[number];
	readonly receiver: number;
	readonly enters: boolean;
	readonly durationMs: number | undefined;
}

const steps = fc.array(
	fc.record({
		token: fc.constantFrom(...tokens),
		receiver: fc.nat(20),
		enters: fc.boolean(),
		durationMs: fc.option(fc.nat(6000), { nil: undefined }),
	}),
	{ maxLength: 400 },
);

/** What is known to be running, counted apart from what each upstream holds. */
class Book {
	readonly concurrency: ReceiverConcurrency;
	private readonly running = new Map<string, number>();

	constructor(concurrency: ReceiverConcurrency) {
		this.concurrency = concurrency;
	}

	take({ token, receiver, enters, durationMs }: Step): void {
		const name = loadName(token, `r${receiver}`);
		const count = this.running.get(name) ?? 0;
		if (enters && this.concurrency.enter(token, `r${receiver}`)) this.running.set(name, count + 1);
		else if (!enters && count > 0) {
			this.concurrency.leave(token, `r${receiver}`, durationMs);
			this.running.set(name, count - 1);
		}
	}

	leaveAll(): void {
		for (const [name, count] of this.running) {
			const [token = "", receiver = ""] = name.split(" ");
			for (let left = count; left > 0; left--) this.concurrency.leave(token, receiver, undefined);
		}
		this.running.clear();
	}

	get all(): number {
		return [...this.running.values()].reduce((sum, count) => sum + count, 0);
	}

	/** At one receiver, of all tokens. */
	get most(): number {
		const at = (receiver: number): number =>
			tokens.reduce((sum, token) => sum + (this.running.get(loadName(token, `r${receiver}`)) ?? 0), 0);
		return Math.max(...Array.from({ length: 21 }, (_, receiver) => at(receiver)));
	}

	/** Whether what is looked for is what there is room for. */
	get agrees(): boolean {
		const { only, narrowed, open, full } = this.concurrency.reach();
		return [...tokens, "d"].every((token) =>
			["r0", "r1", "never seen"].every((receiver) => {
				const name = loadName(token, receiver);
				const looked = (!only && !narrowed.includes(token) && !full.includes(name)) || open.includes(name);
				const entered = this.concurrency.enter(token, receiver);
				if (entered) this.concurrency.leave(token, receiver, undefined);
				return looked === entered;
			}),
		);
	}
}
