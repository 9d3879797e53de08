/** Whether two clients understood the same, and if not, in what they differ and whether there is a reason for it. */
import { isDeepStrictEqual } from "node:util";
import { asRecord } from "#core";
import type { ProtocolName } from "../support/recordings.ts";
import { argumentsOf, isRaised, type Raised, type Told, type ToldCandidate, type ToldUsage } from "./told.ts";

/** One difference. `reason` is there when it cannot be otherwise. */
export interface Difference {
	readonly what: string;
	readonly reason?: string | undefined;
}

/** Protocols whose answers hold one candidate only. */
const single: ReadonlySet<ProtocolName> = new Set(["responses", "messages"]);

/** The differences; empty when the clients understood the same. */
export const differences = (client: ProtocolName, got: Told | Raised, want: Told | Raised): readonly Difference[] => {
	if (isRaised(want)) return raisedDifferences(got, want);
	if (isRaised(got)) return unexpected(client, got, want);
	const wanted = single.has(client) ? want.candidates.slice(0, 1) : want.candidates;
	const found: Difference[] = [...usageDifferences(got, want)];
	if (got.candidates.length !== wanted.length && want.candidates.length > 0)
		found.push({ what: `candidates: ${got.candidates.length} for ${wanted.length}` });
	for (const [at, candidate] of wanted.entries()) {
		const several = want.candidates.length > wanted.length;
		found.push(...candidateDifferences(client, got.candidates[at] ?? candidate, candidate, several));
	}
	return found;
};

/** What the upstream's own client cannot read is no measure. */
const raisedDifferences = (got: Told | Raised, want: Raised): readonly Difference[] =>
	isRaised(got) || !want.told ? [] : [{ what: `the upstream's client raised "${want.raised}", this one did not` }];

const unexpected = (client: ProtocolName, { raised }: Raised, { candidates }: Told): readonly Difference[] => {
	if (candidates.length === 0) return [];
	if (client === "responses" && candidates.some(({ ended }) => ended === "malformed")) return [];
	const brokeOff = candidates.some(({ ended }) => ended === "unfinished");
	return [{ what: `raised ${raised}`, reason: brokeOff ? "the recorded stream breaks off before its end" : undefined }];
};

/** Compares what the upstream told: no usage, or no word about its cache, leaves nothing to compare. */
const usageDifferences = (got: Told, { usage }: Told): readonly Difference[] =>
	usage && usage.input + usage.output > 0
		? (["input", "output", "cacheRead"] as const)
				.filter((field) => !isCount(got.usage?.[field], usage, field))
				.map((field) => ({ what: `usage.${field}` }))
		: [];

/** Some upstreams tell of more cached tokens than there were tokens. */
const isCount = (count: number | undefined, usage: ToldUsage, field: keyof ToldUsage): boolean =>
	count === usage[field] ||
	(field === "cacheRead" && (usage[field] === 0 || count === Math.min(usage[field], usage.input)));

const candidateDifferences = (
	client: ProtocolName,
	got: ToldCandidate,
	want: ToldCandidate,
	several: boolean,
): readonly Difference[] => {
	const found: Difference[] = [];
	if (got.text !== want.text && !want.text.includes("[object Object]"))
		found.push({ what: "text", reason: reasonForText(client, got, want, several) });
	if (!sameTools(got, want)) found.push({ what: "tools", reason: torn(want) });
	const ended = endIn(client, want, got);
	if (got.ended !== ended) found.push({ what: `ended ${got.ended} for ${ended}`, reason: reasonForEnd(got, want) });
	return found;
};

const reasonForText = (
	client: ProtocolName,
	got: ToldCandidate,
	want: ToldCandidate,
	several: boolean,
): string | undefined => {
	if (want.media > got.media) return `an answer in ${client} cannot hold this image or sound, and says so in words`;
	const joined = (text: string): string => text.replaceAll("\n\n", "");
	if ((client === "chat-completions" || client === "generate-content") && joined(got.text) === joined(want.text))
		return "what is said on the way stands apart from the answer, by a blank line";
	if (several) return `an answer in ${client} holds one candidate: the others follow the first`;
	return want.text === "" && want.ended === "filter"
		? "why a prompt was blocked, or an answer withheld, is told as a refusal"
		: undefined;
};

const torn = ({ ended }: ToldCandidate): string | undefined =>
	ended === "length"
		? "a call torn at the limit is repaired by one client and given as text or left out by another"
		: undefined;

const reasonForEnd = (got: ToldCandidate, want: ToldCandidate): string | undefined =>
	want.ended === "stop" && want.tools.length > 0 && got.ended === "tool_calls"
		? "the recorded answer joins several turns: calls that were answered in between look open"
		: undefined;

/** How a protocol tells an end for which it has no word; an answer without any word about its end is over as it is. */
const endIn = (client: ProtocolName, { ended }: ToldCandidate, got: ToldCandidate): ToldCandidate["ended"] => {
	if (ended === "unfinished") return got.tools.length > 0 ? "tool_calls" : "stop";
	if (ended !== "malformed") return ended;
	return client === "generate-content" ? "malformed" : client === "responses" ? "failed" : "stop";
};

/** A tool of a namespace goes by its flat name; the free input of a custom tool is the field `input` of a function's. */
const sameTools = (got: ToldCandidate, want: ToldCandidate): boolean =>
	got.tools.length === want.tools.length &&
	want.tools.every((tool, at) => {
		const other = got.tools[at];
		const named = other?.name === tool.name || other?.name.endsWith(`__${tool.name}`);
		const input = asRecord(other?.arguments)["input"];
		const given = [other?.arguments, typeof input === "string" ? argumentsOf(input) : input];
		return named && given.some((value) => isDeepStrictEqual(value, tool.arguments));
	});
