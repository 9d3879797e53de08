import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type AccessToken, type Denial, isFault, type Log, type Policy, type RefusedToken, type Store, t } from "#core";
import { createTestClock, type TestClock } from "#core/testing";
import { until } from "../../test/support/moved-clock.ts";
import { createScratchStore, type ScratchStore } from "../../test/support/scratch-store.ts";
import { Issuer } from "./issuer.ts";
import { makeKey } from "./key.ts";
import { Peppers } from "./peppers.ts";
import { Registry } from "./registry.ts";
import { settingsOf } from "./settings.ts";
import { tokenTables } from "./tables.ts";

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, of: () => silent };

/** A rule for tokens: at most so many of something. Its rows stand beside the token, and 13 cannot be compiled. */
const most: Policy = {
	name: "most",
	setting: {
		key: "most",
		schema: t.Integer({ minimum: 0 }),
		refuse: (value) => (value === 7 ? "seven is not wanted" : undefined),
		compile(value) {
			if (value === 13) throw new Error("unlucky");
			return { atMost: value };
		},
		statements: (id, value) => [
			value === undefined
				? sql`DELETE FROM most WHERE id = ${id}`
				: sql`INSERT INTO most VALUES (${id}, ${value}) ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
		],
	},
};
const other: Policy = { name: "other", setting: { key: "other", schema: t.String(), compile: (value) => value } };

let store: ScratchStore;
let clock: TestClock;

beforeEach(async () => {
	const own = {
		plugin: "most",
		migrations: [{ name: "1", statements: ["CREATE TABLE most (id TEXT PRIMARY KEY, value INTEGER) STRICT"] }],
	};
	store = await createScratchStore([tokenTables("tokens"), own]);
	clock = createTestClock();
});
afterEach(() => store.close());

const open = async (
	policies: readonly Policy[] = [most],
	over: Store = store,
	pepper?: string,
	previous: readonly string[] = [],
	log: Log = silent,
) => {
	const peppers = new Peppers(over, silent, { pepper, previous });
	const settings = () => settingsOf(policies);
	const options = { store: over, clock, log, settings, peppers, owner: async () => undefined, aloneMs: 60_000 };
	const registry = new Registry(options);
	await registry.open();
	const issuer = new Issuer(options, registry);
	return {
		identify: registry.identify.bind(registry),
		isEmpty: registry.isEmpty.bind(registry),
		refresh: registry.refresh.bind(registry),
		keepUp: registry.keepUp.bind(registry),
		create: issuer.create.bind(issuer),
		update: issuer.update.bind(issuer),
		rotate: issuer.rotate.bind(issuer),
		remove: issuer.remove.bind(issuer),
		get: issuer.get.bind(issuer),
		list: issuer.list.bind(issuer),
	};
};

/** What a promise rejected with, which must be a fault. */
const denialOf = async (work: Promise<unknown>): Promise<Denial> => {
	try {
		await work;
	} catch (error) {
		if (isFault(error)) return error.denial;
		throw error;
	}
	throw new Error("nothing was refused");
};

const tokenOf = (found: AccessToken | RefusedToken | Denial | undefined): AccessToken => {
	if (!found || !("compiled" in found)) throw new Error(`no token but ${JSON.stringify(found)}`);
	return found;
};

describe("a key", () => {
	test("leads to its token, with its settings compiled", async () => {
		const registry = await open();
		const { token, key } = await registry.create("laptop", { most: 3 });
		const found = tokenOf(await registry.identify(key));
		expect(found).toMatchObject({ id: token.id, name: "laptop", settings: { most: 3 } });
		expect(found.compiled.get("most")).toEqual({ atMost: 3 });
	});

	test("is in no row of the database", async () => {
		const registry = await open();
		const { key } = await registry.create("laptop", {});
		const rows = JSON.stringify([
			await store.run("SELECT * FROM tokens"),
			await store.run("SELECT * FROM token_pepper"),
		]);
		expect(rows).not.toContain(key);
		expect(rows).not.toContain(key.slice(10, 40));
	});

	test("is compiled once and then answered from memory", async () => {
		let compiled = 0;
		const counted: Policy = { name: "n", setting: { key: "n", schema: t.Integer(), compile: () => ++compiled } };
		let reads = 0;
		const db = new Proxy(store.db, {
			get: (target, name) => {
				if (name === "select") reads++;
				return Reflect.get(target, name) as unknown;
			},
		});
		const registry = await open([counted], { ...store, db });
		const { key } = await registry.create("laptop", { n: 1 });
		await registry.identify(key);
		const before = reads;
		for (let call = 0; call < 10; call++) await registry.identify(key);
		expect([compiled, reads]).toEqual([1, before]);
	});

	test("that was never issued is asked for once in five seconds, garbage never", async () => {
		const foreign = await (await open()).create("elsewhere", {});
		await store.run("DELETE FROM tokens");
		let reads = 0;
		const db = new Proxy(store.db, {
			get: (target, name) => {
				if (name === "select") reads++;
				return Reflect.get(target, name) as unknown;
			},
		});
		const registry = await open([most], { ...store, db });
		reads = 0;
		for (let call = 0; call < 5; call++) expect(await registry.identify("sk-garbage")).toBeUndefined();
		expect(reads).toBe(0);
		for (let call = 0; call < 5; call++) expect(await registry.identify(foreign.key)).toBeUndefined();
		expect(reads).toBe(1);
		await clock.advance(5001);
		expect(await registry.identify(foreign.key)).toBeUndefined();
		expect(reads).toBe(2);
	});

	test("counts after a restart, by the pepper kept in the database or by the one given", async () => {
		const { key } = await (await open()).create("laptop", {});
		expect(tokenOf(await (await open()).identify(key)).name).toBe("laptop");
		const pepper = "p".repeat(32);
		const given = await (await open([most], store, pepper)).create("desktop", {});
		expect(tokenOf(await (await open([most], store, pepper)).identify(given.key)).name).toBe("desktop");
		expect(await (await open()).identify(given.key)).toBeUndefined();
	});
});

describe("another pepper", () => {
	const [one, two] = ["1".repeat(32), "2".repeat(32)];
	const digests = async () => (await store.run("SELECT digest FROM tokens ORDER BY name")).map((row) => row["digest"]);

	test("keys of before are recognised, and stored by the new one once they are used; then the old one is not needed", async () => {
		const before = await open([most], store, one);
		const [used, idle] = [await before.create("a", {}), await before.create("b", {})];
		const [stored, other] = await digests();
		const between = await open([most], store, two, [one]);
		expect(tokenOf(await between.identify(used.key)).name).toBe("a");
		await until(async () => (await digests())[0] !== stored);
		expect(tokenOf(await between.identify(used.key)).name).toBe("a");
		expect((await digests())[1]).toBe(other);
		const fresh = await between.create("c", {});
		const after = await open([most], store, two);
		expect(tokenOf(await after.identify(used.key)).name).toBe("a");
		expect(tokenOf(await after.identify(fresh.key)).name).toBe("c");
		expect(await after.identify(idle.key)).toBeUndefined();
		expect(await between.identify(`${used.key.slice(0, -1)}!`)).toBeUndefined();
		expect(await between.identify(makeKey())).toBeUndefined();
	});

	test("the one of the database can be one of before", async () => {
		const { key } = await (await open()).create("a", {});
		expect(await (await open([most], store, one)).identify(key)).toBeUndefined();
		const moved = await open([most], store, one, ["database"]);
		const [stored] = await digests();
		expect(tokenOf(await moved.identify(key)).name).toBe("a");
		await until(async () => (await digests())[0] !== stored);
		expect(tokenOf(await (await open([most], store, one)).identify(key)).name).toBe("a");
	});

	test("a key that an earlier version stored gets its mark when it is used, and nothing else changes", async () => {
		const registry = await open([most], store, one);
		const { key } = await registry.create("a", {});
		const [row] = await store.run("SELECT * FROM tokens");
		await store.run("UPDATE tokens SET pepper_mark = NULL");
		const after = await open([most], store, one);
		expect(tokenOf(await after.identify(key)).name).toBe("a");
		await until(async () => (await store.run("SELECT pepper_mark FROM tokens"))[0]?.["pepper_mark"] !== null);
		expect((await store.run("SELECT * FROM tokens"))[0]).toEqual(row ?? {});
	});

	test("a key that was replaced is good for its grace under the pepper of before, and no longer", async () => {
		const before = await open([most], store, one);
		const { token, key } = await before.create("a", {});
		await before.rotate(token.id, { graceMs: 1000 });
		const after = await open([most], store, two, [one]);
		expect(tokenOf(await after.identify(key)).name).toBe("a");
		await clock.advance(1001);
		expect(await after.identify(key)).toBeUndefined();
	});
});

describe("settings", () => {
	test("one that nobody enforces is refused, naming those that are known", async () => {
		const registry = await open();
		const denial = await denialOf(registry.create("laptop", { quota: 5 }));
		expect(denial).toMatchObject({ kind: "invalid_request", parameter: "quota" });
		expect(denial.message).toContain("name, most");
		expect(await registry.isEmpty()).toBe(true);
	});

	test("a value outside the schema, or one the policy does not want, is refused in words", async () => {
		const registry = await open();
		expect(await denialOf(registry.create("laptop", { most: -1 }))).toMatchObject({ parameter: "most" });
		expect((await denialOf(registry.create("laptop", { most: 7 }))).message).toContain("seven is not wanted");
	});

	test("null removes one, what is not named stays, and the policy's own rows follow", async () => {
		const registry = await open([most, other]);
		const { token, key } = await registry.create("laptop", { most: 3, other: "x" });
		expect(await store.run("SELECT value FROM most")).toEqual([{ value: 3 }]);
		expect((await registry.update(token.id, { settings: { most: 4 } })).settings).toEqual({ most: 4, other: "x" });
		expect(await store.run("SELECT value FROM most")).toEqual([{ value: 4 }]);
		expect((await registry.update(token.id, { settings: { most: null } })).settings).toEqual({ other: "x" });
		expect(await store.run("SELECT value FROM most")).toEqual([]);
		expect(tokenOf(await registry.identify(key)).settings).toEqual({ other: "x" });
	});

	test("null removes a setting whose policy is gone, so that its token may be let in again", async () => {
		const registry = await open([most, other]);
		const { token } = await registry.create("laptop", { other: "x" });
		expect((await registry.update(token.id, { settings: { gone: null, other: null } })).settings).toEqual({});
	});

	test("null at the creation is as if it were not there", async () => {
		const { token } = await (await open()).create("laptop", { most: null });
		expect(token.settings).toEqual({});
	});

	test("a token whose rule no loaded plugin owns is refused, as is one whose rule cannot be compiled", async () => {
		const first = await open([most, other]);
		const { key, token } = await first.create("laptop", { other: "x" });
		const unlucky = await first.create("unlucky", { most: 13 });
		const said: unknown[] = [];
		const later = await open([most], store, undefined, [], { ...silent, error: (...words) => void said.push(words) });
		expect(await later.identify(key)).toMatchObject({ denial: { kind: "permission", code: "policy_not_loaded" } });
		expect(said).toEqual([
			["no plugin enforces a token's setting; the token is refused", { token: token.id, setting: "other" }],
		]);
		expect(await later.identify(unlucky.key)).toMatchObject({
			denial: { kind: "permission", code: "policy_not_loaded", message: expect.stringContaining("the log says why") },
		});
		expect(tokenOf(await first.identify(key)).name).toBe("laptop");
	});

	test("the log has what a policy said that could not compile its rule", async () => {
		const said: unknown[] = [];
		const registry = await open([most], store, undefined, [], {
			...silent,
			error: (...words) => void said.push(words),
		});
		const { key, token } = await registry.create("unlucky", { most: 13 });
		await registry.identify(key);
		expect(said).toContainEqual([
			"a token's setting could not be compiled; the token is refused",
			{ token: token.id, setting: "most", error: "Error: unlucky" },
		]);
	});
});

describe("changes", () => {
	test("disabling, rotating and deleting count at once", async () => {
		const registry = await open();
		const { token, key } = await registry.create("laptop", {});
		tokenOf(await registry.identify(key));
		await registry.update(token.id, { disabled: true });
		expect(await registry.identify(key)).toMatchObject({
			refused: { id: token.id, name: "laptop" },
			denial: { kind: "authentication", code: "token_disabled" },
		});
		await registry.update(token.id, { disabled: false });
		tokenOf(await registry.identify(key));
		const rotated = await registry.rotate(token.id);
		expect(await registry.identify(key)).toBeUndefined();
		expect(tokenOf(await registry.identify(rotated.key)).id).toBe(token.id);
		await registry.remove(token.id);
		expect(await registry.identify(rotated.key)).toBeUndefined();
		expect(await denialOf(registry.get(token.id))).toMatchObject({ kind: "not_found" });
		expect(await store.run("SELECT name, digest FROM tokens")).toEqual([{ name: "laptop", digest: null }]);
	});

	test("a change while the row is being read is not forgotten for the old row", async () => {
		const held = Promise.withResolvers<void>();
		let hold = false;
		const db = new Proxy(store.db, {
			get(target, name) {
				const select = Reflect.get(target, name) as (...words: unknown[]) => { from(table: unknown): object };
				if (name !== "select" || !hold) return select;
				hold = false;
				return (...words: unknown[]) => ({
					from: (table: unknown) => ({
						where: async (condition: unknown) => {
							const query = select.apply(target, words).from(table) as { where(condition: unknown): Promise<unknown> };
							const rows = await query.where(condition);
							await held.promise;
							return rows;
						},
					}),
				});
			},
		});
		const registry = await open([most], { ...store, db });
		const { token, key } = await registry.create("laptop", {});
		hold = true;
		const reading = registry.identify(key);
		await Promise.resolve();
		await registry.update(token.id, { disabled: true });
		held.resolve();
		await reading;
		expect(await registry.identify(key)).toMatchObject({ denial: { code: "token_disabled" } });
	});

	test.each(["update", "rotate", "remove"] as const)("%s of a token that is not there is refused", async (action) => {
		const registry = await open();
		const work = action === "update" ? registry.update("tok_no", { name: "x" }) : registry[action]("tok_no");
		expect(await denialOf(work)).toMatchObject({ kind: "not_found" });
	});
});

describe("lists", () => {
	test("come page by page, each token once", async () => {
		const registry = await open();
		const ids = new Set<string>();
		for (let index = 0; index < 7; index++) ids.add((await registry.create(`t${index}`, {})).token.id);
		const seen: string[] = [];
		for (let after = ""; ; ) {
			const page = await registry.list({ limit: 3, after });
			seen.push(...page.map(({ id }) => id));
			if (page.length < 3) break;
			after = page.at(-1)?.id ?? "";
		}
		expect(seen).toEqual([...ids].sort());
	});

	test("by the beginning of a name take %, _ and \\ for themselves", async () => {
		const registry = await open();
		for (const name of ["100%", "100 percent", "a_b", "axb", "c\\d", "cd", "A_b"]) await registry.create(name, {});
		const named = async (name: string) => (await registry.list({ limit: 10, name })).map((token) => token.name);
		expect(await named("100%")).toEqual(["100%"]);
		expect((await named("a_")).sort()).toEqual(["A_b", "a_b"]);
		expect(await named("c\\")).toEqual(["c\\d"]);
		expect(await named("%")).toEqual([]);
	});

	test("leave deleted tokens out", async () => {
		const registry = await open();
		const { token } = await registry.create("gone", {});
		await registry.remove(token.id);
		expect(await registry.list({ limit: 10 })).toEqual([]);
	});
});

describe("two nodes on one database", () => {
	const nodes = async () => {
		const shared = { ...store, db: store.db, shared: true };
		return [await open([most], shared), await open([most], shared)] as const;
	};

	test("what one changes the other sees within two seconds, without being told", async () => {
		const [one, two] = await nodes();
		const { token, key } = await one.create("laptop", { most: 1 });
		expect(tokenOf(await two.identify(key)).settings).toEqual({ most: 1 });
		await one.update(token.id, { settings: { most: 2 } });
		await clock.advance(2001);
		expect(tokenOf(await two.identify(key)).settings).toEqual({ most: 2 });
		await one.update(token.id, { disabled: true });
		await clock.advance(2001);
		expect(await two.identify(key)).toMatchObject({ denial: { code: "token_disabled" } });
		await one.remove(token.id);
		await clock.advance(2001);
		expect(await two.identify(key)).toBeUndefined();
	});

	test("and at once when its round of asking has come", async () => {
		const [one, two] = await nodes();
		const { token, key } = await one.create("laptop", {});
		tokenOf(await two.identify(key));
		await one.update(token.id, { disabled: true });
		await two.refresh();
		expect(await two.identify(key)).toMatchObject({ denial: { code: "token_disabled" } });
	});

	/** A store that can be away: it refuses, or it is silent. */
	const failingStore = () => {
		const state: { is: "well" | "refusing" | "silent"; asked: number } = { is: "well", asked: 0 };
		const db = new Proxy(store.db, {
			get: (target, name) => {
				if (name === "select" && state.is !== "well") {
					const { is } = state;
					const answer = () => {
						state.asked++;
						return is === "silent" ? new Promise(() => undefined) : Promise.reject(new Error("unreachable"));
					};
					return () => ({ from: () => ({ where: answer }) });
				}
				return Reflect.get(target, name) as unknown;
			},
		});
		return { state, shared: { ...store, db, shared: true } };
	};

	test("one that cannot ask trusts what it knows for as long as was set, and nothing it does not know", async () => {
		const { state, shared } = failingStore();
		const registry = await open([most], shared);
		const { key } = await registry.create("laptop", {});
		const other = await registry.create("never used here", {});
		tokenOf(await registry.identify(key));
		state.is = "refusing";
		await clock.advance(2_500);
		tokenOf(await registry.identify(key));
		expect(await denialOf(Promise.resolve(registry.identify(other.key)))).toMatchObject({
			kind: "overloaded",
			retryAfterSeconds: 1,
		});
		await clock.advance(57_000);
		tokenOf(await registry.identify(key));
		await clock.advance(1_000);
		expect(await denialOf(Promise.resolve(registry.identify(key)))).toMatchObject({
			kind: "overloaded",
			retryAfterSeconds: 1,
		});
		state.is = "well";
		tokenOf(await registry.identify(key));
		tokenOf(await registry.identify(other.key));
	});

	test("one that is not answered waits for a second, once, and calls after that not at all", async () => {
		const { state, shared } = failingStore();
		const registry = await open([most], shared);
		const { token, key } = await registry.create("laptop", {});
		tokenOf(await registry.identify(key));
		state.is = "silent";
		await clock.advance(2_500);
		let answered = 0;
		const calls = Array.from({ length: 3 }, async () => {
			tokenOf(await registry.identify(key));
			answered++;
		});
		await clock.advance(900);
		expect(answered).toBe(0);
		await clock.advance(200);
		await Promise.all(calls);
		expect(state.asked).toBe(1);
		for (let call = 0; call < 3; call++) tokenOf(registry.identify(key) as AccessToken);
		state.is = "well";
		await (await open([most], shared)).update(token.id, { disabled: true });
		await registry.refresh();
		expect(await registry.identify(key)).toMatchObject({ denial: { code: "token_disabled" } });
	});
});
