import { describe, expect, test } from "bun:test";
import { Type as t } from "@sinclair/typebox";
import fc from "fast-check";
import { definePlugin } from "../contract/define.ts";
import { maybe, type PluginToken, service, slot } from "../contract/token.ts";
import { type Instance, orderInstances } from "./order.ts";

const tokens = new Map([..."abcdefgh"].map((id) => [id, service<unknown>(id)]));
const tokenOf = (id: string) => tokens.get(id) ?? service<unknown>(id);

/** An instance called `name` that gives and needs services by their ids; `?x` is one it can do without. */
const instance = (name: string, gives: readonly string[] = [], needs: readonly string[] = []): Instance => ({
	name,
	use: name,
	config: {},
	sound: true,
	plugin: definePlugin({
		name,
		summary: "A plugin of a test.",
		config: t.Object({}, { additionalProperties: false }),
		gives: gives.map(tokenOf),
		needs: Object.fromEntries(
			needs.map((id): [string, PluginToken] => [id, id.startsWith("?") ? maybe(tokenOf(id.slice(1))) : tokenOf(id)]),
		),
		setup: () => ({}),
	}),
});

const order = (instances: readonly Instance[], lent: readonly string[] = []) => {
	const { ordered, complaints } = orderInstances(instances, new Set(lent));
	return { names: ordered.map(({ name }) => name), complaints };
};

describe("plugins", () => {
	test("come after those they need, and otherwise as the config has them", () => {
		const all = [instance("one", [], ["a"]), instance("two"), instance("giver", ["a"], ["b"]), instance("base", ["b"])];
		expect(order(all)).toEqual({ names: ["base", "giver", "one", "two"], complaints: [] });
	});

	test("come after a service they could do without, where somebody gives it", () => {
		expect(order([instance("one", [], ["?a"]), instance("giver", ["a"])]).names).toEqual(["giver", "one"]);
		expect(order([instance("one", [], ["?a"])])).toEqual({ names: ["one"], complaints: [] });
	});

	test("may need what the host lends, and slots that nobody fills, and do without what they give themselves", () => {
		const reader: Instance = {
			...instance("reader"),
			plugin: { ...instance("reader").plugin, needs: { s: slot("s") } },
		};
		expect(order([instance("one", [], ["clock"]), instance("self", ["a"], ["?a"]), reader], ["clock"])).toEqual({
			names: ["one", "self", "reader"],
			complaints: [],
		});
	});
});

describe("what cannot be ordered is said, naming the plugins:", () => {
	test("a service that the host gives already", () => {
		expect(order([instance("mine", ["clock"])], ["clock"]).complaints).toEqual([
			{ plugin: "mine", message: 'gives the service "clock", which Portico gives itself' },
		]);
	});

	test("a service that the plugin gives itself, which is not there yet at its set-up", () => {
		expect(order([instance("self", ["a"], ["a"])]).complaints).toEqual([
			{ plugin: "self", message: 'needs the service "a", which it gives itself' },
		]);
	});

	test("a service that nobody gives", () => {
		expect(order([instance("quota", [], ["a"]), instance("fine")]).complaints).toEqual([
			{ plugin: "quota", message: 'needs the service "a", which no enabled plugin gives' },
		]);
	});

	test("a service that two give", () => {
		expect(order([instance("one", ["a"]), instance("two", ["a"])]).complaints).toEqual([
			{ plugin: "two", message: '"one" gives the service "a" too; switch one of them off' },
		]);
	});

	test("one name twice", () => {
		expect(order([instance("one"), instance("one")]).complaints).toMatchObject([
			{ plugin: "one", message: expect.stringContaining('give one of them another name with "as"') },
		]);
	});

	test("a ring, with everyone in it and nobody else", () => {
		const ring = [instance("x", ["a"], ["b"]), instance("y", ["b"], ["c"]), instance("z", ["c"], ["a"])];
		const { complaints } = order([instance("outside", [], ["a"]), ...ring]);
		const message = expect.stringMatching(
			/in a ring: "x" → "y" → "z" → "x"; take one need away, or put a slot in its place/,
		);
		expect(complaints).toEqual([{ plugin: "x", message }]);
	});

	test("a ring of two that could do without each other", () => {
		expect(order([instance("x", ["a"], ["?b"]), instance("y", ["b"], ["?a"])]).complaints).toHaveLength(1);
	});

	test("several things at once", () => {
		const { complaints } = order([instance("one", ["a"], ["b"]), instance("two", ["a"], ["c"])]);
		expect(complaints).toHaveLength(3);
	});
});

test("without complaints every plugin is there once, each after those it needs", () => {
	const ids = fc.subarray([..."abcdefgh"]);
	fc.assert(
		fc.property(fc.array(fc.tuple(ids, ids), { maxLength: 6 }), (spec) => {
			const instances = spec.map(([gives, needs], index) => instance(`p${index}`, gives, needs));
			const { ordered, complaints } = orderInstances(instances, new Set());
			expect(new Set(ordered).size).toBe(ordered.length);
			if (complaints.length > 0) return;
			expect(ordered.toSorted((x, y) => x.name.localeCompare(y.name))).toEqual(instances);
			for (const [index, one] of ordered.entries()) {
				const before = new Set(ordered.slice(0, index + 1).flatMap(({ plugin }) => plugin.gives.map(({ id }) => id)));
				for (const { id } of Object.values(one.plugin.needs)) expect(before.has(id)).toBe(true);
			}
		}),
	);
});
