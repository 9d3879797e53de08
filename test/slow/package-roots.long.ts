/**
 * The packed file, installed once and run in root file systems of their own: in Debian with a shell and nothing else, under a
 * systemd of its own by the unit that is shipped, and where there is no glibc. Part of `npm run test:package` alone: such a
 * file system takes a minute to make. What this machine cannot do is skipped, and its name says why.
 */
import { afterAll, beforeAll, expect } from "bun:test";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { inContainer } from "./container.ts";
import { anAnswer, askedAsGreeted, emptyFolder, install, nodeFolder, pack, removalMs, remove } from "./packed.ts";
import { answers, limit, mostSeconds, where } from "./rooms.ts";
import { debianRoot, entering, has, muslRoot, noDebian, noMusl } from "./roots.ts";

let folder: string;
/** `node_modules` of the package as it is installed there. */
let modules: string;
beforeAll(() => {
	folder = emptyFolder("roots");
	install({ archive: pack(), folder: join(folder, "installed") });
	modules = join(folder, "installed/node_modules");
}, limit);
afterAll(() => {
	remove(folder);
	// A root file system that was given is given back as it was.
	if (debian !== undefined) for (const name of put) remove(join(debian, name));
}, removalMs);

let debian: string | undefined;
const put = ["usr/local/bin/node", "usr/local/bin/portico", "usr/local/lib/node_modules", "srv/home", "etc/portico"];
/** Debian's root file system with Node 22 and the package as `npm install --global` puts them there. */
const debianWithPortico = (): string => {
	if (debian !== undefined) return debian;
	const root = debianRoot(folder);
	mkdirSync(join(root, "usr/local/lib"), { recursive: true });
	cpSync(join(nodeFolder(folder, "22"), "node"), join(root, "usr/local/bin/node"), { dereference: true });
	cpSync(modules, join(root, "usr/local/lib/node_modules"), { recursive: true, verbatimSymlinks: true });
	execFileSync("ln", ["-sf", "../lib/node_modules/portico/bin/portico.mjs", join(root, "usr/local/bin/portico")]);
	mkdirSync(join(root, "srv/home"), { recursive: true });
	debian = root;
	return root;
};

where("in Debian's smallest root file system", noDebian(), async () => {
	const root = debianWithPortico();
	const env = { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin", HOME: "/root" };
	await answers([...entering(root, "/srv/home"), "portico"], { cwd: "/", env, data: "/srv/home/data" });
});

const noSystemd = has("systemd-nspawn") ? noDebian() : "systemd-nspawn is not installed";

where("under a systemd of its own, by config/portico.service", noSystemd, async () => {
	const root = debianWithPortico();
	const began = performance.now();
	await inContainer(root, async ({ said, command }) => {
		const answer = await said((log) => askedAsGreeted(log, "/var/lib/portico"));
		expect(answer).toMatchObject(anAnswer);
		expect((performance.now() - began) / 1000).toBeLessThan(mostSeconds);
		command("systemctl", "reload", "portico");
		await said((log) => (log.includes('"msg":"reloaded"') ? true : undefined));
	}).then((log) => {
		expect(log).toContain('"msg":"stopped"');
		expect(log).not.toMatch(/"level":"(warn|error)"/);
	});
});

where("where there is musl and no glibc, as on Alpine", noMusl(), async () => {
	const root = muslRoot(folder);
	const flags = ["--omit=dev", "--os=linux", "--cpu=x64", "--libc=musl", "--ignore-scripts"];
	install({ archive: pack(), folder: join(root, "srv"), flags });
	const bun = "/srv/node_modules/@oven/bun-linux-x64-musl/bin/bun";
	// Node for musl is no package of npm's: Bun runs the launcher in its place, which then looks for Bun as ever.
	const command = [...entering(root, "/srv/home"), bun, "/srv/node_modules/portico/bin/portico.mjs"];
	const env = { PATH: "/usr/sbin:/usr/bin:/bin", HOME: "/root" };
	await answers(command, { cwd: "/", env, data: "/srv/home/data" });
});
