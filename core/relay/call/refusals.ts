/** Refusals before anything was sent, as records: one by one while they are few; of a flood the first ones, and then how many there were. */
import { createHash } from "node:crypto";
import type { Admitted } from "../../contract/call.ts";
import type { Denial, DenialKind } from "../../contract/fault.ts";
import type { CallRecord, CallToken } from "../../contract/outcome.ts";
import { refusedOutcome } from "../policies/permits.ts";
import { type CallStart, type Recording, record } from "./record.ts";

/** Who was refused: the token, or the key that is no token's. */
export interface Refused {
	readonly token?: CallToken;
	readonly key?: string;
}

/** Refusals are counted together for so long. Milliseconds. */
const windowMs = 60_000;
/** In that time so many of one kind from one caller have records of their own, and so many of all. */
const recordsEach = 20;
const recordsInAll = 400;
/** The same of those who name what is not there: sums are kept for each name. */
const recordsOfNames = 5;
/** So many kinds and callers are told apart; further ones are counted by kind alone. */
const mostCallers = 1_000;

/** What is said of a name that leads to nothing. */
const namesNothing: ReadonlySet<string> = new Set<DenialKind>(["model_not_found", "not_found"]);

interface Counted {
	records: number;
	/** Refusals without a record, and the last of them. */
	repeats: number;
	last: (() => void) | undefined;
}

/** Enough of a digest to find the same key again, and too little to find the key. */
const keyDigest = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 12);

/** How the row of such a call ends. */
const refusedEnd = (
	{ statusOf }: Recording,
	{ call }: CallStart,
	denial: Denial,
): Pick<CallRecord, "outcome" | "status" | "attempts" | "losses"> => ({
	outcome: refusedOutcome(denial),
	status: statusOf(call, denial),
	attempts: [],
	losses: [],
});

export class Refusals {
	private readonly options: Recording;
	private readonly counted = new Map<string, Counted>();
	private records = 0;
	private cancel: (() => void) | undefined;

	constructor(options: Recording) {
		this.options = options;
	}

	/** `route`: what its route is of. */
	add(call: Admitted, denial: Denial, { token, key }: Refused, route: Pick<CallStart, "protocol" | "operation">): void {
		const known = token || key === undefined ? {} : { keyDigest: keyDigest(key) };
		this.count({ call, ...route, ...(token && { token }) }, denial, known, recordsEach);
	}

	/**
	 * A call that was read before it was refused. It has a record of its own, unless what it names is not there: of such
	 * names a client has as many as it likes.
	 */
	addRead(start: CallStart, denial: Denial): void {
		if (namesNothing.has(denial.kind)) this.count(start, denial, {}, recordsOfNames);
		else record(this.options, start, refusedEnd(this.options, start, denial));
	}

	private count(start: CallStart, denial: Denial, known: Pick<CallRecord, "keyDigest">, most: number): void {
		const { call, token } = start;
		const counted = this.of(denial.code ?? denial.kind, token?.id ?? call.address ?? "");
		const end = { ...refusedEnd(this.options, start, denial), ...known };
		if (counted.records < most && this.records < recordsInAll) {
			counted.records++;
			this.records++;
			record(this.options, start, end);
		} else {
			counted.repeats++;
			const { model: _one, ...ofAll } = start;
			const { clock } = this.options;
			const last = { ...end, at: clock.now(), durationMs: clock.monotonic() - call.startedAt };
			counted.last = () => record(this.options, ofAll, { ...last, repeats: counted.repeats });
		}
		this.cancel ??= this.options.clock.after(windowMs, () => this.flush());
	}

	/** Records what was only counted, and begins to count anew. */
	flush(): void {
		this.cancel?.();
		this.cancel = undefined;
		const counted = [...this.counted.values()];
		this.counted.clear();
		this.records = 0;
		for (const { last } of counted) last?.();
	}

	private of(code: string, caller: string): Counted {
		const name = `${code} ${caller}`;
		const known = this.counted.get(name);
		if (known) return known;
		if (this.counted.size >= mostCallers && caller !== "") return this.of(code, "");
		const made: Counted = { records: 0, repeats: 0, last: undefined };
		this.counted.set(name, made);
		return made;
	}
}
