/** Ids and tool names within the alphabet this protocol allows: the same each time, so that cached prompts stay equal. */
import { createHash } from "node:crypto";
import type { DecodeContext, NameMap, NeutralRequest } from "#core";

const conforming = /^[a-zA-Z0-9_-]+$/;
const foreignLetters = /[^a-zA-Z0-9_-]/g;
const longestName = 128;

/** Eight hexadecimal digits that stand for the text. */
export const shortHash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** The id of a tool call as this protocol can have it. */
export const safeId = (id: string): string =>
	conforming.test(id) ? id : `${id.replace(foreignLetters, "_").slice(0, 48)}_${shortHash(id)}`;

/** A tool's one name where namespaces are unknown. */
export const flatName = (name: string, namespace: string | undefined): string =>
	namespace ? `${namespace}__${name}` : name;

/** The names of a request's tools on the wire. */
export class ToolNames {
	private readonly wireByName = new Map<string, string>();
	private readonly nameByWire = new Map<string, string>();

	/** Two names that would become one are told apart by what they were. */
	wire(name: string, namespace?: string): string {
		const flat = flatName(name, namespace);
		const known = this.wireByName.get(flat);
		if (known !== undefined) return known;
		const clean = flat.replace(foreignLetters, "_").slice(0, longestName) || "tool";
		const wire = this.nameByWire.has(clean) ? `${clean.slice(0, longestName - 9)}_${shortHash(flat)}` : clean;
		this.wireByName.set(flat, wire);
		this.nameByWire.set(wire, flat);
		return wire;
	}

	/** What the decoder needs to give the names back. */
	map(): NameMap["tools"] {
		return new Map([...this.nameByWire].filter(([wire, name]) => wire !== name));
	}
}

/** A called tool as the client knows it. */
export interface CalledTool {
	readonly name: string;
	readonly namespace?: string;
	readonly kind: "function" | "custom";
}

/** The client's tool behind a name on the wire. A tool with just that name goes before one in a namespace. */
export const calledTool = (wire: string, context: Pick<DecodeContext, "names" | "request">): CalledTool => {
	const name = context.names.tools.get(wire) ?? wire;
	return directTool(name, context.request) ?? namespacedTool(name, context.request) ?? { name, kind: "function" };
};

const directTool = (name: string, { tools = [] }: NeutralRequest): CalledTool | undefined => {
	for (const tool of tools) {
		if (tool.type === "custom" && tool.name === name) return { name, kind: "custom" };
		if (tool.type === "function" && tool.name === name && !tool.namespace) return { name, kind: "function" };
	}
	return undefined;
};

const namespacedTool = (name: string, { tools = [] }: NeutralRequest): CalledTool | undefined => {
	for (const tool of tools)
		if (tool.type === "function" && tool.namespace && flatName(tool.name, tool.namespace) === name)
			return { name: tool.name, namespace: tool.namespace, kind: "function" };
	return undefined;
};
