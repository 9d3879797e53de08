/** The records of the journal: how each is written, and what all of them together say was left undone. */
import { isRecord, parseJson } from "#core";
import type { Lease, Reservation } from "./lease.ts";
import { count } from "./numbers.ts";
import type { LedgerRow } from "./service.ts";

const version = "1";

export const lines = {
	start: (boot: string) => `journal\t${version}\t${boot}`,
	/** A lease, and what was charged to it before this journal began. */
	leased: ({ id, account, kind, settled }: Lease) => `lease\t${id}\t${account}\t${kind}\t${settled}`,
	/** What a call holds: the end of its line, which is the same on all its accounts. */
	held: (amount: number, at: number, model: string) => `${amount}\t${at}\t${JSON.stringify(model)}`,
	hold: ({ id, lease }: Reservation, held: string) => `hold\t${id}\t${lease.id}\t${held}`,
	/** Without a limit nothing is held: a crash charges the watermark. */
	reserved: (reservation: Reservation) => {
		const { amount, watermark = 0, at, model } = reservation;
		return lines.hold(reservation, lines.held(Number.isFinite(amount) ? amount : watermark, at, model));
	},
	watermark: ({ id }: Reservation, amount: number) => `mark\t${id}\t${amount}`,
	settled: ({ id, lease }: Reservation, charge: number) => `charge\t${id}\t${lease.id}\t${charge}`,
	row: (lease: Lease | undefined, row: LedgerRow) => `row\t${lease?.id ?? "-"}\t${JSON.stringify(row)}`,
	closed: ({ id }: Lease) => `closed\t${id}`,
	/** Everything about a lease that still matters. */
	snapshot: (lease: Lease): string[] => [
		lines.leased(lease),
		...[...lease.running].flatMap((reservation) => {
			const { watermark } = reservation;
			if (lease.kind === "tally" && watermark === 0) return [];
			return [
				lines.reserved(reservation),
				...(watermark === undefined ? [] : [lines.watermark(reservation, watermark)]),
			];
		}),
		...lease.rows.map((row) => lines.row(lease, row)),
	],
	/** Everything that still matters. */
	anew: (boot: string, leases: readonly Lease[], loose: readonly LedgerRow[]): string[] => [
		lines.start(boot),
		...leases.flatMap(lines.snapshot),
		...loose.map((row) => lines.row(undefined, row)),
	],
};

/** A call that was running when its process died. */
export interface LeftCall {
	readonly id: string;
	readonly model: string;
	readonly at: number;
	/** What it is charged. */
	amount: number;
}

/** A call that had been charged; what it was is known where it had held something. */
type EndedCall = Pick<LeftCall, "id" | "amount"> & Partial<LeftCall>;

export interface LeftLease {
	readonly id: string;
	readonly account: string;
	readonly kind: Lease["kind"];
	settled: number;
	readonly running: Map<string, LeftCall>;
	/** Ended calls whose row did not get as far as their charge, by id. */
	readonly rowless: Map<string, EndedCall>;
	readonly rows: LedgerRow[];
}

export interface LeftWork {
	readonly boot: string;
	readonly leases: ReadonlyMap<string, LeftLease>;
	readonly loose: readonly LedgerRow[];
	/** The numbers of lines that make no sense, counted from 1. */
	readonly damaged: readonly number[];
}

const isRow = (value: unknown): value is LedgerRow =>
	isRecord(value) &&
	typeof value["id"] === "string" &&
	Object.values(value).every((member) => member === null || typeof member !== "object");

/** Reads the records in order. A line that makes no sense tells nothing, and is counted among the damaged. */
class Reader {
	boot = "";
	readonly leases = new Map<string, LeftLease>();
	readonly loose: LedgerRow[] = [];
	readonly damaged: number[] = [];
	/** Calls that were charged something: what is told of them once more was written twice. */
	private readonly charged = new Set<string>();

	/** `number`: of its line. An empty one stands before what was written after a write that failed. */
	read(record: readonly string[], number: number): void {
		if (!this.isRead(record) && record.join("") !== "") this.damaged.push(number);
	}

	private isRead([kind, ...fields]: readonly string[]): boolean {
		switch (kind) {
			case "journal":
				this.boot = fields[1] ?? "";
				return true;
			case "lease":
				return this.lease(fields);
			case "hold":
				return this.hold(fields);
			case "mark":
				return this.mark(fields);
			case "charge":
				return this.charge(fields);
			case "row":
				return this.row(fields);
			case "closed":
				this.leases.delete(fields[0] ?? "");
				return true;
			default:
				return false;
		}
	}

	private lease([id, account, kind, settledText]: readonly string[]): boolean {
		const settled = amountOf(settledText);
		if (id === undefined || account === undefined || (kind !== "slice" && kind !== "tally") || settled === undefined)
			return false;
		this.leases.set(id, { id, account, kind, settled, running: new Map(), rowless: new Map(), rows: [] });
		return true;
	}

	private hold([id, lease, amountText, atText, modelText]: readonly string[]): boolean {
		const [amount, at, model] = [amountOf(amountText), amountOf(atText), parseJson(modelText ?? "")];
		if (id === undefined || amount === undefined || at === undefined || typeof model !== "string") return false;
		const held = this.leases.get(lease ?? "");
		if (!held || this.charged.has(id)) return true;
		held.rowless.delete(id);
		held.running.set(id, { id, model, at, amount });
		return true;
	}

	private mark([id, amountText]: readonly string[]): boolean {
		const amount = amountOf(amountText);
		if (id === undefined || amount === undefined) return false;
		for (const { running } of this.leases.values()) {
			const call = running.get(id);
			if (call) call.amount = amount;
		}
		return true;
	}

	/** A charge of nothing need not be the end: what a call gives back it may hold once more. */
	private charge([id, leaseId, chargeText]: readonly string[]): boolean {
		const lease = this.leases.get(leaseId ?? "");
		const charge = amountOf(chargeText);
		if (id === undefined || charge === undefined) return false;
		if (!lease || this.charged.has(id)) return true;
		if (charge > 0) this.charged.add(id);
		lease.rowless.set(id, { ...lease.running.get(id), id, amount: charge });
		lease.running.delete(id);
		lease.settled += charge;
		return true;
	}

	private row([leaseId, json]: readonly string[]): boolean {
		const row = parseJson(json ?? "");
		if (!isRow(row)) return false;
		const lease = this.leases.get(leaseId ?? "");
		lease?.rowless.delete(row.id);
		(lease?.rows ?? this.loose).push(row);
		return true;
	}
}

const amountOf = (text: string | undefined): number | undefined =>
	text !== undefined && /^\d+$/.test(text) ? count(Number(text)) : undefined;

/** What a journal says was left undone; undefined when it is not one this version can read. */
export const leftWork = (records: readonly (readonly string[])[]): LeftWork | undefined => {
	if (records[0]?.[0] !== "journal" || records[0][1] !== version) return undefined;
	const reader = new Reader();
	for (const [index, record] of records.entries()) reader.read(record, index + 1);
	return reader;
};
