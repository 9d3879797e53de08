/** Names of functions as Gemini takes them, and the way back. */
import type { FunctionTool, NameMap, NeutralRequest, Tool } from "#core";

const longest = 64;

/** The name by which a client's call names the tool: with its namespace, where it has one. */
export const flatName = (tool: { readonly name: string; readonly namespace?: string | undefined }): string =>
	tool.namespace ? `${tool.namespace}__${tool.name}` : tool.name;

const isFunction = (tool: Tool): tool is FunctionTool => tool.type === "function";

/** Gives every name of one request a spelling that Gemini takes, no two the same. */
export class ToolNames {
	private readonly upstreams = new Map<string, string>();
	private readonly clients = new Map<string, string>();

	/** Names that can stay as they are are taken first, so that no changed one displaces them. */
	constructor(tools: readonly Tool[]) {
		const names = tools.flatMap((tool) => {
			if (isFunction(tool)) return [flatName(tool)];
			return tool.type === "custom" ? [tool.name] : [];
		});
		for (const name of names) if (fitting(name) === name) this.upstream(name);
		for (const name of names) this.upstream(name);
	}

	/** The name to send. */
	upstream(name: string): string {
		const known = this.upstreams.get(name);
		if (known !== undefined) return known;
		const wanted = fitting(name);
		let free = wanted;
		for (let again = 2; this.clients.has(free); again++) {
			const suffix = `_${again}`;
			free = wanted.slice(0, longest - suffix.length) + suffix;
		}
		this.upstreams.set(name, free);
		this.clients.set(free, name);
		return free;
	}

	/** The names that were changed. */
	get map(): NameMap {
		return { tools: new Map([...this.clients].filter(([upstream, client]) => upstream !== client)) };
	}
}

const fitting = (name: string): string => {
	const plain = name.replace(/[^\w.:-]/g, "_");
	return (/^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`).slice(0, longest);
};

/** What a name in an upstream's answer is to the client: its name, namespace and kind. */
export const restoreName = (
	upstream: string,
	names: NameMap,
	request: NeutralRequest,
): { readonly name: string; readonly namespace?: string; readonly kind: "function" | "custom" } => {
	const name = names.tools.get(upstream) ?? upstream;
	for (const tool of request.tools ?? []) {
		if (tool.type === "custom" && tool.name === name) return { name, kind: "custom" };
		if (tool.type !== "function" || flatName(tool) !== name) continue;
		return { name: tool.name, kind: "function", ...(tool.namespace && { namespace: tool.namespace }) };
	}
	return { name, kind: "function" };
};
