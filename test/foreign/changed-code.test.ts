/** A plugin's file that is changed while the process runs: a reload keeps the code that it has, and says so. */
import { afterEach, expect, test } from "bun:test";
import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startGateway, type TestGateway } from "#core/testing";
import { type Stranger, writeStranger } from "./stranger.ts";

const code = (setting: string, setup: string): string => `import { add, definePlugin, routes, t } from "#core";
export default definePlugin({
	name: "changing",
	summary: "Changes.",
	config: t.Object({ ${setting}: t.Optional(t.String()) }, { additionalProperties: false }),
	gives: [routes],
	setup: () => ${setup},
});
`;
const answering = (words: string): string =>
	`({ offers: [add(routes, { method: "GET", path: "/word", access: "public", summary: "x", handle: () => new Response("${words}") })] })`;

let stranger: Stranger;
let gateway: TestGateway;
afterEach(async () => {
	await gateway.stop();
	stranger.remove();
});

/** Writes it anew, at a time of its own. */
const change = (text: string, seconds: number): void => {
	writeFileSync(stranger.file, text);
	utimesSync(stranger.file, seconds, seconds);
};

const file = (): string => join(gateway.folder, "portico.yaml");

/** Names it in the config, and reloads. */
const reloadWith = async (settings: object): Promise<readonly string[]> => {
	const config = JSON.parse(readFileSync(file(), "utf8"));
	writeFileSync(
		file(),
		JSON.stringify({ ...config, plugins: [{ use: "tokens" }, { use: stranger.file, with: settings }] }),
	);
	return await gateway.portico.reload();
};

const stale =
	"its code was changed since this process loaded it, and counts from the next start on: restart the server";
const warned = (): readonly unknown[] =>
	gateway.log.filter(({ msg }) => msg === "the code of a plugin was changed; it counts from the next start on");

test("a reload that goes on with the old code tells of it", async () => {
	stranger = writeStranger(code("word", answering("old")));
	change(code("word", answering("old")), 1_000);
	gateway = await startGateway({ plugins: ["tokens", stranger.file] });
	expect(await reloadWith({})).toEqual([]);
	expect(warned()).toEqual([]);
	change(code("word", answering("new")), 2_000);
	expect(await reloadWith({})).toEqual([]);
	expect(await (await fetch(`${gateway.url}/word`)).text()).toBe("old");
	expect(warned()).toMatchObject([{ level: "warn", plugin: "changing" }]);
});

test.each([
	["its module", `throw new Error("set up badly");${code("word", answering("old"))}`, "could not be loaded"],
	["its set-up", code("word", "{ throw new Error('set up badly'); }"), "set up badly"],
])("a mistake in %s that was mended is told with what to do", async (_, wrong, complaint) => {
	stranger = writeStranger(wrong);
	change(wrong, 1_000);
	gateway = await startGateway({ plugins: ["tokens"] });
	const [first] = await reloadWith({});
	expect(first).toContain(complaint);
	expect(first).not.toContain(stale);
	change(wrong.replace("set up badly", "set up worse").replace("Changes.", "Changed."), 2_000);
	const [second = ""] = await reloadWith({});
	expect(second).toContain(stale);
});

test("a mistake in its writing that was mended is gone", async () => {
	const wrong = code("word", answering("old")).replace("summary:", "summary");
	stranger = writeStranger(wrong);
	change(wrong, 1_000);
	gateway = await startGateway({ plugins: ["tokens"] });
	expect(await reloadWith({})).toEqual([expect.stringContaining("could not be loaded")]);
	change(wrong.replace("Changes.", "Changed."), 2_000);
	const complaints = await reloadWith({});
	expect(complaints).toEqual([expect.stringContaining("could not be loaded")]);
	expect(complaints[0]).not.toContain(stale);
	change(code("word", answering("new")), 3_000);
	expect(await reloadWith({})).toEqual([]);
	expect(warned()).toEqual([]);
	expect(await (await fetch(`${gateway.url}/word`)).text()).toBe("new");
});

test("a setting that only the new code knows is told with what to do", async () => {
	stranger = writeStranger(code("word", answering("old")));
	change(code("word", answering("old")), 1_000);
	gateway = await startGateway({ plugins: ["tokens", stranger.file] });
	change(code("sentence", answering("old")), 2_000);
	const complaints = await reloadWith({ sentence: "Hello." });
	expect(complaints).toEqual([expect.stringContaining("sentence")]);
	expect(complaints[0]).toEndWith(stale);
});
