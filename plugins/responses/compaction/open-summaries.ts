/** Puts the words of summaries that Portico sealed in their place, before anybody reads the request. */
import {
	asList,
	asRecord,
	asText,
	changeJsonBody,
	type Denial,
	deny,
	Fault,
	type ModelAsk,
	type WireRecord,
} from "#core";
import { summaryMessage, triggerType } from "../summary-request.ts";
import { type SealedSummaries, standsForAll } from "./sealed-summaries.ts";

const isCompaction = ({ type }: WireRecord): boolean => type === "compaction" || type === "compaction_summary";

const notReadable = (why: string): Denial =>
	deny("invalid_request", `A compaction item of the input cannot be read: ${why}`, {
		code: "compaction_not_readable",
		parameter: "input",
	});

const foreign = notReadable(
	"another provider, or another Portico, sealed it, and this model runs elsewhere. Send the conversation itself, or ask a model of the provider that compacted it.",
);
const broken = notReadable("it was changed. Send the conversation itself.");

/** What a summary stands for needs not be sent again; what the operator of the client said still holds. */
const stillHolds = (item: unknown): boolean => {
	const { role } = asRecord(item);
	return role === "system" || role === "developer";
};

/** The sealed summary of an item; undefined for one that holds none. */
const sealedIn = (item: unknown): string | undefined => {
	const record = asRecord(item);
	return isCompaction(record) ? (asText(record["encrypted_content"]) ?? "") : undefined;
};

const wordsOf = (sealed: string, summaries: SealedSummaries): WireRecord => {
	const summary = summaries.open(sealed);
	if (summary === undefined) throw new Fault(broken);
	return summaryMessage(summary);
};

/**
 * The items that still count: what asked for the last summary does not, nor what it stands for. That is all before it
 * where `all` says so, and otherwise of a kept conversation only: what its client sends again, it wants to be read.
 */
const current = (input: readonly unknown[], last: number, kept: number, all: boolean) => {
	const before = input.slice(0, last).map((item, index) => {
		const asked = asRecord(item)["type"] === triggerType;
		const told = all || (last < kept && index < kept);
		return asked || (told && !stillHolds(item)) ? undefined : { item };
	});
	const own = (entries: typeof before) => entries.flatMap((entry) => (entry ? [entry.item] : []));
	return {
		items: [...own(before), ...input.slice(last)],
		kept: own(before.slice(0, kept)).length + Math.max(0, kept - last),
	};
};

/** True for a request that holds a summary or asks for one: a cheap look at its text. */
export const mayConcern = ({ call, body }: ModelAsk): boolean =>
	call.operation === "compact" || body.text.includes('"compaction');

/** Throws `Fault` for a summary that nobody can open. */
export const openSummaries = async (ask: ModelAsk, summaries: SealedSummaries): Promise<ModelAsk> => {
	const input = asList(ask.body.value["input"]);
	await summaries.ready();
	const all = input.map(sealedIn);
	const only = all.some((sealed) => sealed !== undefined && !summaries.isOwn(sealed))
		? { ...ask, onlyProtocol: foreign }
		: ask;
	const last = all.findLastIndex((sealed) => sealed !== undefined && summaries.isOwn(sealed));
	if (last === -1) return only;
	const { items, kept } = current(input, last, ask.continues?.items ?? 0, standsForAll(all[last] ?? ""));
	const words = items.map((item) => {
		const sealed = sealedIn(item);
		return sealed !== undefined && summaries.isOwn(sealed) ? wordsOf(sealed, summaries) : item;
	});
	return {
		...only,
		body: changeJsonBody(ask.body, { input: words }),
		...(ask.continues && { continues: { ...ask.continues, items: kept } }),
	};
};
