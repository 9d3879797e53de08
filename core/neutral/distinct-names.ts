/** Names that all differ: one that is taken gets a number behind it. However many want one name, the next is found at once. */

/** Room for a number at the end of the longest names; those with one beginning before it share their numbers. */
const room = 7;

export class DistinctNames {
	private readonly taken: Set<string>;
	/** The next number to try, by a name's beginning. */
	private readonly numbers = new Map<string, number>();
	private readonly longest: number;

	/** `longest`: how many characters a name may have. */
	constructor(taken: Iterable<string> = [], longest = Number.POSITIVE_INFINITY) {
		this.taken = new Set(taken);
		this.longest = longest;
	}

	/** Takes the name itself, or the first of `name_2`, `name_3` … that nobody has. */
	take(wanted: string): string {
		let name = wanted;
		if (this.taken.has(name)) {
			const beginning = wanted.slice(0, this.longest - room);
			let number = this.numbers.get(beginning) ?? 2;
			do {
				const end = `_${number++}`;
				name = wanted.slice(0, this.longest - end.length) + end;
			} while (this.taken.has(name));
			this.numbers.set(beginning, number);
		}
		this.taken.add(name);
		return name;
	}
}
