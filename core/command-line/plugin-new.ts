/** `portico plugin new NAME`: writes a plugin that runs, with its test and README, in a folder of its name. */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { refuseCommand } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import type { Invocation } from "./settings.ts";

const templates = fileURLToPath(new URL("../../templates/", import.meta.url));

/** Each kind of plugin with the example it begins from. */
const kinds: Readonly<Record<string, string>> = {
	"--policy": "forbidden-words",
	"--endpoint": "stranger-rerank",
	"--protocol": "telegraph",
	"--task": "speech",
};

export const pluginUsage = [
	"portico plugin new NAME [--policy | --endpoint | --protocol | --task]",
	"",
	"Writes the folder NAME with a plugin that runs, its test and its README; a policy unless said.",
	"  --policy     refuses calls by what is asked: reads the prompt of every kind of call, has a token setting",
	"  --endpoint   a model route that is no conversation: routed, metered, failed over, recorded",
	"  --protocol   a wire format of its own, for clients and for upstreams",
	"  --task       a kind of work that runs for minutes, with its callback",
	"docs/plugin-examples.md of the package has more: an upstream's protocol, keys of a company, a collector, a router.",
].join("\n");

const jsonText = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Lets editors and test runners find `#core`, where Portico is installed. */
const packageOf = (name: string): object => ({
	name,
	version: "0.1.0",
	type: "module",
	exports: "./index.ts",
	imports: { "#core": "portico", "#core/testing": "portico/testing", "#core/plugins/*": "portico/plugins/*" },
	peerDependencies: { portico: "*" },
	// Whatever Portico loads it gives it `#core`; npm is to fetch none beside one that is installed elsewhere.
	peerDependenciesMeta: { portico: { optional: true } },
});

/** The compiler reads Portico's sources for its types, and finds no fault in them with these. */
const compiling: object = {
	compilerOptions: {
		target: "ESNext",
		module: "Preserve",
		types: ["bun"],
		allowImportingTsExtensions: true,
		noEmit: true,
		strict: true,
		skipLibCheck: true,
	},
};

const write = (name: string, example: string): string => {
	const folder = resolve(name);
	if (existsSync(folder)) refuseCommand(`${folder} is there already; choose another name, nothing was changed.`);
	cpSync(join(templates, example), folder, { recursive: true });
	for (const file of readdirSync(folder)) {
		const path = join(folder, file);
		writeFileSync(path, readFileSync(path, "utf8").replaceAll(example, name));
	}
	// Under its own name it would be left out of the package, as Portico's tests are.
	renameSync(join(folder, "test.ts"), join(folder, "index.test.ts"));
	writeFileSync(join(folder, "package.json"), jsonText(packageOf(name)));
	writeFileSync(join(folder, "tsconfig.json"), jsonText(compiling));
	return folder;
};

export const plugin = ({ words, environment }: Invocation, print: (line: string) => void): Promise<void> => {
	const [action = "", ...rest] = words;
	const [kind = "--policy", ...kindsToo] = rest.filter((word) => word.startsWith("--"));
	const [name = "", ...namesToo] = rest.filter((word) => !word.startsWith("--"));
	const tooMany = [...kindsToo, ...namesToo];
	if (action !== "new" || name === "") return Promise.resolve(refuseCommand("Say what to write.", pluginUsage));
	if (!/^[a-z][a-z0-9-]{0,60}$/.test(name))
		refuseCommand(
			`"${name.slice(0, 64)}" is no name for a plugin: use small letters, digits and hyphens, a letter first.`,
		);
	const example = kinds[kind];
	if (example === undefined || tooMany.length > 0) {
		const wrong =
			example === undefined
				? `"${kind}" is not understood${didYouMean(kind, Object.keys(kinds))}`
				: `"${tooMany.join(" ")}" is too much: one plugin of one kind is written`;
		return Promise.resolve(refuseCommand(wrong, pluginUsage));
	}
	print(`wrote ${write(name, example)}`);
	const called = environment["PORTICO_CALLED_AS"] ?? "portico";
	// Its test runs on both, and whoever called by Deno may have no Bun.
	const runtime = called.startsWith("deno ") ? "deno" : "bun";
	print(`\nIts test:    ${called} ${runtime} test ./${name}`);
	print(`To load it:  - use: ./${name}   (a line under plugins: in the config, seen from the config's folder)`);
	return Promise.resolve();
};
