/** Calls between their settlement and their ledger row: the ledger asks here what a call was charged. */
import type { Lease } from "./lease.ts";
import type { Charge } from "./service.ts";

/** Charges that nobody asked for are not kept for ever. */
const kept = 10_000;

export class SettledCalls {
	private readonly calls = new Map<string, { readonly charge: Charge; readonly lease: Lease }>();

	add(callId: string, charge: Charge, lease: Lease): void {
		if (this.calls.size >= kept) this.calls.clear();
		this.calls.set(callId, { charge, lease });
	}

	chargeOf(callId: string): Charge | undefined {
		return this.calls.get(callId)?.charge;
	}

	/** The lease the call was charged to; its row is written with it. Undefined when nothing was charged. */
	take(callId: string): Lease | undefined {
		const lease = this.calls.get(callId)?.lease;
		this.calls.delete(callId);
		return lease;
	}
}
