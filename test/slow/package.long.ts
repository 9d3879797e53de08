/**
 * The packed file, installed in empty folders as strangers install it: several versions of Node, here and globally, as
 * another user, behind walls like systemd's, in a root file system of its own. Needs a registry; `npm run test:package`.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { anAnswer, emptyFolder, firstAnswer, install, pack, remove } from "./packed.ts";

const mostMegabytes = 120;
const mostSeconds = 60;

let folder: string;
let archive: string;
beforeAll(() => {
	folder = emptyFolder("package");
	archive = pack(folder);
}, 60_000);
afterAll(() => remove(folder));

const megabytes = (path: string): number => {
	const found = lstatSync(path);
	if (!found.isDirectory()) return found.size / 2 ** 20;
	return readdirSync(path).reduce((sum, name) => sum + megabytes(join(path, name)), 0);
};

/** The folder of a Node of that version, from its own package; of the one that runs here for `here`. */
const nodeFolder = (version: string): string => {
	if (version === "here") return join(execFileSync("node", ["-p", "process.execPath"], { encoding: "utf8" }), "..");
	const home = join(folder, `node-${version}`);
	mkdirSync(home, { recursive: true });
	execFileSync("npm", ["install", "--prefix", home, "--no-audit", "--no-fund", `node@${version}`], { stdio: "ignore" });
	return join(home, "node_modules/node/bin");
};

describe.each(["here", "22"])("with Node %s first on the path", (version) => {
	let env: NodeJS.ProcessEnv;
	beforeAll(() => {
		env = { ...process.env, PATH: `${nodeFolder(version)}:${process.env["PATH"]}` };
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

const isRoot = process.getuid?.() === 0;
const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/** Installed once, for those that ask where it runs and not how it came there. */
const installedHere = (): string => {
	const home = join(folder, "locally-here");
	if (!existsSync(join(home, "node_modules"))) install({ archive, folder: home });
	return join(home, "node_modules/.bin/portico");
};

const plain = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };

test.skipIf(!isRoot)(
	"as another user, who owns nothing but an empty folder, it answers",
	async () => {
		const portico = installedHere();
		const home = join(folder, "of-nobody");
		mkdirSync(home);
		execFileSync("chown", ["65534:65534", home]);
		const command = [...nobody, portico];
		const answer = await firstAnswer({ command, cwd: home, env: plain, data: join(home, "data") });
		expect(answer).toMatchObject(anAnswer);
	},
	180_000,
);

/** Everything is read only but the folder that is named first, as `ProtectSystem=strict` has it; then the words after it. */
const strictly = `
state=$1; shift
mount --bind "$state" "$state"
findmnt -rno TARGET | while read -r place; do
	[ "$place" = "$state" ] || mount -o remount,bind,ro "$place" 2>/dev/null || true
done
mount -o remount,bind,rw "$state"
if touch "$(dirname "$state")/written" 2>/dev/null; then echo "the walls do not hold" >&2; exit 1; fi
exec "$@"`;

test.skipIf(!isRoot || spawnSync("unshare", ["--mount", "true"]).status !== 0)(
	"behind walls like those of config/portico.service it answers",
	async () => {
		const portico = installedHere();
		const state = join(folder, "state");
		mkdirSync(state);
		execFileSync("chown", ["65534:65534", state]);
		const bare = [...nobody, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
		const command = ["unshare", "--mount", "sh", "-c", strictly, "sh", state, ...bare, portico];
		const answer = await firstAnswer({ command, cwd: state, env: plain, data: join(state, "data") });
		expect(answer).toMatchObject(anAnswer);
		expect(existsSync(join(folder, "written"))).toBe(false);
	},
	180_000,
);

/** A root file system with nothing but a shell, made by `debootstrap --variant=minbase`: `PORTICO_ROOT` names it. */
const given = process.env["PORTICO_ROOT"];

test.skipIf(!isRoot || given === undefined)(
	"in the root file system of PORTICO_ROOT, with Node and the package copied in, it answers",
	async () => {
		const portico = join(installedHere(), "../../portico");
		const place = join(given ?? "", "srv/portico-test");
		try {
			mkdirSync(join(place, "home"), { recursive: true });
			cpSync(join(nodeFolder("22"), "node"), join(place, "node"));
			cpSync(join(portico, ".."), join(place, "node_modules"), { recursive: true, verbatimSymlinks: true });
			const enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" sh -c "$@"';
			const inside = [
				"unshare",
				"--mount",
				"sh",
				"-c",
				enter,
				given ?? "",
				'cd "$0" && exec "$@"',
				"/srv/portico-test/home",
			];
			const command = [...inside, "/srv/portico-test/node", "/srv/portico-test/node_modules/portico/bin/portico.mjs"];
			const env = { ...plain, HOME: "/root" };
			const data = "/srv/portico-test/home/data";
			expect(await firstAnswer({ command, cwd: "/", env, data })).toMatchObject(anAnswer);
		} finally {
			remove(place);
		}
	},
	180_000,
);

test("for Alpine npm picks the programs that are built for musl", () => {
	const home = join(folder, "musl");
	install({
		archive,
		folder: home,
		flags: ["--omit=dev", "--os=linux", "--cpu=x64", "--libc=musl", "--ignore-scripts"],
	});
	for (const name of ["@oven/bun-linux-x64-musl", "@libsql/linux-x64-musl"])
		expect(readdirSync(join(home, "node_modules", name)).length).toBeGreaterThan(0);
}, 120_000);
