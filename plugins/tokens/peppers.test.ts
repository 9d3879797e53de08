/** A start with another pepper than the keys in the database were stored by. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import type { Log } from "#core";
import { startGateway } from "#core/testing";
import { createScratchStore, type ScratchStore } from "../../test/support/scratch-store.ts";
import { Peppers } from "./peppers.ts";
import { tokenTables } from "./tables.ts";

const [one, two, three] = ["1".repeat(32), "2".repeat(32), "3".repeat(32)] as const;

describe("of a gateway", () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "portico-peppers-"));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	/** Starts on the same database each time; what the start was refused with, or how a key is answered. */
	const start = async (settings: object, key = "") => {
		const plugins = [{ use: "tokens", with: settings }, "people"];
		const world = await startGateway({ folder, plugins }).catch((error: unknown) => String(error));
		if (typeof world === "string") return { refused: world };
		const { status } = await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${key || world.key}` } });
		await world.stop();
		return { status, key: world.key };
	};

	test("is refused, with what to do, where it would know no key at all", async () => {
		const { key } = await start({ pepper: one });
		const { refused } = await start({ pepper: two });
		expect(refused).toContain("no key in the database (1 in all) is stored by the pepper of the config");
		expect(refused).toContain("every call would be answered 401. Set pepper to what it was");
		expect(refused).not.toContain(two);
		expect((await start({})).refused).toContain("set pepper to it again");
		expect((await start({ pepper: two, previousPeppers: [three] })).refused).toContain("or one of previousPeppers");
		expect(await start({ pepper: one }, key)).toMatchObject({ status: 200 });
	});

	test("so is a reload, and what runs goes on", async () => {
		const world = await startGateway({ folder, plugins: [{ use: "tokens", with: { pepper: one } }] });
		const config = join(folder, "portico.yaml");
		const written = readFileSync(config, "utf8");
		writeFileSync(config, written.replace(one, two));
		const refused = await fetch(`${world.url}/admin/reload`, {
			method: "POST",
			headers: { authorization: `Bearer ${world.adminToken}` },
		});
		expect(await refused.json()).toMatchObject({
			reloaded: false,
			complaints: [
				expect.stringMatching(/^the new configuration could not be started: tokens: no key in the database/),
			],
		});
		const me = await fetch(`${world.url}/v1/me`, { headers: { authorization: `Bearer ${world.key}` } });
		expect(me.status).toBe(200);
		await world.stop();
	});

	test("is told of the pepper that lies in the database", async () => {
		const { key } = await start({});
		expect((await start({ pepper: one })).refused).toContain('add previousPeppers: ["database"]');
		expect(await start({ pepper: one, previousPeppers: ["database"] }, key)).toMatchObject({ status: 200 });
		expect(await start({ pepper: one }, key)).toMatchObject({ status: 200 });
	});

	test("follows a rotation: each key that was used goes on, and nothing is in its way", async () => {
		const { key } = await start({ pepper: one });
		expect(await start({ pepper: two, previousPeppers: [one] }, key)).toMatchObject({ status: 200 });
		expect(await start({ pepper: three, previousPeppers: [two, one] }, key)).toMatchObject({ status: 200 });
		expect(await start({ pepper: three }, key)).toMatchObject({ status: 200 });
	});
});

describe("of a store", () => {
	let store: ScratchStore;
	beforeEach(async () => {
		store = await createScratchStore([tokenTables("tokens")]);
	});
	afterEach(() => store.close());

	const told: unknown[] = [];
	const log: Log = {
		debug() {},
		info() {},
		error() {},
		warn: (message, fields) => void told.push({ message, ...fields }),
		of: () => log,
	};
	const peppersOf = async (pepper: string) => {
		const peppers = new Peppers(store, log, { pepper, previous: [] });
		await peppers.open();
		return peppers;
	};
	const put = async (id: string, mark: string | null, deleted = false) => {
		const digest = deleted ? null : id;
		await store.write([
			sql`INSERT INTO tokens (id, name, digest, pepper_mark, preview, settings, disabled, deleted, created_at, revision)
				VALUES (${id}, ${id}, ${digest}, ${mark}, '', '{}', 0, ${deleted}, 1, 1)`,
		]);
	};

	test("where some keys are stored by another, that is told with how many, and the start goes on", async () => {
		told.length = 0;
		const [mine, other] = [await peppersOf(one), await peppersOf(two)];
		await put("a", mine.mark);
		await put("b", other.mark);
		await mine.check(true);
		const advice = expect.stringContaining("Name theirs in previousPeppers");
		expect(told).toMatchObject([{ message: expect.stringContaining("are refused"), keys: 1, advice }]);
		await mine.check(false);
		expect(told).toHaveLength(1);
	});

	test("a command goes on, for by one of them keys are mended whose pepper is lost", async () => {
		told.length = 0;
		const [mine, other] = [await peppersOf(one), await peppersOf(two)];
		await put("a", mine.mark);
		await other.check(false);
		expect(told).toMatchObject([{ keys: 1, advice: expect.stringContaining("portico token rotate") }]);
	});

	test("nothing is said of deleted tokens, or of keys that an earlier version stored", async () => {
		told.length = 0;
		const [mine, other] = [await peppersOf(one), await peppersOf(two)];
		await put("a", null);
		await put("b", other.mark, true);
		await mine.check(true);
		expect(told).toEqual([]);
	});

	test("a start goes on where keys that an earlier version stored may be good", async () => {
		told.length = 0;
		const [mine, other] = [await peppersOf(one), await peppersOf(two)];
		await put("a", null);
		await put("b", other.mark);
		await mine.check(true);
		expect(told).toMatchObject([{ keys: 1 }]);
	});
});
