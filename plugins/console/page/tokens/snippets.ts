/** How each client is told of this gateway. The key stands as $PORTICO_KEY, because snippets are pasted into chats. */
import { query } from "../data/call.ts";
import { text, type Wire, wires } from "../data/read.ts";

/** One thing to copy as it stands, and where it belongs. */
interface SnippetPart {
	readonly place: string | undefined;
	readonly text: string;
}

interface Snippet {
	readonly name: string;
	readonly title: string;
	readonly note: string | undefined;
	readonly parts: readonly SnippetPart[];
}

/** The route that gives what `portico connect` prints. `model`: one that the token may ask for, where it says which. */
export const snippetPath = (base: string, model: string | undefined): string =>
	`/admin/clients${query({ address: base, model, key: "$PORTICO_KEY" })}`;

export const snippetsIn = (answer: Wire | undefined): readonly Snippet[] =>
	(answer ? wires(answer, "data") : []).map((one) => ({
		name: text(one, "name") ?? "",
		title: text(one, "title") ?? "",
		note: text(one, "note"),
		parts: wires(one, "parts").map((part) => ({ place: text(part, "place"), text: text(part, "text") ?? "" })),
	}));
