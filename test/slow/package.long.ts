/**
 * The packed file, installed in empty folders as strangers install it: several versions of Node, here and globally. Needs a
 * registry; `npm run test:package`. `package-rooms.long.ts` and `package-roots.long.ts` have where it is run.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { anAnswer, emptyFolder, firstAnswer, install, nodeFolder, pack, removalMs, remove } from "./packed.ts";

const mostMegabytes = 120;
const mostSeconds = 60;

let folder: string;
let archive: string;
beforeAll(() => {
	folder = emptyFolder("package");
	archive = pack();
}, 60_000);
afterAll(() => remove(folder), removalMs);

const megabytes = (path: string): number => {
	const found = lstatSync(path);
	if (!found.isDirectory()) return found.size / 2 ** 20;
	return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
};

describe.each(["20", "22"])("with Node %s first on the path", (version) => {
	let env: NodeJS.ProcessEnv;
	beforeAll(() => {
		env = { ...process.env, PATH: `${nodeFolder(folder, version)}:${process.env["PATH"]}` };
	}, 120_000);

	test.each([
		["locally", ["--omit=dev"]],
		["globally", ["--global", "--omit=dev"]],
	])(
		"installed %s it answers its first call",
		async (where, flags) => {
			const began = performance.now();
			const home = join(folder, `${where}-${version}`);
			install({ archive, folder: home, flags, env });
			const modules = join(home, where === "locally" ? "node_modules" : "lib/node_modules/portico/node_modules");
			const portico = where === "locally" ? join(modules, "portico") : join(modules, "..");
			const files = readdirSync(portico, { recursive: true, encoding: "utf8" });
			expect(files.filter((name) => !name.startsWith("node_modules") && /\.test\.ts$|fixtures/.test(name))).toEqual([]);
			const whole = where === "locally" ? modules : portico;
			expect(megabytes(whole) - megabytes(join(modules, "@oven"))).toBeLessThan(mostMegabytes);
			const empty = join(home, "empty");
			mkdirSync(empty);
			const program = join(home, where === "locally" ? "node_modules/.bin/portico" : "bin/portico");
			const answer = await firstAnswer({ command: [program], cwd: empty, env, data: join(empty, "data") });
			expect(answer).toMatchObject(anAnswer);
			expect((performance.now() - began) / 1000).toBeLessThan(mostSeconds);
		},
		180_000,
	);
});

test("for Alpine npm picks the programs that are built for musl, and Bun for nothing else", () => {
	const home = join(folder, "musl");
	install({
		archive,
		folder: home,
		flags: ["--omit=dev", "--os=linux", "--cpu=x64", "--libc=musl", "--ignore-scripts"],
	});
	expect(readdirSync(join(home, "node_modules/@oven"))).toEqual(["bun-linux-x64-musl"]);
	expect(readdirSync(join(home, "node_modules/@libsql/linux-x64-musl")).length).toBeGreaterThan(0);
}, 120_000);
