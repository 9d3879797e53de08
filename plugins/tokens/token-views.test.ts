/** What is shown of tokens where a setting's `view` never answers. */
import { expect, test } from "bun:test";
import { type Log, t } from "#core";
import { createTokenViews } from "./token-views.ts";

const setting = (key: string, view: () => Promise<Readonly<Record<string, unknown>>>) =>
	[key, { key, schema: t.Boolean(), compile: (value: unknown) => value, view }] as const;

test("settings that never answer are left out after one wait for all tokens, and named in the log once", async () => {
	const waits: number[] = [];
	const told: unknown[] = [];
	const silent = () => new Promise<never>(() => undefined);
	const known = new Map([
		setting("slow", silent),
		setting("quick", async () => ({ used: 7 })),
		setting("mute", silent),
	]);
	const note = (message: string, fields?: object): void => void told.push({ message, ...fields });
	const log: Log = { debug: note, info: note, warn: note, error: note, of: () => log };
	const views = createTokenViews({
		known: () => known,
		people: undefined,
		facts: () => [],
		clock: {
			after(milliseconds, action) {
				waits.push(milliseconds);
				const timer = setTimeout(action, 1);
				return () => clearTimeout(timer);
			},
		},
		log,
	});
	const tokens = ["a", "b"].map((id) => ({ id, name: id, settings: { slow: true } }));
	expect(await views(tokens)).toEqual(tokens.map((token) => ({ ...token, used: 7 })));
	expect(waits).toEqual([5000]);
	const error = expect.stringContaining("view() has not answered after 5 seconds");
	const message = "what a setting shows of tokens is left out: it failed";
	expect(told).toEqual([
		{ message, setting: "slow", error },
		{ message, setting: "mute", error },
	]);
});
