/**
 * The packed file, installed once and run where programs have little: as another user, behind walls like systemd's, in
 * Debian with a shell and nothing else, under a systemd of its own by the unit that is shipped, and where there is no glibc.
 * What this machine cannot do is skipped, and its name says why.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { inContainer } from "./container.ts";
import { anAnswer, askedAsGreeted, emptyFolder, firstAnswer, install, nodeFolder, pack, remove } from "./packed.ts";
import { debianRoot, entering, has, isRoot, muslRoot, noDebian, noMusl } from "./roots.ts";

const mostSeconds = 60;
const limit = 180_000;

let folder: string;
let archive: string;
/** `node_modules` of the package as it is installed there. */
let modules: string;
beforeAll(() => {
	folder = emptyFolder("rooms");
	archive = pack(folder);
	install({ archive, folder: join(folder, "installed") });
	modules = join(folder, "installed/node_modules");
}, limit);
afterAll(() => {
	remove(folder);
	// A root file system that was given is given back as it was.
	if (debian !== undefined) for (const name of put) remove(join(debian, name));
});

/** A test that says in its name why it is skipped, if it is. */
const where = (name: string, missing: string | undefined, body: () => Promise<void>): void =>
	test.skipIf(missing !== undefined)(
		missing === undefined ? name : `${name} (not here: ${missing})`,
		async () => {
			await body();
		},
		limit,
	);

const plain = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const notRoot = isRoot ? undefined : "only root may become another user";

const folderOfNobody = (name: string): string => {
	const made = join(folder, name);
	mkdirSync(made);
	execFileSync("chown", ["65534:65534", made]);
	return made;
};

/** It answers within a minute, with its data in the folder where it was called. */
const answers = async (command: readonly string[], { cwd, data = join(cwd, "data"), env = plain }: Place) => {
	const began = performance.now();
	expect(await firstAnswer({ command, cwd, env, data })).toMatchObject(anAnswer);
	expect((performance.now() - began) / 1000).toBeLessThan(mostSeconds);
};

interface Place {
	readonly cwd: string;
	readonly data?: string;
	readonly env?: NodeJS.ProcessEnv;
}

where("as another user, who owns nothing but an empty folder", notRoot, async () => {
	const cwd = folderOfNobody("of-nobody");
	await answers([...nobody, join(modules, ".bin/portico")], { cwd });
});

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

const noMounts =
	spawnSync("unshare", ["--mount", "true"]).status === 0 ? notRoot : "this machine gives no mount namespaces";

where("behind walls like those of config/portico.service", noMounts, async () => {
	const cwd = folderOfNobody("state");
	const bare = [...nobody, "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"];
	const walls = ["unshare", "--mount", "sh", "-c", strictly, "sh", cwd];
	await answers([...walls, ...bare, join(modules, ".bin/portico")], { cwd });
	expect(existsSync(join(folder, "written"))).toBe(false);
});

where("in a sandbox of bubblewrap", has("bwrap") ? undefined : "bubblewrap is not installed", async () => {
	// Its owner, root too, is user 65534 inside.
	const cwd = join(folder, "wrapped");
	mkdirSync(cwd);
	const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", cwd, cwd, "--chdir", cwd];
	const apart = ["--unshare-all", "--share-net", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"];
	const command = ["bwrap", ...view, ...apart, "--die-with-parent", "--new-session", join(modules, ".bin/portico")];
	await answers(command, { cwd });
});

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
	install({ archive, folder: join(root, "srv"), flags });
	const bun = "/srv/node_modules/@oven/bun-linux-x64-musl/bin/bun";
	// Node for musl is no package of npm's: Bun runs the launcher in its place, which then looks for Bun as ever.
	const command = [...entering(root, "/srv/home"), bun, "/srv/node_modules/portico/bin/portico.mjs"];
	const env = { PATH: "/usr/sbin:/usr/bin:/bin", HOME: "/root" };
	await answers(command, { cwd: "/", env, data: "/srv/home/data" });
});
