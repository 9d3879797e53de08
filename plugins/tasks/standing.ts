/** Where an open task stands, and what it waits for, in words for operators. */
import { asNumber, asText, type WireRecord } from "#core";
import type { Catalogue } from "./catalogue.ts";

interface StandingOptions {
	readonly catalogue: Pick<Catalogue, "kind" | "upstream">;
	/** What is wrong with an upstream, where anything is. */
	troubleOf(upstream: string): string | undefined;
	now(): number;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const countIn = (row: WireRecord, name: string): number => asNumber(row[name]) ?? 0;

const timeOf = (at: number): string => new Date(at).toISOString();

/** What the upstream made of it that has it. */
const atUpstream = (row: WireRecord, upstream: string, now: number): string => {
	const [polls, strangers, misses] = [countIn(row, "polls"), countIn(row, "strange"), countIn(row, "missing")];
	const strange = strangers === 0 ? "" : `, ${times(strangers)} in a row with a state that is not known`;
	const missing = misses === 0 ? "" : `, ${times(misses)} in a row that it has no such job`;
	const answers = polls === 0 ? "has not told anything of it" : `has told of it ${times(polls)}`;
	const next = `it is asked again at ${timeOf(Math.max(countIn(row, "due_at"), now))}`;
	return `${upstream} has it, and ${answers}${strange}${missing}; ${next}.`;
};

/** Of a task that no upstream has taken on yet. */
const untaken = (row: WireRecord, upstream: string, now: number): string => {
	const [due, tries] = [countIn(row, "due_at"), countIn(row, "tries")];
	if (countIn(row, "lease_until") > now) return `${upstream} was sent it, and has not answered.`;
	const before = tries === 0 ? "" : `Upstreams were too busy or away ${times(tries)}. `;
	if (due > now) return `${before}It is sent to ${upstream} at ${timeOf(due)}.`;
	return `${before}It waits for its turn at ${upstream}, which has as much under way as it takes.`;
};

const isOpen = ({ status }: WireRecord): boolean => status === "NOT_START" || status === "IN_PROGRESS";

/** What the row of an open task tells of it; undefined for one that has ended. */
export const standingOf =
	({ catalogue, troubleOf, now }: StandingOptions) =>
	(row: WireRecord): string | undefined => {
		if (!isOpen(row)) return undefined;
		if (!catalogue.kind(asText(row["kind"]) ?? "")) return "No plugin of its kind is loaded; it waits for one.";
		const upstream = asText(row["upstream"]) ?? "";
		const isTaken = asText(row["upstream_id"]) !== undefined;
		const where = catalogue.upstream(upstream)
			? (isTaken ? atUpstream : untaken)(row, upstream, now())
			: `Its upstream ${upstream} is not in the config any more.`;
		const trouble = troubleOf(upstream);
		const unwell = trouble === undefined ? "" : ` ${upstream} is not well: ${trouble}`;
		return `${where}${unwell} It fails at ${timeOf(countIn(row, "deadline_at"))} unless it has ended by then.`;
	};
