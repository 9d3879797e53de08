#!/usr/bin/env node
// Starts Portico on Bun. Needs nothing but Node: Bun is among the dependencies, and its place is found here. Run by Deno
// (`deno run -A …/bin/portico.mjs`) it starts Portico on that.
//
// Three things can only be settled before Bun starts: how many requests its client may have in flight (256 unless the
// environment says otherwise, too few for a gateway), how many threads look up names (one a core, and each is held until the
// name's server has answered: two hanging names stopped all new connections of a small machine), and that the server ends when
// this launcher is killed.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, tmpdir } from "node:os";
import { basename, delimiter, dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(import.meta.url);

/** The file is a program and not the note that stands in its place until an install script has run. */
const isProgram = (path) => existsSync(path) && statSync(path).size > 1_000_000;

/** Bun's own package holds the program once its install script has run; until then its platform package does. */
const bunProgram = () => {
	const { platform, arch } = process;
	const system = platform === "win32" ? "windows" : platform;
	const machine = arch === "arm64" ? "aarch64" : arch;
	const places = [
		["bun", "bun.exe"],
		...["", "-baseline", "-musl"].flatMap((kind) =>
			["bun", "bun.exe"].map((file) => [`@oven/bun-${system}-${machine}${kind}`, file]),
		),
	];
	for (const [name, file] of places) {
		try {
			const path = join(dirname(require.resolve(`${name}/package.json`)), "bin", file);
			if (isProgram(path)) return path;
		} catch {
			// Not installed here; the next place, or whatever `bun` the PATH has.
		}
	}
	return "bun";
};

const newest = (path) => {
	const found = statSync(path);
	return found.isDirectory()
		? Math.max(...readdirSync(path).map((name) => newest(join(path, name))), 0)
		: found.mtimeMs;
};

/** What `npm run build` makes of the sources, which starts in half the time; in a clone, as long as no source is newer. */
const program = () => {
	const sources = join(root, "core", "main.ts");
	const built = join(root, "built", "portico.js");
	if (!existsSync(built)) return sources;
	if (!existsSync(join(root, ".git"))) return built;
	const places = ["core", "plugins", "package-lock.json"].map((name) => join(root, name));
	return Math.max(...places.map(newest)) > statSync(built).mtimeMs ? sources : built;
};

const placeForDeno = () => {
	const place = mkdtempSync(join(tmpdir(), "portico-deno-"));
	process.once("exit", () => rmSync(place, { recursive: true, force: true }));
	return place;
};

/**
 * The sources as Deno takes them: Deno reads no TypeScript below `node_modules`, by its path alone, so an installed
 * Portico is run by a link beside a link to what it depends on.
 */
const sourcesForDeno = () => {
	const modules = join(root, "..");
	if (basename(modules) !== "node_modules") return root;
	const place = placeForDeno();
	symlinkSync(modules, join(place, "node_modules"));
	symlinkSync(root, join(place, "package"));
	return join(place, "package");
};

/** What the tests of a plugin import, for Deno: what `core/preload.ts` tells Bun. */
const importMap = () => {
	const sources = sourcesForDeno();
	const services = readdirSync(join(root, "plugins"))
		.map((name) => `plugins/${name}`)
		.filter((name) => existsSync(join(root, name, "service.ts")));
	const modules = [
		["", "core/mod.ts"],
		["/testing", "core/testing/mod.ts"],
		...services.map((name) => [`/${name}`, `${name}/service.ts`]),
	];
	const imports = ["#core", "portico"].flatMap((first) =>
		modules.map(([name, file]) => [first + name, pathToFileURL(join(sources, file)).href]),
	);
	const map = join(placeForDeno(), "import-map.json");
	writeFileSync(map, JSON.stringify({ imports: Object.fromEntries(imports) }));
	return map;
};

/** How the operator calls this program in this folder, for advice that can be typed as it stands. */
const calledAs = () => {
	const called = process.argv[1] ?? "";
	const place = relative(process.cwd(), called);
	// The starter that pnpm writes names the file where it keeps it, which nobody would type.
	if (/[/\\]\.pnpm[/\\]/.test(called)) return place.startsWith("..") ? "portico" : "npx portico";
	if (called.endsWith(".mjs")) {
		if (process.versions.deno !== undefined) return `deno run -A ${place}`;
		return process.env.npm_command ? "npx portico" : `node ${place}`;
	}
	const project = called.slice(0, Math.max(0, called.indexOf("node_modules")));
	if (project === "") return "portico";
	// From any folder that is not below the one it is installed in, `npx` would fetch another from the registry.
	if (process.env.npm_command || `${process.cwd()}${sep}`.startsWith(project)) return "npx portico";
	return process.env.PATH?.split(delimiter).includes(dirname(called)) ? "portico" : called;
};

if (process.versions.pnp !== undefined && /[/\\]\.yarn[/\\]/.test(root)) {
	console.error(
		"portico: Yarn's Plug'n'Play keeps packages in zip files, which Bun cannot read. Write `nodeLinker: node-modules` into .yarnrc.yml, and run yarn install again.",
	);
	process.exit(1);
}

const words = process.argv.slice(2);
const [first, ...rest] = words;
// `portico bun …` runs Bun itself, for the scripts of package.json.
const tests = first === "bun" && rest[0] === "test" && !process.cwd().startsWith(root.replace(/[/\\]$/, ""));
// A plugin's tests outside of this package find `#core` by it.
const preload = tests ? ["--preload", join(root, "core", "preload.ts")] : [];
// `portico deno test …` runs them on Deno.
const testsOnDeno = first === "deno" && rest[0] === "test";
const onDeno = process.versions.deno !== undefined && first !== "bun";
// Beside no `node_modules` Bun would fetch what a plugin imports from the registry, and run it, unasked.
const wordsForBun = () =>
	first === "bun" ? [...rest.slice(0, 1), ...preload, ...rest.slice(1)] : ["--no-install", program(), ...words];
const wordsForDeno = () =>
	testsOnDeno
		? [
				"test",
				"-A",
				"--no-check",
				"--unstable-net",
				"--node-modules-dir=manual",
				"--import-map",
				importMap(),
				...rest.slice(1),
			]
		: ["run", "-A", "--no-check", join(sourcesForDeno(), "core", "main.ts"), ...words];
const argv = onDeno || testsOnDeno ? wordsForDeno() : wordsForBun();
const denoProgram = () => (process.versions.deno === undefined ? "deno" : process.execPath);

// Signals are heard before it is there: whoever sees that it is may send one.
let child;
// Deno's `child.kill` would cut the channel between the two, which ends the child at once.
const tell = (signal) => {
	if (child?.pid !== undefined && child.exitCode === null) process.kill(child.pid, signal);
};
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => tell(signal));
// A reload that is asked for while Portico is being loaded would end it: it is told once Portico hears it.
let hears = first === "bun" || testsOnDeno;
let reload = false;
process.on("SIGHUP", () => {
	if (hears) tell("SIGHUP");
	else reload = true;
});

child = spawn(onDeno || testsOnDeno ? denoProgram() : bunProgram(), argv, {
	stdio: testsOnDeno ? "inherit" : ["inherit", "inherit", "inherit", "ipc"],
	env: {
		...process.env,
		PORTICO_CALLED_AS: calledAs(),
		BUN_CONFIG_MAX_HTTP_REQUESTS: process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? "65336",
		UV_THREADPOOL_SIZE: process.env.UV_THREADPOOL_SIZE ?? "32",
	},
});

// npm hands a signal to the shell that it runs a script in, which dies of it and tells nobody.
if (/^(?:node bin\/portico\.mjs|'?portico'?)(?: [^&;|]*)?$/.test(process.env.npm_lifecycle_script ?? "")) {
	const parent = process.ppid;
	const look = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(look);
		tell("SIGTERM");
	}, 500);
}

child.once("message", () => {
	hears = true;
	if (reload) tell("SIGHUP");
});
child.on("error", (error) => {
	console.error(
		testsOnDeno
			? `portico: Deno could not be started (${error.message}). Put deno on the PATH: npm install --save-dev deno`
			: `portico: Bun could not be started (${error.message}). Install Portico without --omit=optional, or put bun on the PATH.`,
	);
	process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
