/** Offsets in a content that grows: the wire counts characters, the neutral form UTF-16 units. */
import { firstIndex } from "./first-index.ts";

const wide = /[\udc00-\udfff]/;

/** How long a content is so far, and where in it characters of two units end. */
export class ContentLength {
	units = 0;
	/** The second unit of each. */
	private readonly seconds: number[] = [];

	add(text: string): void {
		if (wide.test(text))
			for (let at = 0; at < text.length; at++) if (wide.test(text.charAt(at))) this.seconds.push(this.units + at);
		this.units += text.length;
	}

	/** Adds what the content has beyond what was added before. */
	growTo(content: string): this {
		if (content.length > this.units) this.add(content.slice(this.units));
		return this;
	}

	/** How many characters stand before the unit. */
	charactersBefore(unit: number): number {
		return unit - firstIndex(this.seconds.length, (at) => (this.seconds[at] ?? 0) >= unit);
	}

	/** Where the character begins. */
	unitsBefore(character: number): number {
		return character + firstIndex(this.seconds.length, (at) => (this.seconds[at] ?? 0) - at > character);
	}
}
