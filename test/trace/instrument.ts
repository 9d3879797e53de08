/**
 * Counts entries into functions: loaded before Portico (`--preload`), it puts a call of the counter at the beginning of every
 * function of `core/` and `plugins/` that has a body in braces. What only gives a value (`(x) => x + 1`) is not counted.
 */
import { relative } from "node:path";

/** One entry after the other, as `file name`. */
export type Trace = string[];

const root = `${import.meta.dir}/../../`;
const traced = /\/(?:core|plugins)\/.*\.ts$/;
const apart = /\.test\.ts$|\/core\/testing\//;

/** How Bun's printer ends the line on which a function's body begins. */
const opensFunction =
	/(?:=> \{|\bfunction\*?(?: [\w$]+)?\(.*\) \{|^\s+(?:(?:async|static|get|set) |\*)*(?:#?[\w$]+|\[[^\]]+\])\(.*\) \{)$/;
const opensBlock = /^\s*(?:if|for|while|switch|catch|return|with)\b/;
/** What Bun makes of `() => undefined`. */
const givesNothing = /^\s+return;$/;
/** The name of a function by what stands before it on its line, where other functions may have ended. */
const named =
	/([\w$]+) = (?:async )?(?:\((?:(?!\) => ).)*\)|[\w$]+) => \{$|\bfunction\*? ([\w$]+)|^\s+(?:(?:async|static|get|set) |\*)*([\w$#]+)\(/;

const transpiler = new Bun.Transpiler({ loader: "ts", target: "bun" });

/** The code of a file with a call of the counter in every function. */
const instrumented = (source: string, file: string): string =>
	transpiler
		.transformSync(source)
		.split("\n")
		.map((line, index, lines) => {
			if (!opensFunction.test(line) || (opensBlock.test(line) && !line.endsWith("=> {"))) return line;
			if (line.endsWith("=> {") && givesNothing.test(lines[index + 1] ?? "")) return line;
			const [, ...names] = named.exec(line) ?? [];
			const entry = JSON.stringify(`${file} ${names.find((name) => name !== undefined) ?? "(anonymous)"}`);
			return `${line} globalThis.trace?.push(${entry});`;
		})
		.join("\n");

Bun.plugin({
	name: "trace",
	setup(build) {
		build.onLoad({ filter: traced }, async ({ path }) => {
			const source = await Bun.file(path).text();
			const file = relative(root, path);
			return {
				contents: apart.test(path) ? source : instrumented(source, file),
				loader: apart.test(path) ? "ts" : "js",
			};
		});
	},
});
