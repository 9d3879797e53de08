/** How each client is told of this gateway. The key stands as $PORTICO_KEY, because snippets are pasted into chats. */
import { query } from "../data/call.ts";
import { text, type Wire, wires } from "../data/read.ts";

interface Snippet {
	readonly name: string;
	readonly title: string;
	readonly text: string;
}

/** The route that gives what `portico connect` prints. `model`: one that the token may ask for, where it says which. */
export const snippetPath = (base: string, model: string | undefined): string =>
	`/admin/clients${query({ address: base, model, key: "$PORTICO_KEY" })}`;

export const snippetsIn = (answer: Wire | undefined): readonly Snippet[] =>
	(answer ? wires(answer, "data") : []).map((one) => ({
		name: text(one, "name") ?? "",
		title: text(one, "title") ?? "",
		text: text(one, "text") ?? "",
	}));

/** The command of a snippet, without what is said of it. */
export const commandIn = (snippet: string): string => /^curl [\s\S]*/m.exec(snippet)?.[0] ?? snippet;
