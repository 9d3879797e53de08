/** Many comparisons, grouped by the cause of their differences. */
import { contrasts } from "./contrast.ts";
import { reasonFor, refusalReason } from "./opinion-reasons.ts";
import { type Compared, isRefusal } from "./opinions.ts";

export interface Group {
	readonly cause: string;
	count: number;
	/** The first few. */
	readonly examples: { readonly name: string; readonly ours: unknown; readonly theirs: unknown }[];
}

interface Comparison {
	readonly compared: number;
	readonly same: number;
	/** Comparisons all of whose differences have a reason. */
	readonly explained: number;
	/** Differences with a reason, most frequent first. */
	readonly groups: readonly Group[];
	/** Differences that nobody has looked at. */
	readonly unknown: readonly Group[];
}

const mostExamples = 5;

interface Difference {
	readonly cause: string;
	readonly reason: string | undefined;
	readonly ours?: unknown;
	readonly theirs?: unknown;
}

const differencesOf = (compared: Compared): readonly Difference[] => {
	const place = `${compared.what} ${compared.from} → ${compared.to}`;
	if (isRefusal(compared)) {
		const reason = refusalReason(compared);
		return [{ cause: `${place} | refused by ${compared.by}: ${reason ?? compared.message}`, reason }];
	}
	return contrasts(compared.ours, compared.theirs).map((contrast) => {
		const { path, sort, ours, theirs } = contrast;
		const reason = reasonFor(compared, contrast);
		return { cause: `${place} | ${reason ?? `${path} ${sort}`}`, reason, ours, theirs };
	});
};

/** Groups by cause, each difference counted once for a comparison. */
class Groups {
	private readonly byCause = new Map<string, Group>();

	add(name: string, differences: readonly Difference[]): void {
		const firsts = new Map(differences.map((difference) => [difference.cause, difference]));
		for (const [cause, { ours, theirs }] of firsts) {
			const group = this.byCause.get(cause) ?? { cause, count: 0, examples: [] };
			group.count++;
			if (group.examples.length < mostExamples) group.examples.push({ name, ours, theirs });
			this.byCause.set(cause, group);
		}
	}

	sorted(): readonly Group[] {
		return [...this.byCause.values()].sort((a, b) => b.count - a.count);
	}
}

/** Compares all of them. */
export const compareAll = (opinions: Iterable<Compared>): Comparison => {
	const known = new Groups();
	const unknown = new Groups();
	const counts = { compared: 0, same: 0, explained: 0 };
	for (const opinion of opinions) {
		const differences = differencesOf(opinion);
		const unexplained = differences.filter(({ reason }) => reason === undefined);
		counts.compared++;
		if (differences.length === 0) counts.same++;
		else if (unexplained.length === 0) counts.explained++;
		known.add(
			opinion.name,
			differences.filter(({ reason }) => reason !== undefined),
		);
		unknown.add(opinion.name, unexplained);
	}
	return { ...counts, groups: known.sorted(), unknown: unknown.sorted() };
};
