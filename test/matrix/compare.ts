/** Whether two clients understood the same, and if not, in what they differ. */
import { isDeepStrictEqual } from "node:util";
import type { ProtocolName } from "../support/recordings.ts";
import { type Ended, isRaised, type Raised, type Told, type ToldCandidate } from "./told.ts";

/** Protocols whose answers hold one candidate only. */
const single: ReadonlySet<ProtocolName> = new Set(["responses", "messages"]);

/** How a protocol tells an end for which it has no word. */
const endIn = (client: ProtocolName, ended: Ended): Ended => {
	if (ended !== "malformed") return ended;
	return client === "generate-content" ? "malformed" : client === "responses" ? "failed" : "stop";
};

/** The differences, each as a short cause; empty when the clients understood the same. */
export const differences = (client: ProtocolName, got: Told | Raised, want: Told | Raised): readonly string[] => {
	// what the upstream's own client cannot read is no measure
	if (isRaised(want) && !want.told) return [];
	if (isRaised(want)) return isRaised(got) ? [] : [`the upstream's client raised "${want.raised}", this one did not`];
	if (isRaised(got)) return [`raised ${got.raised}`];
	const wanted = single.has(client) ? want.candidates.slice(0, 1) : want.candidates;
	const causes = [
		...(got.candidates.length === wanted.length ? [] : [`candidates: ${got.candidates.length} for ${wanted.length}`]),
		...wanted.flatMap((candidate, at) => candidateDifferences(client, got.candidates[at] ?? candidate, candidate)),
		...usageDifferences(got, want),
	];
	return [...new Set(causes)];
};

/** An upstream that told no usage leaves nothing to compare. */
const usageDifferences = (got: Told, { usage }: Told): readonly string[] =>
	usage
		? (["input", "output", "cacheRead"] as const)
				.filter((field) => got.usage?.[field] !== usage[field])
				.map((field) => `usage.${field}`)
		: [];

const candidateDifferences = (client: ProtocolName, got: ToldCandidate, want: ToldCandidate): readonly string[] => {
	const causes: string[] = [];
	if (got.text !== want.text) causes.push("text");
	if (got.tools.map(({ name }) => name).join() !== want.tools.map(({ name }) => name).join()) causes.push("tool names");
	else if (!isDeepStrictEqual(got.tools, want.tools)) causes.push("tool arguments");
	const ended = endIn(client, want.ended);
	if (got.ended !== ended) causes.push(`ended ${got.ended} for ${ended}`);
	return causes;
};
