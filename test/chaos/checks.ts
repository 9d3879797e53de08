/** What must be true of a run, at every moment and at its end. */
import type { Books } from "./database.ts";

/** Micro-dollars of an output token; input is free here, so that tokens sent and money charged can be compared exactly. */
export const perToken = 10;
/** The most output tokens of the chaos model. */
export const mostOutput = 200;

export interface Counts {
	/** Output tokens that the upstream sent, and that clients received. */
	readonly sent: number;
	readonly received: number;
	/** Clients that left in the middle: what was under way to them then was sent and not received. */
	readonly left: number;
	/** Output tokens that the upstream reported beyond what it sent, and that had been reserved. */
	readonly boasted: number;
	readonly kills: number;
	/** Calls that ran on nodes when they were killed. */
	readonly inFlight: number;
	/** The highest sum that ever was promised: the quota, or what had been promised when it was lowered. */
	readonly limit: number;
	/** Constraint violations that nodes logged. */
	readonly refusedBySchema: number;
}

/** Tokens that can be between upstream and client when one of them goes: a few chunks in the buffers of two sockets. */
const underWay = 16;

/** At any moment. `books` were read before the counts, so that the counts can only be too high. */
export const wrongNow = (books: Books, counts: Counts, agreeing = true): string[] => {
	const wrong: string[] = [];
	const slack = (counts.left + counts.inFlight) * underWay * perToken;
	if (counts.received * perToken > counts.limit)
		wrong.push(`clients received ${counts.received * perToken} of ${counts.limit}`);
	if (counts.sent * perToken > counts.limit + slack)
		wrong.push(`the upstream sent ${counts.sent * perToken} of ${counts.limit}`);
	if (books.used + books.leased > counts.limit)
		wrong.push(`${books.used} used and ${books.leased} leased of ${counts.limit}`);
	if (agreeing && books.recorded !== books.used)
		wrong.push(`used ${books.used}, but the ledger adds up to ${books.recorded}`);
	if (counts.refusedBySchema > 0) wrong.push(`the schema refused ${counts.refusedBySchema} writes`);
	return wrong;
};

/** When nothing runs any more. */
export const wrongAtEnd = (books: Books, counts: Counts): string[] => {
	const wrong = wrongNow(books, counts);
	const slack = (counts.left + counts.inFlight) * underWay * perToken;
	if (books.leased !== 0) wrong.push(`${books.leased} is still leased`);
	if (counts.received * perToken > books.used)
		wrong.push(`clients received ${counts.received * perToken}, charged was ${books.used}`);
	if (counts.sent * perToken > books.used + slack)
		wrong.push(`the upstream sent ${counts.sent * perToken}, charged was ${books.used}`);
	return wrong.concat(overcharged(books, counts));
};

/** What was charged beyond what was sent, besides what an upstream claimed; micro-dollars. */
export const overcharge = (books: Books, { sent, boasted }: Counts): number => books.used - (sent + boasted) * perToken;

const overcharged = (books: Books, counts: Counts): string[] => {
	const most = counts.inFlight * mostOutput * perToken;
	const over = overcharge(books, counts);
	return over > most
		? [`overcharged ${over}; ${counts.inFlight} calls in flight at ${counts.kills} kills explain ${most}`]
		: [];
};
