/** Names of tools as an upstream takes them, and the way back: written once, with what each protocol calls fitting. */
import { DistinctNames } from "./distinct-names.ts";
import type { NameMap } from "./model.ts";
import type { NeutralRequest, Tool } from "./request.ts";

/** The one name of a tool that may stand in a namespace, where namespaces are unknown. */
export const flatName = (name: string, namespace: string | undefined): string =>
	namespace === undefined || namespace === "" ? name : `${namespace}__${name}`;

/** How a protocol spells names. */
export interface NameRule {
	readonly longest: number;
	/** The name with what the protocol refuses replaced; of any length. */
	fit(name: string): string;
}

/** Letters, digits, `_` and `-`: what nearly every protocol takes. */
export const plainNames = (longest: number): NameRule => ({
	longest,
	fit: (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_"),
});

const nameOf = (tool: Tool): string | undefined => {
	if (tool.type === "custom") return tool.name;
	return tool.type === "function" ? flatName(tool.name, tool.namespace) : undefined;
};

/**
 * The names of one request: each of the client's has one for the upstream, no two alike, the same at every turn, so that
 * cached prompts stay equal.
 *
 * @example
 * const names = new ToolNames(request.tools, plainNames(64));
 * names.upstream("get weather"); // "get_weather"
 * names.changed.get("get_weather"); // "get weather"
 */
export class ToolNames {
	private readonly sent = new Map<string, string>();
	/** Most requests have no tools. */
	private names: DistinctNames | undefined;
	private readonly rule: NameRule;
	/** Upstream's name → client's, for those that had to be changed. */
	readonly changed = new Map<string, string>();

	constructor(tools: NeutralRequest["tools"], rule: NameRule) {
		this.rule = rule;
		if (!tools) return;
		const names = tools.flatMap((tool) => nameOf(tool) ?? []);
		// Names that fit keep their form, whatever else must make room for them.
		for (const name of new Set(names)) if (this.fitting(name) === name) this.sent.set(name, this.take(name));
		for (const name of names) this.upstream(name);
	}

	private fitting(name: string): string {
		return this.rule.fit(name).slice(0, this.rule.longest) || "tool";
	}

	private take(name: string): string {
		this.names ??= new DistinctNames([], this.rule.longest);
		return this.names.take(name);
	}

	/** The name to send for the client's. A name that only history knows gets one too. */
	upstream(name: string, namespace?: string): string {
		const flat = flatName(name, namespace);
		const known = this.sent.get(flat);
		if (known !== undefined) return known;
		const made = this.take(this.fitting(flat));
		this.sent.set(flat, made);
		if (made !== flat) this.changed.set(made, flat);
		return made;
	}
}

/** A called tool as the client knows it. */
export interface CalledTool {
	readonly name: string;
	readonly namespace?: string;
	readonly kind: "function" | "custom";
}

/** The client's tool behind a name in an answer. A tool with just that name goes before one in a namespace. */
export const calledTool = (
	upstream: string,
	{ names, request }: { readonly names: NameMap; readonly request: NeutralRequest },
): CalledTool => {
	const name = names.tools.get(upstream) ?? upstream;
	let inNamespace: CalledTool | undefined;
	for (const tool of request.tools ?? []) {
		if (tool.type === "custom" && tool.name === name) return { name, kind: "custom" };
		if (tool.type !== "function" || flatName(tool.name, tool.namespace) !== name) continue;
		if (!tool.namespace) return { name, kind: "function" };
		inNamespace ??= { name: tool.name, namespace: tool.namespace, kind: "function" };
	}
	return inNamespace ?? { name, kind: "function" };
};
