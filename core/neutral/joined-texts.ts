import type { TextBlock } from "./content.ts";

const isApart = (one: string | undefined, other: string | undefined): boolean =>
	one !== undefined && other !== undefined && one !== other;

/** The texts of one answer in their order, where a protocol has one text for all of them. */
export class JoinedTexts {
	private last: TextBlock | undefined;
	private ran = false;

	/** What stands before one more: a blank line where it is of another message or phase, or said after a tool had run. */
	gapBefore(text: TextBlock): string {
		const { last, ran } = this;
		if (last === undefined) return "";
		return ran || last.phase !== text.phase || isApart(last.itemId, text.itemId) ? "\n\n" : "";
	}

	/** The text was said. */
	add(text: TextBlock): void {
		this.last = text;
		this.ran = false;
	}

	/** The upstream ran a tool of its own. */
	run(): void {
		this.ran = true;
	}
}
