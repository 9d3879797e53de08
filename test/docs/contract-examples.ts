/** The examples in the doc comments of the contract, each as a module that compiles if the example is true. */
import { readdirSync, readFileSync } from "node:fs";

const contract = new URL("../../core/contract/", import.meta.url);

interface ContractExample {
	/** `clock.ts: Clock`. */
	readonly name: string;
	/** What the comment belongs to: `export interface Clock {`. */
	readonly subject: string;
	readonly code: string;
}

const examplesIn = (file: string): readonly ContractExample[] => {
	const text = readFileSync(new URL(file, contract), "utf8");
	return [...text.matchAll(/\/\*\*((?:(?!\*\/).)*@example.*?)\*\/\s*([^\n]*)/gs)].map(
		({ 1: comment = "", 2: subject = "" }) => {
			const lines = comment.slice(comment.indexOf("@example") + "@example".length).split("\n");
			const code = lines
				.map((line) => line.replace(/^\s*\* ?/, ""))
				.join("\n")
				.trim();
			const [, symbol = subject] =
				/(\w+)\??[(<{ :=]/.exec(subject.replace(/^export (?:const|interface|type|class) /, "")) ?? [];
			return { name: `${file}: ${symbol}`, subject, code };
		},
	);
};

export const contractExamples: readonly ContractExample[] = readdirSync(contract)
	.filter((file) => file.endsWith(".ts"))
	.flatMap(examplesIn);

/** What an example takes to be there, as its reader does. */
export const assumed = `
export {};
declare global {
	type Guard = import("#core").Guard;
	interface Weather { today(): string }
	interface Forecast { readonly town: string }
	const tokenOf: (key: string) => import("#core").AccessToken;
	const personOf: (certificate: string | null) => import("#core").Operator | undefined;
	const namesFile: (body: import("#core").JsonBody) => boolean;
	const fileDenial: import("#core").Denial;
	const refresh: () => void;
	const prune: (signal: AbortSignal) => Promise<void>;
	const report: (signal: AbortSignal) => Promise<void>;
	const traceOf: (header: string | null) => import("#core").CallTrace;
	const call: import("#core").ModelRouted & import("#core").Operated;
	const body: import("#core").JsonBody;
	const bytes: Uint8Array;
	const needs: {
		readonly hostInfo: import("#core").HostInfo;
		readonly router: import("#core").Router;
		readonly store: import("#core").Store;
	};
	const log: import("#core").Log;
	const error: unknown;
	const [id, town]: readonly string[];
	const greeted: number;
	const tokens: { list(query: { owner: string | undefined }): Promise<readonly object[]> };
	const counts: Set<string>;
	const large: import("#core").Target;
	const small: import("#core").Target;
	const cohere: import("#core").Dialect;
	const jina: import("#core").Dialect;
	const { client, upstream, passthrough, facts }: import("#core").Protocol;
	const weather: import("#core").Service<Weather>;
	const prices: import("#core").Service<object>;
	const createHmac: typeof import("node:crypto").createHmac;
	const newSpanId: () => string;
	const policy: import("#core").Policy;
	const route: import("#core").Route;
}
`;

/** Interfaces whose members an example shows that stands at something else. */
const shownOf: Readonly<Record<string, string>> = {
	"call.ts: Routed": "Policy",
	"model-ask.ts: ModelAsk": "ClientSide",
	"model-listing.ts: ModelListing": "ClientSide",
	"router.ts: plan": "Router",
	"upstream-side.ts: sign": "UpstreamWire",
	"policy.ts: narrow": "TokenSetting<number>",
};

const plugin = (members: string): string =>
	`definePlugin({ name: "x", summary: "x", config: t.Object({}), ${members} });`;

/** The example within what surrounds it in a plugin. */
const surrounded = ({ name, subject, code }: ContractExample): string => {
	const words = code.replace(/^\/\/.*\n/gm, "");
	if (/^export /m.test(words)) return code;
	if (words.startsWith("needs:")) return plugin(/\bsetup:/.test(words) ? code : `${code}\nsetup: () => ({})`);
	if (words.startsWith("offers:")) return plugin(`setup: () => ({ ${code}\n})`);
	if (/^\w+(?::|\([^\n]*\) \{$)/m.exec(words)?.index === 0) {
		const [, shown = ""] = /^export interface (\w+)/.exec(subject) ?? [];
		return `({\n${code}\n}) satisfies Partial<import("#core").${shownOf[name] ?? shown}>;`;
	}
	return `export const example = async () => {\n${code}\n};`;
};

/** The module, given what `#core` exports. */
export const moduleOf = (example: ContractExample, exported: readonly string[]): string =>
	`import { ${exported.join(", ")} } from "#core";\n${surrounded(example)}\n`;
