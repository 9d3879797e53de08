import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Denial, Log, Routed, Target, Upstream } from "#core";
import { createTestClock } from "#core/testing";
import { createRouting } from "./routing.ts";
import { capabilitiesOf } from "./service.ts";
import type { ModelSetting } from "./settings.ts";

const upstream = (name: string): Upstream => ({
	name,
	protocols: ["messages"],
	send: () => Promise.reject(new Error("not asked")),
});

const failure: Denial = { kind: "upstream", message: "It failed." };

/** A router over upstreams a, b, c. `random` says what weights are drawn with. */
const routing = (models: readonly ModelSetting[], random: () => number = Math.random) => {
	const clock = createTestClock();
	const all = new Map(["a", "b", "c"].map((name) => [name, upstream(name)]));
	const logged: string[] = [];
	const note = (message: string): void => void logged.push(message);
	const log: Log = { debug: note, info: note, warn: note, error: note, of: () => log };
	const made = createRouting({
		models,
		clock,
		log,
		upstreamNamed: (name) => all.get(name),
		capabilitiesOf,
		random,
		createdAt: 5,
	});
	return {
		...made,
		clock,
		logged,
		order: (model: string, affinity?: string) =>
			made.plan(model, affinity)?.targets.map((target) => target.upstream.name),
		/** An attempt at the upstream ended. */
		tell(name: string, error?: Denial) {
			const target: Target = { upstream: all.get(name) ?? upstream(name), model: "m", capabilities: {} };
			made.report({ target, ...(error && { error }) });
		},
	};
};

const pair: ModelSetting = { name: "m", targets: [{ upstream: "a" }, { upstream: "b" }] };

describe("names", () => {
	test("an exact one goes before any pattern, a pattern that fixes more before one that fixes less", () => {
		const models: ModelSetting[] = [
			{ name: "*", targets: [{ upstream: "c" }] },
			{ name: "gpt-*", targets: [{ upstream: "b" }] },
			{ name: "gpt-*-mini", targets: [{ upstream: "a" }] },
			{ name: "gpt-4o-mini", targets: [{ upstream: "c", model: "exact" }] },
		];
		const { order, plan } = routing(models);
		expect(order("gpt-5-mini")).toEqual(["a"]);
		expect(order("gpt-5")).toEqual(["b"]);
		expect(order("claude")).toEqual(["c"]);
		expect(plan("gpt-4o-mini")?.targets[0].model).toBe("exact");
	});

	test("a target without a model of its own passes the name on", () => {
		const { plan } = routing([{ name: "gpt-*", targets: [{ upstream: "a" }] }]);
		expect(plan("gpt-5-turbo")?.targets[0].model).toBe("gpt-5-turbo");
	});

	test("one that nothing fits has no plan", () => {
		const { plan, model } = routing([pair]);
		expect([plan("other"), model("other")]).toEqual([undefined, undefined]);
	});

	test("are listed where they are exact, and known by pattern", () => {
		const { models, model } = routing([pair, { name: "gpt-*", targets: [{ upstream: "a" }] }]);
		expect(models().map(({ name }) => name)).toEqual(["m"]);
		expect(model("gpt-4o")).toMatchObject({ name: "gpt-4o", createdAt: 5, capabilities: { maxOutput: 16_384 } });
	});

	test("what config says of a model goes before what is known of its name", () => {
		const { plan } = routing([{ name: "gpt-4o", targets: [{ upstream: "a" }], caps: { maxOutput: 7 } }]);
		expect(plan("gpt-4o")?.targets[0].capabilities).toMatchObject({ maxOutput: 7, nativeSchema: true });
	});

	test("strict translation is told with the plan", () => {
		const { plan } = routing([
			{ ...pair, translation: "strict" },
			{ ...pair, name: "n" },
		]);
		expect([plan("m")?.translation, plan("n")?.translation]).toEqual(["strict", "lossy"]);
	});
});

describe("weights", () => {
	const weighted: ModelSetting = {
		name: "m",
		targets: [{ upstream: "c" }, { upstream: "a", weight: 3 }, { upstream: "b", weight: 1 }],
	};

	test("draw the first; the others follow, and last those without a weight", () => {
		expect(routing([weighted], () => 0.1).order("m")).toEqual(["a", "b", "c"]);
		expect(routing([weighted], () => 0.74).order("m")).toEqual(["a", "b", "c"]);
		expect(routing([weighted], () => 0.76).order("m")).toEqual(["b", "a", "c"]);
		expect(routing([weighted], () => 0.999_999).order("m")).toEqual(["b", "a", "c"]);
	});

	test("put a target that alone has one before those without", () => {
		const { order } = routing([{ name: "m", targets: [{ upstream: "a" }, { upstream: "b", weight: 1 }] }]);
		expect(order("m")).toEqual(["b", "a"]);
	});

	test("of 0 take a target out", () => {
		const { order } = routing([{ name: "m", targets: [{ upstream: "a", weight: 0 }, { upstream: "b" }] }]);
		expect(order("m")).toEqual(["b"]);
	});

	test("without any the order is that of the config", () => {
		expect(routing([pair]).order("m")).toEqual(["a", "b"]);
	});

	test("name every target once, whatever is drawn", () => {
		fc.assert(
			fc.property(
				fc.array(fc.option(fc.double({ min: 0.001, max: 10, noNaN: true }), { nil: undefined }), {
					minLength: 1,
					maxLength: 3,
				}),
				fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
				(weights, drawn) => {
					const targets = weights.map((weight, index) => ({
						upstream: ["a", "b", "c"][index] ?? "a",
						...(weight !== undefined && { weight }),
					}));
					const order = routing([{ name: "m", targets }], () => drawn).order("m");
					expect(order?.toSorted()).toEqual(["a", "b", "c"].slice(0, weights.length));
				},
			),
		);
	});

	test("keep their shares over many draws", () => {
		let drawn = 0;
		const { order } = routing([weighted], () => (drawn++ % 1000) / 1000);
		const first = Array.from({ length: 1000 }, () => order("m")?.[0]);
		expect(first.filter((name) => name === "a")).toHaveLength(750);
	});
});

describe("affinity", () => {
	const even: ModelSetting = {
		name: "m",
		targets: [
			{ upstream: "a", weight: 1 },
			{ upstream: "b", weight: 1 },
		],
	};

	test("the same key leads to the same target, whatever is drawn for others", () => {
		const { order } = routing([even]);
		for (const key of ["x", "user-7", "ключ"]) {
			const first = order("m", key)?.[0];
			for (let call = 0; call < 20; call++) expect(order("m", key)?.[0]).toBe(first);
		}
	});

	test("keys that differ in their last character only are spread over the targets", () => {
		const { order } = routing([even]);
		for (let ten = 0; ten < 20; ten++) {
			const firsts = Array.from({ length: 10 }, (_, one) => order("m", `user-${ten}${one}`)?.[0]);
			expect(new Set(firsts).size).toBe(2);
		}
		const all = Array.from({ length: 2000 }, (_, index) => order("m", `user-${index}`)?.[0]);
		expect(all.filter((name) => name === "a").length).toBeWithin(900, 1100);
	});
});

describe("an upstream that fails", () => {
	const steady = (models: readonly ModelSetting[]) => routing(models, () => 0);
	const fail = (times: number, { tell }: ReturnType<typeof routing>, name = "a") => {
		for (let call = 0; call < times; call++) tell(name, failure);
	};

	test("five times in a row is left alone for 5 seconds, and only tried when the others failed", async () => {
		const router = steady([pair]);
		fail(4, router);
		expect(router.order("m")).toEqual(["a", "b"]);
		fail(1, router);
		expect(router.order("m")).toEqual(["b", "a"]);
		expect(router.states()).toContainEqual({
			upstream: "a",
			circuit: "open",
			failures: 5,
			openForSeconds: 5,
			failingSince: expect.stringMatching(/^20.*Z$/),
			lastFailure: { at: expect.stringMatching(/^20.*Z$/), kind: "upstream", message: "It failed." },
		});
		expect(router.logged).toEqual(["an upstream fails; calls go elsewhere while it does, where they can"]);
		await router.clock.advance(4999);
		expect(router.order("m")).toEqual(["b", "a"]);
	});

	test("four times and then well starts anew", () => {
		const router = steady([pair]);
		fail(4, router);
		router.tell("a");
		fail(4, router);
		expect(router.order("m")).toEqual(["a", "b"]);
	});

	test("is then looked at by one call, the rest go elsewhere until it has answered", async () => {
		const router = steady([pair]);
		fail(5, router);
		await router.clock.advance(5000);
		expect(router.states()).toContainEqual(expect.objectContaining({ upstream: "a", circuit: "half-open" }));
		expect([router.order("m"), router.order("m"), router.order("m")]).toEqual([
			["a", "b"],
			["b", "a"],
			["b", "a"],
		]);
		router.tell("a");
		expect(router.order("m")).toEqual(["a", "b"]);
		expect(router.states()).toContainEqual(expect.objectContaining({ upstream: "a", circuit: "closed", failures: 0 }));
		expect(router.logged.at(-1)).toBe("an upstream answers again");
	});

	test("and fails the look too is left alone for twice as long, up to a minute", async () => {
		const router = steady([pair]);
		fail(5, router);
		for (const pause of [5000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
			await router.clock.advance(pause - 1);
			expect(router.order("m")).toEqual(["b", "a"]);
			await router.clock.advance(1);
			expect(router.order("m")).toEqual(["a", "b"]);
			fail(1, router);
		}
	});

	test("is left alone for up to a fifth less, by chance: nodes that lost it together come back one by one", async () => {
		for (const [chance, pause] of [
			[0, 5000],
			[0.5, 4500],
			[1, 4000],
		] as const) {
			const router = routing([pair], () => chance);
			fail(5, router);
			await router.clock.advance(pause - 1);
			expect(router.order("m")).toEqual(["b", "a"]);
			await router.clock.advance(1);
			expect(router.order("m")).toEqual(["a", "b"]);
		}
	});

	test("in a hundred calls at once is left alone no longer than for five", async () => {
		const router = steady([pair]);
		fail(100, router);
		await router.clock.advance(5000);
		expect(router.order("m")).toEqual(["a", "b"]);
	});

	test("is looked at again when the call that was to look never did", async () => {
		const router = steady([
			{ name: "m", targets: [{ upstream: "b" }, { upstream: "a" }] },
			{ ...pair, name: "n" },
		]);
		fail(5, router);
		await router.clock.advance(5000);
		expect(router.order("m")).toEqual(["b", "a"]);
		expect(router.order("n")).toEqual(["b", "a"]);
		await router.clock.advance(5000);
		expect(router.order("n")).toEqual(["a", "b"]);
	});

	test("is tried all the same when it is the only one, or when all are left alone", () => {
		const router = routing([pair, { name: "only", targets: [{ upstream: "a" }] }]);
		fail(5, router);
		fail(5, router, "b");
		expect(router.order("m")).toEqual(["a", "b"]);
		expect(router.order("only")).toEqual(["a"]);
	});

	test("at the client's own request does not count", () => {
		const router = steady([pair]);
		for (let call = 0; call < 20; call++) router.tell("a", { kind: "invalid_request", message: "No." });
		expect(router.order("m")).toEqual(["a", "b"]);
	});
});

describe("another target may be tried after", () => {
	const { mayFollow } = routing([pair]);
	const asked = (body: unknown) => ({ surface: "model", ask: { body: { value: body } } }) as unknown as Routed;
	const call = asked({ model: "m" });
	test.each([
		"upstream",
		"overloaded",
		"upstream_timeout",
		"rate_limited",
		"internal",
		"quota_exhausted",
		"model_not_found",
	] as const)("%s", (kind) => expect(mayFollow({ kind, message: "x" }, call)).toBe(true));
	test.each([
		"invalid_request",
		"content_policy",
		"context_length",
		"authentication",
		"not_found",
		"unsupported",
	] as const)("not %s", (kind) => expect(mayFollow({ kind, message: "x" }, call)).toBe(false));

	describe("when nobody knows what became of the call", () => {
		const unknown: readonly Denial[] = [
			{ kind: "upstream_timeout", message: "x" },
			{ kind: "upstream", code: "upstream_broke_off", message: "x" },
		];

		test.each([
			{ tools: [{ type: "function" }, { name: "plain" }, { type: "web_search" }] },
			{ background: false, conversation: null, mcp_servers: [] },
		])("and asking twice leaves nothing behind: %j", (body) => {
			for (const denial of unknown) expect(mayFollow(denial, asked(body))).toBe(true);
		});

		test.each([
			{ background: true },
			{ conversation: "conv_1" },
			{ mcp_servers: [{ url: "https://example.com" }] },
			{ tools: [{ type: "function" }, { type: "mcp" }] },
			{ tools: [{ type: "code_execution_20260101" }] },
			{ tools: [{ codeExecution: {} }] },
		])("not where it might: %j", (body) => {
			for (const denial of unknown) expect(mayFollow(denial, asked(body))).toBe(false);
			expect(mayFollow({ kind: "rate_limited", message: "x" }, asked(body))).toBe(true);
		});
	});
});
