/** Root file systems with little in them, made of Debian's packages, and what this machine lacks for making them. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const isRoot = process.getuid?.() === 0;

export const has = (program: string): boolean => Bun.which(program) !== null;

/** Why none of them can be entered here; undefined where they can. */
const noWalls = (): string | undefined => {
	if (!isRoot) return "only root may enter another root file system";
	return spawnSync("unshare", ["--mount", "true"]).status === 0 ? undefined : "this machine gives no mount namespaces";
};

/** Where apt gets this machine's own packages from. */
const site = (): string | undefined =>
	has("apt-get")
		? execFileSync("apt-get", ["indextargets", "--format", "$(SITE) $(COMPONENT)", "Created-By: Packages"], {
				encoding: "utf8",
			})
				.split("\n")
				.find((line) => line.endsWith(" main"))
				?.split(" ")[0]
		: undefined;

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Made before by `debootstrap`, so that it needs not be made anew. */
const given = process.env["PORTICO_ROOT"];

export const noDebian = (): string | undefined => {
	const missing = noWalls();
	if (missing !== undefined || given !== undefined) return missing;
	if (!has("debootstrap")) return "debootstrap is not installed";
	return site() === undefined ? "apt names no place that packages come from" : undefined;
};

/** Debian with what it cannot be without, and systemd. */
export const debianRoot = (folder: string): string => {
	if (given !== undefined) return given;
	const root = join(folder, "debian");
	const words = ["--variant=minbase", "--include=systemd,dbus", "bookworm", root, site() ?? ""];
	execFileSync("debootstrap", words, { stdio: "ignore" });
	return root;
};

export const noMusl = (): string | undefined => {
	const missing = noWalls();
	if (missing !== undefined) return missing;
	if (process.arch !== "x64") return "the names of its files are known for x64 alone";
	if (!existsSync(keyring) || site() === undefined)
		return "musl is taken from Debian's packages, and this is no Debian";
	return has("pip3") ? undefined : "libstdc++ for musl is taken from a Python wheel, and there is no pip";
};

/** Debian's musl of another release than this machine's: Bun wants 1.2.4 (relative relocations). */
const debianPackages = (folder: string, names: readonly string[]): string => {
	const sources = join(folder, "sources.list");
	for (const name of ["lists/partial", "cache/archives/partial", "packages", "unpacked"])
		mkdirSync(join(folder, name), { recursive: true });
	writeFileSync(sources, `deb [signed-by=${keyring}] ${site()} trixie main\n`);
	const options = [
		["Dir::Etc::sourcelist", sources],
		["Dir::Etc::sourceparts", "-"],
		["Dir::State::lists", join(folder, "lists")],
		["Dir::Cache", join(folder, "cache")],
		["APT::Sandbox::User", "root"],
	].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
	const place = { cwd: join(folder, "packages"), stdio: "ignore" } as const;
	execFileSync("apt-get", [...options, "update"], place);
	execFileSync("apt-get", [...options, "download", ...names], place);
	for (const name of readdirSync(place.cwd))
		execFileSync("dpkg-deb", ["--extract", join(place.cwd, name), join(folder, "unpacked")]);
	return join(folder, "unpacked");
};

/** The C++ library for musl that a wheel brings along, with what it needs. */
const wheelLibraries = (folder: string): string => {
	const words = ["--no-deps", "--only-binary=:all:", "--platform", "musllinux_1_2_x86_64", "--python-version", "3.12"];
	execFileSync("pip3", ["download", "--quiet", ...words, "--dest", folder, "greenlet==3.5.6"], { stdio: "ignore" });
	const [wheel = ""] = readdirSync(folder).filter((name) => name.endsWith(".whl"));
	execFileSync("python3", ["-m", "zipfile", "-e", join(folder, wheel), folder]);
	return join(folder, "greenlet.libs");
};

/** What Alpine is to a program: musl, the C++ library and busybox; no glibc anywhere. */
export const muslRoot = (folder: string): string => {
	const root = join(folder, "musl-root");
	for (const name of ["lib", "usr/lib", "bin", "dev", "proc", "tmp", "etc", "root", "srv/home"])
		mkdirSync(join(root, name), { recursive: true });
	const unpacked = debianPackages(join(folder, "apt"), ["musl", "busybox-static"]);
	const [libc = ""] = readdirSync(unpacked, { recursive: true, encoding: "utf8" }).filter((name) =>
		name.endsWith("/libc.so"),
	);
	copyFileSync(join(unpacked, libc), join(root, "lib/ld-musl-x86_64.so.1"));
	symlinkSync("ld-musl-x86_64.so.1", join(root, "lib/libc.musl-x86_64.so.1"));
	const libraries = wheelLibraries(join(folder, "wheel"));
	cpSync(libraries, join(root, "usr/lib"), { recursive: true });
	for (const name of readdirSync(libraries))
		symlinkSync(name, join(root, "usr/lib", name.replace(/-[0-9a-f]+\.so\.(\d+).*$/, ".so.$1")));
	const [busybox = ""] = ["usr/bin/busybox", "bin/busybox"].filter((name) => existsSync(join(unpacked, name)));
	copyFileSync(join(unpacked, busybox), join(root, "bin/busybox"));
	for (const name of ["sh", "env"]) symlinkSync("busybox", join(root, "bin", name));
	return root;
};

/** The words that run a program in it: in its folder `home`, with /proc and the machine's devices. */
export const entering = (root: string, home: string): readonly string[] => {
	const enter = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" sh -c "$@"';
	return ["unshare", "--mount", "sh", "-c", enter, root, 'cd "$0" && exec "$@"', home];
};
