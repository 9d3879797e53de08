/**
 * The packed file, installed once and run where programs have little: as another user, behind walls like systemd's, in a
 * sandbox. What this machine cannot do is skipped, and its name says why.
 */
import { afterAll, beforeAll, expect } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { emptyFolder, install, pack, removalMs, remove } from "./packed.ts";
import { answers, limit, where } from "./rooms.ts";
import { has, isRoot } from "./roots.ts";

let folder: string;
/** `node_modules` of the package as it is installed there. */
let modules: string;
beforeAll(() => {
	folder = emptyFolder("rooms");
	install({ archive: pack(), folder: join(folder, "installed") });
	modules = join(folder, "installed/node_modules");
}, limit);
afterAll(() => remove(folder), removalMs);

const env = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" };
const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
const notRoot = isRoot ? undefined : "only root may become another user";

const folderOfNobody = (name: string): string => {
	const made = join(folder, name);
	mkdirSync(made);
	execFileSync("chown", ["65534:65534", made]);
	return made;
};

/** With its data in the folder where it is called. */
const at = (cwd: string) => ({ cwd, data: join(cwd, "data"), env });

where("as another user, who owns nothing but an empty folder", notRoot, async () => {
	const cwd = folderOfNobody("of-nobody");
	await answers([...nobody, join(modules, ".bin/portico")], at(cwd));
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
	await answers([...walls, ...bare, join(modules, ".bin/portico")], at(cwd));
	expect(existsSync(join(folder, "written"))).toBe(false);
});

where("in a sandbox of bubblewrap", has("bwrap") ? undefined : "bubblewrap is not installed", async () => {
	// Its owner, root too, is user 65534 inside.
	const cwd = join(folder, "wrapped");
	mkdirSync(cwd);
	const view = ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", cwd, cwd, "--chdir", cwd];
	const apart = ["--unshare-all", "--share-net", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"];
	const command = ["bwrap", ...view, ...apart, "--die-with-parent", "--new-session", join(modules, ".bin/portico")];
	await answers(command, at(cwd));
});
