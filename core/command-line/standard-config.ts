/** The config that Portico brings: what it serves where there is none, and what `portico init` writes. */
import { readFileSync } from "node:fs";

const shipped = new URL("../../config/portico.yaml", import.meta.url);

/** The text of the built-in default. */
export const standardConfig = (): string => readFileSync(shipped, "utf8");

/** Providers that the text has lines for, the variable that holds the key of each, and names of models that lead there. */
export const providers = {
	openai: { variable: "OPENAI_API_KEY", models: ["gpt-*", "o3*", "o4*", "text-embedding-*"] },
	anthropic: { variable: "ANTHROPIC_API_KEY", models: ["claude-*"] },
	google: { variable: "GEMINI_API_KEY", models: ["gemini-*"] },
} as const;

export type Provider = keyof typeof providers;

const header =
	"# Portico's config. `portico check` says what is wrong with it, `portico schema` writes portico.schema.json for editors.";

/** The text with these providers switched on; the lines of the others stay as comments. */
export const configWith = (chosen: readonly Provider[]): string => {
	const lines = standardConfig().split("\n").slice(1);
	const text = [header, ...lines].join("\n");
	if (chosen.length === 0) return text;
	const withUpstreams = text
		.replace(/^( *)upstreams: \[\]\n *# upstreams:\n/m, "$1upstreams:\n")
		.replace(/^( *)# {3}(- \{ name: (\w+),.*)$/gm, (_, indent: string, item: string, name: string) =>
			chosen.some((one) => one === name) ? `${indent}  ${item}` : `${indent}  # ${item}`,
		);
	const models = chosen.flatMap((name) =>
		providers[name].models.map((model) => `        - { name: "${model}", targets: [{ upstream: ${name} }] }\n`),
	);
	return withUpstreams.replace(/^ *- \{ name: demo, .*\n/m, (demo) => demo + models.join(""));
};
