/** Finds a field that a JSON text names twice: whoever looks sees one of the two, and the upstream may take the other. */
import { skipString } from "./json-signs.ts";

/** What is open at a place of a JSON text, and the names that stood in it so far. */
class Open {
	/** Undefined for a list. */
	private readonly names: (Set<string> | undefined)[] = [];
	private nameFollows = false;

	/** What is no string. */
	mark(character: string): void {
		if (character === "{" || character === "[") this.names.push(character === "{" ? new Set() : undefined);
		else if (character === "}" || character === "]") this.names.pop();
		else if (character !== ",") return;
		this.nameFollows = character !== "[" && this.names.at(-1) !== undefined;
	}

	/** The name that this text is, where it stood there before. */
	string(text: string): string | undefined {
		const names = this.nameFollows ? this.names.at(-1) : undefined;
		this.nameFollows = false;
		if (!names) return undefined;
		const name = String(JSON.parse(text));
		if (names.has(name)) return name;
		names.add(name);
		return undefined;
	}
}

/** The first field that an object of this text names twice, however deep. The text is JSON. */
export const namedTwiceIn = (text: string): string | undefined => {
	const open = new Open();
	for (let at = 0; at < text.length; at++) {
		const character = text.charAt(at);
		if (character !== '"') {
			open.mark(character);
			continue;
		}
		const end = skipString(text, at);
		const name = open.string(text.slice(at, end));
		if (name !== undefined) return name;
		at = end - 1;
	}
	return undefined;
};
