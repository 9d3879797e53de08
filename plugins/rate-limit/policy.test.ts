import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Denial, Log, Outcome, Permit, Policy, Routed, Usage } from "#core";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { Bucket } from "./bucket.ts";
import { duration } from "./headers.ts";
import { type Limits, type Meter, Meters, ownMeter } from "./meter.ts";
import { ratePolicy } from "./policy.ts";
import { modelLimitsOf, type RateConfig, rateLimit } from "./setting.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => silent };

const world = (config: RateConfig = {}) => {
	const clock = createMovedClock(Date.UTC(2027, 0, 1));
	const meters = new Meters(ownMeter);
	const policy = ratePolicy({
		meters: () => meters,
		clock,
		log: silent,
		modelLimits: modelLimitsOf(config.models),
		nodes: config.nodes ?? 1,
	});
	return { clock, meters, policy };
};

const call = (
	more: { token?: string; model?: string; protocol?: string; bytes?: number; operation?: string } = {},
): Routed =>
	({
		token: { id: more.token ?? "t" },
		model: { name: more.model ?? "m", operation: more.operation ?? "generate" },
		protocol: more.protocol ?? "chat-completions",
		requestBytes: more.bytes ?? 40,
	}) as unknown as Routed;

const ask = (
	policy: Policy<Limits>,
	limits: Limits | undefined,
	more?: Parameters<typeof call>[0],
): Permit | Denial | undefined => policy.check?.(call(more), limits) as Permit | Denial | undefined;
const refused = (answer: Permit | Denial | undefined): Denial => {
	if (!answer || !("kind" in answer)) throw new Error("the call was let through");
	return answer;
};
const passed = (answer: Permit | Denial | undefined): Permit => {
	if (!answer || "kind" in answer) throw new Error("the call was refused");
	return answer;
};
const outcome = (usage?: Usage, sent = true): Outcome => ({
	ending: "completed",
	sent,
	contentBytes: 0,
	pieces: 0,
	...(usage && { usage }),
});
const used = (input: number, output: number): Outcome =>
	outcome({ input: { total: input }, output: { total: output } });

describe("requests a minute", () => {
	const limits = { requestsPerMinute: 60 };
	test("pass up to the limit at once, then one a second", () => {
		const { clock, policy } = world();
		for (let index = 0; index < 60; index++) passed(ask(policy, limits)).settle?.(outcome());
		const denial = refused(ask(policy, limits));
		expect(denial).toMatchObject({ kind: "rate_limited", retryAfterSeconds: 1 });
		expect(denial.message).toContain("60 requests a minute");
		expect(denial.message).toContain("try again in 1s");
		clock.advance(1000);
		passed(ask(policy, limits)).settle?.(outcome());
		expect(refused(ask(policy, limits)).kind).toBe("rate_limited");
	});
	test("of one token do not count for another", () => {
		const { policy } = world();
		passed(ask(policy, { requestsPerMinute: 1 }, { token: "a" }));
		passed(ask(policy, { requestsPerMinute: 1 }, { token: "b" }));
		const { message } = refused(ask(policy, { requestsPerMinute: 1 }, { token: "a" }));
		expect(message).toContain(": 1 request a minute.");
	});
	test("are shown in words in the table of tokens", () => {
		const limits = { concurrent: 1, requestsPerMinute: 60, tokensPerMinute: 100_000 };
		expect(rateLimit.inWords?.(limits, {})).toBe("60 requests a minute, 100000 model tokens a minute, 1 call at once");
	});
	test("that another rule refused do not count", () => {
		const { policy } = world();
		passed(ask(policy, { requestsPerMinute: 1 })).settle?.(outcome(undefined, false));
		passed(ask(policy, { requestsPerMinute: 1 }));
	});
	test("to count tokens count too, estimated or not, and bring no model tokens", () => {
		const { policy } = world();
		const counting = { operation: "count_tokens", bytes: 4_000_000 };
		const limits = { requestsPerMinute: 2, tokensPerMinute: 10 };
		passed(ask(policy, limits, counting)).settle?.(outcome(undefined, false));
		passed(ask(policy, limits, counting)).settle?.(outcome());
		refused(ask(policy, limits, counting));
	});
	test("never exceed limit and a minute's share, whatever the rhythm", () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat(20_000), { maxLength: 100 }), (limit, pauses) => {
				const bucket = new Bucket(limit, 0);
				const taken: number[] = [];
				let now = 0;
				for (const pause of pauses) {
					now += pause;
					if (bucket.wait(1, now) > 0) continue;
					bucket.take(1, now);
					taken.push(now);
				}
				for (const from of taken)
					expect(taken.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(2 * limit);
			}),
		);
	});
});

describe("model tokens a minute", () => {
	test("are guessed from the body, then put right by what was used", () => {
		const { clock, policy } = world();
		const limits = { tokensPerMinute: 6_000 };
		passed(ask(policy, limits, { bytes: 4_000 })).settle?.(used(1_000, 6_000));
		const denial = refused(ask(policy, limits, { bytes: 40 }));
		expect(denial.message).toContain("6000 model tokens a minute");
		expect(denial.retryAfterSeconds).toBe(11);
		clock.advance(11_000);
		passed(ask(policy, limits, { bytes: 40 }));
	});
	test("let a call larger than the whole minute through when nothing else was used", () => {
		const { policy } = world();
		passed(ask(policy, { tokensPerMinute: 10 }, { bytes: 4_000 }));
	});
	test("that were overdrawn far never ask for more than a minute's patience", () => {
		const { policy } = world();
		passed(ask(policy, { tokensPerMinute: 10 })).settle?.(used(100_000, 0));
		expect(refused(ask(policy, { tokensPerMinute: 10 })).retryAfterSeconds).toBe(60);
	});
});

describe("calls at once", () => {
	test("make room when they end, however they end", () => {
		const { policy } = world();
		const limits = { concurrent: 2 };
		const first = passed(ask(policy, limits));
		passed(ask(policy, limits));
		expect(refused(ask(policy, limits))).toMatchObject({ kind: "rate_limited", retryAfterSeconds: 1 });
		first.settle?.({ ...outcome(undefined, false), ending: "client_left" });
		passed(ask(policy, limits));
	});
	test("are still counted when the limits change while they run", () => {
		const { policy } = world();
		const first = passed(ask(policy, { concurrent: 5 }));
		refused(ask(policy, { concurrent: 1 }));
		first.settle?.(outcome());
		passed(ask(policy, { concurrent: 1 }));
	});
});

describe("limits of models", () => {
	const config = { models: { slow: { requestsPerMinute: 1 }, "big-*": { concurrent: 1 } } };
	test("hold for all tokens together, and by pattern for all its models together", () => {
		const { policy } = world(config);
		passed(ask(policy, undefined, { token: "a", model: "slow" }));
		expect(refused(ask(policy, undefined, { token: "b", model: "slow" })).message).toContain("this model");
		passed(ask(policy, undefined, { token: "a", model: "big-1" }));
		refused(ask(policy, undefined, { token: "b", model: "big-2" }));
		expect(ask(policy, undefined, { model: "other" })).toBeUndefined();
	});
	test("and of the token both count, and neither is used up when the other refuses", () => {
		const { clock, policy } = world(config);
		passed(ask(policy, { requestsPerMinute: 2 }, { model: "slow" }));
		refused(ask(policy, { requestsPerMinute: 2 }, { model: "slow" }));
		passed(ask(policy, { requestsPerMinute: 2 }, { model: "other" }));
		clock.advance(60_000);
		passed(ask(policy, { requestsPerMinute: 2 }, { model: "slow" }));
	});
	test("are divided among the nodes", () => {
		const { policy } = world({ nodes: 3 });
		for (let index = 0; index < 3; index++) passed(ask(policy, { requestsPerMinute: 10 }));
		expect(refused(ask(policy, { requestsPerMinute: 10 })).message).toContain("10 requests a minute");
	});
});

describe("headers", () => {
	const limits = { requestsPerMinute: 60, tokensPerMinute: 6_000 };
	test("are OpenAI's for its protocols", () => {
		const { policy } = world();
		expect(passed(ask(policy, limits, { protocol: "responses" })).headers).toEqual({
			"x-ratelimit-limit-requests": "60",
			"x-ratelimit-remaining-requests": "59",
			"x-ratelimit-reset-requests": "1s",
			"x-ratelimit-limit-tokens": "6000",
			"x-ratelimit-remaining-tokens": "5990",
			"x-ratelimit-reset-tokens": "100ms",
		});
	});
	test("are Anthropic's for messages, and go with a refusal too", () => {
		const { policy } = world();
		const expected = {
			"anthropic-ratelimit-requests-limit": "1",
			"anthropic-ratelimit-requests-remaining": "0",
			"anthropic-ratelimit-requests-reset": "2027-01-01T00:01:00Z",
		};
		expect(passed(ask(policy, { requestsPerMinute: 1 }, { protocol: "messages" })).headers).toEqual(expected);
		expect(refused(ask(policy, { requestsPerMinute: 1 }, { protocol: "messages" }))).toMatchObject({
			headers: expected,
			retryAfterSeconds: 60,
		});
	});
	test("are none for generate-content", () => {
		const { policy } = world();
		expect(passed(ask(policy, limits, { protocol: "generate-content" })).headers).toEqual({});
	});
	test.each([
		[0, "0s"],
		[1, "1ms"],
		[999.2, "1000ms"],
		[1000, "1s"],
		[59_001, "1m0s"],
		[61_000, "1m1s"],
		[3_600_000, "60m0s"],
	])("write %p milliseconds as %p", (milliseconds, text) => expect(duration(milliseconds)).toBe(text));
});

describe("a limit that is asked for elsewhere", () => {
	/** What there is: `there` elsewhere, which comes here all at once. */
	const asking = (there: number, obtain?: () => Promise<void>) => {
		let here = 0;
		const meter: Meter = {
			limits: { requestsPerMinute: 5 },
			requests: undefined,
			tokens: undefined,
			obstacle: () => (here > 0 ? undefined : { what: "requestsPerMinute", waitMs: 9_500, unsure: true }),
			async obtain() {
				await obtain?.();
				here += there;
				there = 0;
				return here > 0 ? undefined : { what: "requestsPerMinute", waitMs: 9_500 };
			},
			begin: () => void here--,
			end: () => undefined,
			idle: () => true,
		};
		const meters = new Meters(() => meter);
		const options = { meters: () => meters, log: silent, modelLimits: () => undefined, nodes: 1 };
		return ratePolicy({ ...options, clock: createMovedClock() });
	};
	test("lets only so many calls through as came, of all that waited for them", async () => {
		const policy = asking(2);
		const answers = await Promise.all(Array.from({ length: 5 }, () => ask(policy, { requestsPerMinute: 5 })));
		const denials = answers.map((answer) => (answer && "kind" in answer ? answer.retryAfterSeconds : "passed"));
		expect(denials.toSorted()).toEqual([10, 10, 10, "passed", "passed"]);
	});
	test("and cannot be is no limit of the client's", async () => {
		const policy = asking(0, () => Promise.reject(new Error("no database")));
		expect(refused(await ask(policy, { requestsPerMinute: 5 })).kind).toBe("overloaded");
		const beforeBody = await policy.beforeBody?.(call(), { requestsPerMinute: 5 }, "messages");
		expect(beforeBody).toMatchObject({ kind: "overloaded", retryAfterSeconds: 1 });
	});
});

test("tokens that come and go are not kept for ever", () => {
	const { clock, meters, policy } = world();
	for (let index = 0; index < 30_000; index++) {
		clock.advance(10);
		passed(ask(policy, { requestsPerMinute: 600 }, { token: `t${index}` })).settle?.(outcome());
	}
	expect(meters.size).toBeLessThan(20_100);
});

test.each([
	[null],
	[60],
	[{}],
	[{ requestsPerMinute: 0 }],
	[{ requestsPerMinute: 1.5 }],
	[{ perHour: 3 }],
	[{ concurrent: "4" }],
])("%p is no setting and does not compile", (value) => {
	expect(rateLimit.refuse?.(value)).toContain("requestsPerMinute");
	expect(() => rateLimit.compile(value)).toThrow(TypeError);
});
