/** What Portico prints to be typed can be typed: it names the program as it was called. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const root = realpathSync(join(import.meta.dir, "../.."));
let folder: string;
beforeAll(() => {
	folder = realpathSync(mkdtempSync(join(tmpdir(), "portico-called-")));
	mkdirSync(join(folder, "node_modules/.pnpm/portico@1/node_modules"), { recursive: true });
	symlinkSync(root, join(folder, "node_modules/.pnpm/portico@1/node_modules/portico"));
	mkdirSync(join(folder, "elsewhere"));
	mkdirSync(join(folder, "by-npm/node_modules/.bin"), { recursive: true });
	mkdirSync(join(folder, "by-npm/below"));
	symlinkSync(join(root, "bin/portico.mjs"), join(folder, "by-npm", starter));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { npm_command: _, ...environment } = process.env;
const starter = "node_modules/.bin/portico";
const deno = join(root, "node_modules/.bin/deno");
const kept = "node_modules/.pnpm/portico@1/node_modules/portico/bin/portico.mjs";

test.each([
	[
		"by Node",
		".",
		["node", join(root, "bin/portico.mjs")],
		(cwd: string) => `node ${relative(cwd, root)}/bin/portico.mjs`,
	],
	[
		"by Deno",
		".",
		[deno, "run", "-A", join(root, "bin/portico.mjs")],
		(cwd: string) => `deno run -A ${relative(cwd, root)}/bin/portico.mjs`,
	],
	["by the starter of pnpm", ".", ["node", kept], () => "npx portico"],
	["by that of pnpm, installed globally", "elsewhere", ["node", `../${kept}`], () => "portico"],
	["by that of npm", "by-npm", ["node", starter], () => "npx portico"],
	["by that of npm, from a folder below", "by-npm/below", ["node", `../${starter}`], () => "npx portico"],
	[
		"by that of npm, from where `npx` would fetch another",
		"elsewhere",
		["node", `../by-npm/${starter}`],
		() => join(folder, "by-npm", starter),
	],
] as const)(
	"%s",
	(_name, place, [program, ...words], called) => {
		const cwd = join(folder, place);
		const plugin = `plugin-${crypto.randomUUID()}`;
		const printed = execFileSync(program, [...words, "plugin", "new", plugin], {
			cwd,
			env: environment,
			encoding: "utf8",
		});
		expect(printed).toContain(` ${called(cwd)} `);
	},
	30_000,
);

test("by its name where the PATH leads to it", () => {
	const path = `${environment["PATH"]}:${join(folder, "by-npm/node_modules/.bin")}`;
	const options = { cwd: join(folder, "elsewhere"), env: { ...environment, PATH: path }, encoding: "utf8" } as const;
	const printed = execFileSync("node", [`../by-npm/${starter}`, "plugin", "new", "by-path"], options);
	expect(printed).toMatch(/Its test: +portico bun test /);
});

test("from a zip of Yarn's, which Bun cannot read, it says what makes it start", () => {
	const launcher = join(folder, ".yarn/cache/portico.zip/node_modules/portico/bin/portico.mjs");
	cpSync(join(root, "bin/portico.mjs"), launcher);
	const hook = join(folder, ".pnp.cjs");
	writeFileSync(hook, 'process.versions.pnp = "3";');
	const { status, stderr } = spawnSync("node", ["--require", hook, launcher, "check"], { encoding: "utf8" });
	expect([status, stderr]).toEqual([1, expect.stringContaining("`nodeLinker: node-modules` into .yarnrc.yml")]);
});
