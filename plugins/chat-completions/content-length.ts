/** Offsets in a content that grows: the wire counts characters, the neutral form UTF-16 units. */

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

	/** How many characters stand before the unit. */
	charactersBefore(unit: number): number {
		const later = this.seconds.findIndex((second) => second >= unit);
		return unit - (later === -1 ? this.seconds.length : later);
	}

	/** Where the character begins. */
	unitsBefore(character: number): number {
		const later = this.seconds.findIndex((second, before) => second - before > character);
		return character + (later === -1 ? this.seconds.length : later);
	}
}
