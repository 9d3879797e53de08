/**
 * `npm run build`: the whole program in one file, with its bytecode, which starts in half the time that the sources take.
 * It lies one folder deep and leaves the sources where they are: what reads files beside its source still finds them, and
 * so do Deno and whatever is run by its own path.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative, sep } from "node:path";

const root = join(import.meta.dir, "..");
const folder = join(root, "built");

/** A table of what `core/host/built-ins.ts` finds in folders, for a bundler to follow. */
const tableOf = (name: string, file: string): string => {
	const rows = readdirSync(join(root, "plugins"))
		.filter((plugin) => existsSync(join(root, "plugins", plugin, file)))
		.map((plugin) => {
			const path = JSON.stringify(`../../plugins/${plugin}/${file}`);
			return `[${JSON.stringify(plugin)}, { url: new URL(${path}, import.meta.url).href, load: () => import(${path}) }]`;
		});
	return `export const ${name} = new Map([${rows.join(",\n")}]);\n`;
};

const builtIns = (): string => tableOf("builtInPlugins", "index.ts") + tableOf("builtInServices", "service.ts");

/** Every module keeps the address of its source, as seen from the built file, wherever that is installed. */
const withAddress = (text: string, path: string): string => {
	const address = `new URL(${JSON.stringify(`../${relative(root, path).split(sep).join("/")}`)}, builtFile)`;
	return text.replaceAll("import.meta.url", `${address}.href`);
};

const sources = new RegExp(`^${RegExp.escape(root + sep)}(?:core|plugins)[\\\\/].*\\.ts$`);

rmSync(folder, { recursive: true, force: true });
const { outputs } = await Bun.build({
	entrypoints: [join(root, "core/main.ts")],
	outdir: folder,
	naming: "portico.js",
	target: "bun",
	format: "cjs",
	banner: 'const builtFile = require("node:url").pathToFileURL(__filename);',
	bytecode: true,
	minify: true,
	// Machine code, what may be absent, what is read in its own time, and what Elysia would load for uploads it never gets.
	external: ["libsql", "@opentelemetry/*", "@pydantic/genai-prices", "file-type"],
	plugins: [
		{
			name: "portico",
			setup(build) {
				build.onLoad({ filter: sources }, ({ path }) => {
					const text = path === join(root, "core/host/built-ins.ts") ? builtIns() : readFileSync(path, "utf8");
					return { contents: withAddress(text, path), loader: "ts" };
				});
			},
		},
	],
});
for (const { path, size } of outputs) console.log(`${relative(root, path)}  ${(size / 1e6).toFixed(1)} MB`);
