/** Plugins that import what is not there: `check` says what there is, on Bun and on Deno. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");

/** By the file of a plugin: what it says, and what its complaint holds. */
const plugins: Readonly<Record<string, readonly [text: string, complaint: RegExp]>> = {
	"service.ts": [
		'import { demo } from "#core/plugins/demo"; demo;',
		/; of Portico there is no "#core\/plugins\/demo", but #core, #core\/testing, #core\/plugins\/alerts, .*#core\/plugins\/webhooks$/m,
	],
	"mistyped.ts": [
		'import { tokens } from "#core/plugins/token"; tokens;',
		/; of Portico there is no "#core\/plugins\/token" \(did you mean "#core\/plugins\/tokens"\?\)/,
	],
	"require.cjs": [
		'const { definePlugin } = require("#core"); definePlugin({});',
		/; a plugin is an ES module: write import, export default, and "type": "module" in its package\.json$/m,
	],
	"absent.ts": ['import absent from "no-such-package"; absent;', /"?no-such-package.*absent\.ts/],
};

let folder = "";
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-imports-"));
	for (const [file, [text]] of Object.entries(plugins)) writeFileSync(join(folder, file), text);
	const uses = Object.keys(plugins).map((file) => ({ use: `./${file}` }));
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ plugins: uses }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
	["Bun", "node", [join(root, "bin/portico.mjs")]],
	["Deno", join(root, "node_modules/.bin/deno"), ["run", "-A", "--no-check", join(root, "core/main.ts")]],
] as const)("on %s", (_, program, words) => {
	test("each is told what to write", () => {
		const { status, stderr } = spawnSync(program, [...words, "check"], { cwd: folder, encoding: "utf8" });
		expect(status).toBe(1);
		for (const [, complaint] of Object.values(plugins)) expect(stderr).toMatch(complaint);
		// One line each, in the colours of no terminal.
		expect(stderr.trim().split("\n")).toHaveLength(Object.keys(plugins).length);
		expect(stderr).not.toContain("\u001b");
	}, 30_000);
});
