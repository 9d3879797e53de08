/** Why the router chose a target. */

/** The router's words in a sentence. */
const reasons: Readonly<Record<string, string>> = {
	only: "the only target",
	first: "the first target",
	next: "the next target",
	weight: "chosen by weight",
	affinity: "where its prompt may be cached",
	chosen: "chosen by what was said",
	probe: "to see whether it has recovered",
	"last resort": "as nothing else was left",
};

export const whyInWords = (why: string): string => reasons[why] ?? why;
