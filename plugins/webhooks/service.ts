/** What other plugins may use of webhooks: an outbox for their own tables, and what became of what was in it. */
import type { SQL } from "drizzle-orm";
import { type Denial, type Service, type Statement, service, slot } from "#core";

/**
 * A table whose status changes are to be called back. All values are names of its columns, written by the plugin's
 * author, never data. The triggers made from it insert the delivery in the same statement that changes the status.
 */
export interface OutboxSource {
	readonly table: string;
	/** Unique id of the row; letters, digits, `_` and `-` only, because it becomes part of `webhook-id`. */
	readonly subject: string;
	/** The token whose secret signs. */
	readonly owner: string;
	/** Whose share of the places for callbacks it takes, as `caller` of a call has it; the token's own where it is null or not given. */
	readonly caller?: string;
	/** A change of this column makes a delivery; so does the insert of a row. */
	readonly status: string;
	/** A number that grows by one with every change of status, 1 at the insert. */
	readonly sequence: string;
	/** The address, as `check` gave it; a row where it is `''` makes no deliveries. */
	readonly url: string;
	/** The JSON text to send for the status the row now has. */
	readonly body: string;
	/** Milliseconds since 1970 at which the status changed. */
	readonly at: string;
	/** JSON text with the `code` and `reason` of what went wrong, or null; told in headers, for bodies that have no place for it. */
	readonly failure?: string;
}

/** One attempt, as it is shown. */
export interface AttemptView {
	readonly object: "delivery.attempt";
	/** 1 to 4; a manual attempt has the number of those before it plus one. */
	readonly number: number;
	/** `lost`: the node that made it went away before it could record the outcome; it does not count. */
	readonly cause: "schedule" | "manual" | "lost";
	/** Seconds since 1970, with decimals; so are all times that are shown. */
	readonly started_at: number;
	readonly duration_ms: number;
	/** The address that was dialled; null when none was. */
	readonly address: string | null;
	/** The HTTP status; null when there was none. */
	readonly status: number | null;
	/** `timeout`, `http_500`, `connection_refused` …; null when it was delivered. */
	readonly error: string | null;
}

/** One delivery, as it is shown. */
export interface DeliveryView {
	/** What the receiver gets as `webhook-id`, on every attempt. */
	readonly id: string;
	readonly object: "delivery";
	readonly subject: string;
	readonly sequence: number;
	/** The status that is reported, in the words of the table it came from. */
	readonly event: string;
	/** The token whose callback it is. */
	readonly token: string;
	readonly url: string;
	readonly status: "pending" | "sending" | "delivered" | "dead";
	readonly created_at: number;
	/** When the next attempt is due; null when none is. */
	readonly next_attempt_at: number | null;
	readonly finished_at: number | null;
	readonly attempts: readonly AttemptView[];
}

/** Somebody beside the tokens whose deliveries are the operator's own affair. */
export interface Receiver {
	/** What the rows of the outbox have as their owner. */
	readonly owner: string;
	/** Signs what it gets; one that it had before goes on signing beside it for a while. */
	readonly secret: string;
	/** Its address may be private. */
	readonly privateNetwork: boolean;
	/**
	 * Statements for the batch in which callbacks of tokens are given up. `rows`: a SELECT of `event`, `about` and `data` (JSON),
	 * one row for each token and address.
	 */
	givenUp(rows: SQL): readonly Statement[];
}

export const receivers = slot<Receiver>("webhookReceivers");

export interface Webhooks {
	/**
	 * Whether callbacks may go to this address, by its text alone: its name is resolved at each attempt. `privateNetwork`:
	 * for a receiver whose address may be private. Never throws.
	 */
	check(url: string, privateNetwork?: boolean): { readonly url: string } | Denial;
	/** Statements for a migration of the plugin that owns the table; webhooks' own tables exist before they run. */
	outbox(source: OutboxSource): readonly string[];
	/** Says that a row was written which may have made deliveries; they are sent a moment later rather than at the next second. */
	wake(): void;
	/** Deliveries of one subject, first status first. Empty when the owner is another's. */
	deliveries(owner: string, subject: string): Promise<readonly DeliveryView[]>;
}

export const webhooks: Service<Webhooks> = service<Webhooks>("webhooks");
