/**
 * The Dockerfile played step by step in Debian's smallest root file system with Node 22, as there is no Docker here: what it
 * makes answers as its user, with nothing but /data and /tmp to write to. Part of `npm run test:package` alone: it installs
 * all that a build needs.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { anAnswer, emptyFolder, firstAnswer, nodeFolder, removalMs, remove } from "./packed.ts";
import { debianRoot, entering, has, noDebian } from "./roots.ts";

const checkout = resolve(import.meta.dir, "../..");

/** Each instruction with the rest of its line, in the order of the file. */
const instructions = readFileSync(join(checkout, "Dockerfile"), "utf8")
	.replace(/^#.*\n/gm, "")
	.replace(/\\\n/g, " ")
	.split("\n")
	.filter((line) => line.trim() !== "")
	.map((line): readonly [name: string, rest: string] => {
		const [name = "", ...rest] = line.split(" ");
		return [name, rest.join(" ")];
	});

const missing = has("bwrap") ? noDebian() : "bubblewrap is not installed";
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

let folder: string;
let debian: string;
beforeAll(() => {
	folder = emptyFolder("image");
	if (missing === undefined) debian = debianRoot(folder);
}, 180_000);
afterAll(() => remove(folder), removalMs);

/** What `node:22-bookworm-slim` is to the Dockerfile: Debian, Node and its npm, and a user named node. */
const nodeImage = (name: string): string => {
	const root = join(folder, name);
	execFileSync("cp", ["--archive", debian, root]);
	cpSync(join(nodeFolder(folder, "22"), "node"), join(root, "usr/local/bin/node"), { dereference: true });
	const npm = join(execFileSync("npm", ["root", "--global"], { encoding: "utf8" }).trim(), "npm");
	cpSync(npm, join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
	symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
	// How this machine reaches a registry.
	for (const file of ["etc/resolv.conf", "etc/hosts", "etc/ssl/certs/ca-certificates.crt"]) {
		mkdirSync(dirname(join(root, file)), { recursive: true });
		cpSync(join("/", file), join(root, file), { dereference: true });
	}
	execFileSync(Bun.which("chroot", { PATH: path }) ?? "chroot", [root, "useradd", "--uid", "1000", "node"]);
	return root;
};

interface Image {
	readonly root: string;
	readonly environment: Record<string, string>;
	directory: string;
	user: string;
	entry: readonly string[];
}

type Stages = Map<string, Image>;

const copy = (image: Image, words: readonly string[], stages: Stages): void => {
	const [, stage] = /^--from=(.*)$/.exec(words[0] ?? "") ?? [];
	const names = words.slice(stage === undefined ? 0 : 1);
	const to = resolve(image.directory, names.at(-1) ?? "");
	for (const name of names.slice(0, -1)) {
		const from = stage === undefined ? join(checkout, name) : join(stages.get(stage)?.root ?? "", name);
		const place = join(image.root, to, names.length > 2 ? name : "");
		mkdirSync(dirname(place), { recursive: true });
		// A checkout's own `node_modules` is no part of what is built of it.
		cpSync(from, place, { recursive: true, verbatimSymlinks: true });
	}
};

const run = (image: Image, command: string): void => {
	const [program = "", ...words] = [...entering(image.root, image.directory), "sh", "-c", command];
	const { status, stderr } = spawnSync(program, words, {
		encoding: "utf8",
		env: { PATH: path, HOME: "/root", ...image.environment, NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt" },
	});
	expect({ command, status, stderr }).toMatchObject({ status: 0 });
};

/** What each instruction does to the image; those that only tell something do nothing. */
const steps: Readonly<Record<string, (image: Image, rest: string, stages: Stages) => void>> = {
	ENV: ({ environment }, rest) => {
		for (const [, name = "", value = ""] of rest.matchAll(/(\w+)=(\S+)/g)) environment[name] = value;
	},
	WORKDIR: (image, rest) => {
		image.directory = rest;
		mkdirSync(join(image.root, rest), { recursive: true });
	},
	COPY: (image, rest, stages) => copy(image, rest.split(/\s+/), stages),
	RUN: run,
	USER: (image, rest) => {
		image.user = rest;
	},
	ENTRYPOINT: (image, rest) => {
		image.entry = JSON.parse(rest);
	},
	CMD: (image, rest) => {
		image.entry = [...image.entry, ...JSON.parse(rest)];
	},
	VOLUME: () => undefined,
	EXPOSE: () => undefined,
	HEALTHCHECK: () => undefined,
};

const play = (): Image => {
	const stages: Stages = new Map();
	for (const [name, rest] of instructions) {
		const [, stage = "last"] = rest.split(" AS ");
		if (name === "FROM") {
			expect(rest).toStartWith("node:22-bookworm-slim");
			stages.set(stage, { root: nodeImage(stage), environment: {}, directory: "/", user: "root", entry: [] });
			continue;
		}
		const image = [...stages.values()].at(-1);
		const step = steps[name];
		if (image === undefined || step === undefined) throw new Error(`${name} cannot be played here`);
		step(image, rest, stages);
	}
	const last = stages.get("last");
	if (last === undefined) throw new Error("the Dockerfile has no image without a name");
	return last;
};

test.skipIf(missing !== undefined)(
	missing === undefined ? "the image answers" : `the image answers (not here: ${missing})`,
	async () => {
		const image = play();
		expect(image).toMatchObject({ user: "node", directory: "/data" });
		expect(image.environment["PORTICO_HOST"]).toBe("0.0.0.0");
		const data = join(image.root, "data");
		const view = ["--ro-bind", image.root, "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"];
		const apart = ["--unshare-all", "--share-net", "--cap-drop", "ALL", "--die-with-parent"];
		const walls = ["bwrap", ...view, "--bind", data, "/data", ...apart, "--chdir", image.directory];
		const command = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", ...walls, ...image.entry];
		// Tests listen on this machine alone.
		const env = { PATH: path, ...image.environment, PORTICO_HOST: "127.0.0.1" };
		expect(await firstAnswer({ command, cwd: "/", env, data: "/data/data" })).toMatchObject(anAnswer);
	},
	600_000,
);
