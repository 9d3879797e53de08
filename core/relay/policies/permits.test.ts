import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { AccessToken, Routed } from "../../contract/call.ts";
import { type Denial, Fault } from "../../contract/fault.ts";
import type { Outcome } from "../../contract/outcome.ts";
import type { Permit, Policy } from "../../contract/policy.ts";
import { createLog } from "../../runtime/log.ts";
import { askPolicies, Permits } from "./permits.ts";
import { createRulesOf, ruleFailed } from "./token-rules.ts";

const log = createLog("silent");
const outcome: Outcome = { ending: "completed", sent: true, contentBytes: 0, pieces: 0 };
const denial: Denial = { kind: "rate_limited", message: "Too many." };

const token: AccessToken = { id: "t", name: "t", settings: {}, compiled: new Map([["limit", 7]]) };
const call = { token, request: new Request("http://127.0.0.1/") } as Routed;

/** The rules that these policies are for the token. */
const rulesOf = (policies: readonly Policy[]) => createRulesOf(() => policies, log)(token).check;

/** A policy that grants a permit and notes when it is settled. */
const granting = (name: string, settled: string[], more: Permit = {}): Policy => ({
	name,
	check: () => ({ ...more, settle: ({ ending }) => void settled.push(`${name} ${ending}`) }),
});

describe("the permits of a call", () => {
	test("are settled once, newest first", async () => {
		const settled: string[] = [];
		const permits = await askPolicies({
			rules: rulesOf(["a", "b", "c"].map((name) => granting(name, settled))),
			call,
			log,
		});
		if (!(permits instanceof Permits)) throw new Error("refused");
		permits.settle(outcome);
		permits.settle({ ...outcome, ending: "client_left" });
		expect(settled).toEqual(["c completed", "b completed", "a completed"]);
	});

	test("are settled all though one of them fails", async () => {
		const settled: string[] = [];
		const broken: Policy = {
			name: "broken",
			check: () => ({
				settle: () => {
					throw new Error("no");
				},
			}),
		};
		const permits = await askPolicies({
			rules: rulesOf([granting("a", settled), broken, granting("c", settled)]),
			call,
			log,
		});
		(permits as Permits).settle(outcome);
		expect(settled).toEqual(["c completed", "a completed"]);
	});

	test("already granted are given back when a later policy refuses or fails", async () => {
		const policies: Policy[] = [{ name: "x", check: () => denial }];
		policies.push({ name: "y", check: () => Promise.reject(new Error("broken")) });
		policies.push({ name: "z", check: () => JSON.parse('{"kind":"permission"}') as Denial });
		for (const last of policies) {
			const settled: string[] = [];
			const answer = await askPolicies({
				rules: rulesOf([granting("a", settled), granting("b", settled), last]),
				call,
				log,
			});
			expect(answer).not.toBeInstanceOf(Permits);
			expect(settled).toEqual(["b refused", "a refused"]);
		}
	});

	test("whose settling fails later change nothing: the others are settled, and the log says so", async () => {
		const settled: string[] = [];
		const said: string[] = [];
		const noting = createLog("error", (line) => said.push(line));
		// A promise, as plain JavaScript may return it.
		const settle = () => Promise.reject(new Error("no")) as unknown as undefined;
		const held: Permit[] = [{ settle: ({ ending }) => ({ charged: settled.push(ending) }) }, { settle }];
		expect(new Permits(held, noting).settle(outcome)).toEqual({ charged: 1 });
		await new Promise((resolve) => setImmediate(resolve));
		expect([settled, said.map((line) => JSON.parse(line))]).toEqual([
			["completed"],
			[expect.objectContaining({ msg: "a permit could not be settled", error: "Error: no" })],
		]);
	});

	test.each([
		["another policy refuses at once", () => denial],
		["another policy refuses later", () => new Promise<Denial>((resolve) => setImmediate(() => resolve(denial)))],
		[
			"another promise is still waited for",
			() => ({ ready: new Promise<Denial>((resolve) => setImmediate(() => resolve(denial))) }),
		],
	])("that cannot keep their promise refuse that call alone, also when %s", async (_, check) => {
		const broken: Policy = { name: "broken", check: () => ({ ready: Promise.reject(new Error("no")) }) };
		const other: Policy = { name: "other", check };
		for (const policies of [
			[broken, other],
			[other, broken],
		]) {
			const answer = await askPolicies({ rules: rulesOf(policies), call, log });
			expect(answer).toHaveProperty("kind");
			await new Promise((resolve) => setImmediate(resolve));
		}
	});

	test("whose promise is broken by a fault refuse with the fault's own denial", async () => {
		const policy: Policy = { name: "late", check: () => ({ ready: Promise.reject(new Fault(denial)) }) };
		expect(await askPolicies({ rules: rulesOf([policy]), call, log })).toEqual(denial);
	});

	test.each([
		["no promise", () => "yes"],
		["a promise of a text", () => Promise.resolve("no")],
		["a promise of false", () => Promise.resolve(false)],
		["a promise of a denial without words", () => Promise.resolve({ kind: "permission" })],
		["a fault without a denial", () => Promise.reject(new Fault(JSON.parse("{}")))],
	])("that promise by %s have failed: the others are given back, and the log says so", async (_what, ready) => {
		const settled: string[] = [];
		const said: string[] = [];
		// As plain JavaScript may answer.
		const broken: Policy = { name: "broken", check: () => ({ ready: ready() as unknown as Promise<undefined> }) };
		const noting = createLog("error", (line) => said.push(line));
		for (const policies of [
			[broken],
			[broken, { name: "kept", check: () => ({ ready: Promise.resolve(undefined) }) }],
		]) {
			const rules = rulesOf([granting("a", settled), ...policies]);
			expect(await askPolicies({ rules, call, log: noting })).toEqual(ruleFailed);
		}
		expect(settled).toEqual(["a refused", "a refused"]);
		expect(said).toHaveLength(2);
	});

	test("bound the output by the lowest bound among them, and gather their headers", () => {
		const held = [{ maxOutputTokens: 9, headers: { a: "1" } }, { maxOutputTokens: 4 }, { headers: { b: "2" } }];
		expect(new Permits(held, log)).toMatchObject({ maxOutputTokens: 4, headers: { a: "1", b: "2" } });
		expect(new Permits([], log).maxOutputTokens).toBeUndefined();
		expect(new Permits([{ maxOutputTokens: 0 }], log).maxOutputTokens).toBe(0);
	});

	test("cut a stream as soon as one of them says so", () => {
		const permits = new Permits(
			[{ progress: (pieces) => (pieces > 3 ? "cut" : "go_on") }, { progress: () => "go_on" }, {}],
			log,
		);
		expect(permits.watched).toBe(true);
		expect([permits.progress(3, 0), permits.progress(4, 0)]).toEqual(["go_on", "cut"]);
		expect(new Permits([{}], log).watched).toBe(false);
	});
});

describe("a policy", () => {
	test("gets what its setting was compiled to, and nothing when the token has none", async () => {
		const got: unknown[] = [];
		const setting = (key: string) => ({ key, schema: {} as never, compile: (value: unknown) => value });
		const check = (_: Routed, compiled: unknown) => void got.push(compiled);
		const rules = rulesOf([
			{ name: "limit", setting: setting("limit"), check },
			{ name: "other", setting: setting("other"), check },
			{ name: "none", check },
		]);
		await askPolicies({ rules, call, log });
		expect(got).toEqual([7, undefined, undefined]);
	});

	test("whatever the others do, every permit is settled exactly once", async () => {
		const kinds = fc.constantFrom("grant", "grant", "pass", "refuse", "throw", "late");
		await fc.assert(
			fc.asyncProperty(fc.array(kinds, { maxLength: 8 }), async (what) => {
				const granted = new Map<number, number>();
				const policies = what.map((kind, index): Policy => {
					const grant = (): Permit => {
						granted.set(index, 0);
						return { settle: () => void granted.set(index, (granted.get(index) ?? 0) + 1) };
					};
					const checks: Record<string, Policy["check"]> = {
						grant,
						pass: () => undefined,
						refuse: () => denial,
						throw: () => {
							throw new Error("broken");
						},
						late: async () => grant(),
					};
					return { name: String(index), check: (...words) => checks[kind]?.(...words) };
				});
				const answer = await askPolicies({ rules: rulesOf(policies), call, log });
				if (answer instanceof Permits) {
					answer.settle(outcome);
					answer.settle(outcome);
				}
				expect(what.some((kind) => kind === "refuse" || kind === "throw")).toBe(!(answer instanceof Permits));
				for (const times of granted.values()) expect(times).toBe(1);
			}),
		);
	});
});
