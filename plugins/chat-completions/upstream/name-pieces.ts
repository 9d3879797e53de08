/**
 * The name of a called tool as it comes: some vendors send it in pieces, some again with every piece of the arguments, some
 * each time with what was added. The names of the request's tools tell which.
 */
import { type DecodeContext, flatName } from "#core";

const namesIn = ({ request, names }: DecodeContext): readonly string[] => [
	...names.tools.keys(),
	...(request.tools ?? []).flatMap((tool) => {
		if (tool.type === "function") return flatName(tool.name, tool.namespace);
		return tool.type === "custom" ? tool.name : [];
	}),
];

export class NamePieces {
	private readonly context: DecodeContext;
	private known: readonly string[] | undefined;

	constructor(context: DecodeContext) {
		this.context = context;
	}

	private begins(text: string): boolean {
		this.known ??= namesIn(this.context);
		return this.known.some((name) => name.startsWith(text));
	}

	private isName(text: string): boolean {
		this.known ??= namesIn(this.context);
		return this.known.includes(text);
	}

	/** The name with one more piece of it. */
	join(before: string, piece: string): string {
		if (before === "" || piece === "" || piece === before) return before || piece;
		if (this.begins(before + piece)) return before + piece;
		return piece.startsWith(before) && this.begins(piece) ? piece : before;
	}

	/** Whether there may be more of the name. */
	mayGrow(name: string): boolean {
		this.known ??= namesIn(this.context);
		return this.known.some((known) => known.length > name.length && known.startsWith(name));
	}

	/** Whether both are tools, so that the piece names another call. */
	isOther(before: string, piece: string): boolean {
		return this.isName(before) && this.isName(piece) && this.join(before, piece) === before && piece !== before;
	}
}
