/** Refusals at the door as records: one by one while they are few; of a flood the first ones, and then how many there were. */
import { createHash } from "node:crypto";
import type { Admitted } from "../contract/call.ts";
import type { Denial } from "../contract/fault.ts";
import type { CallToken } from "../contract/outcome.ts";
import { refusedEnd } from "./call-ending.ts";
import { type Recording, record } from "./record.ts";

/** Who was refused: the token, or the key that is no token's. */
export interface Refused {
	readonly token?: CallToken;
	readonly key?: string;
}

/** Refusals are counted together for so long. Milliseconds. */
const windowMs = 60_000;
/** In that time so many of one kind from one caller have records of their own, and so many of all. */
const recordsEach = 5;
const recordsInAll = 200;
/** So many kinds and callers are told apart; further ones are counted by kind alone. */
const mostCallers = 1_000;

interface Counted {
	records: number;
	/** Refusals without a record, and the last of them. */
	repeats: number;
	last: (() => void) | undefined;
}

/** Enough of a digest to find the same key again, and too little to find the key. */
const keyDigest = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 12);

export class Refusals {
	private readonly options: Recording;
	private readonly counted = new Map<string, Counted>();
	private records = 0;
	private cancel: (() => void) | undefined;

	constructor(options: Recording) {
		this.options = options;
	}

	/** `protocol`: what its route is of. */
	add(call: Admitted, denial: Denial, { token, key }: Refused, protocol: string): void {
		const counted = this.of(denial.code ?? denial.kind, token?.id ?? call.address ?? "");
		const start = { call, protocol, ...(token && { token }) };
		const known = token || key === undefined ? {} : { keyDigest: keyDigest(key) };
		const write = (repeats?: number): void =>
			record(this.options, start, {
				...refusedEnd(denial),
				...known,
				...(repeats !== undefined && { repeats }),
			});
		if (counted.records < recordsEach && this.records < recordsInAll) {
			counted.records++;
			this.records++;
			write();
		} else {
			counted.repeats++;
			counted.last = () => write(counted.repeats);
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
