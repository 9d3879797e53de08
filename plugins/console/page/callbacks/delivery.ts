/** The journey of one callback. */
import { number, text, time, type Wire, wires } from "../data/read.ts";

export interface DeliveryAttempt {
	readonly at: number | undefined;
	readonly durationMs: number | undefined;
	/** What came of it, in words. */
	readonly outcome: string;
	readonly good: boolean;
	readonly byHand: boolean;
}

export interface Delivery {
	readonly id: string;
	readonly subject: string;
	readonly event: string;
	readonly url: string;
	readonly status: string;
	readonly token: string | undefined;
	readonly tokenName: string | undefined;
	readonly createdAt: number | undefined;
	readonly nextAt: number | undefined;
	/** What is to be done about a dead one. */
	readonly advice: string | undefined;
	readonly attempts: readonly DeliveryAttempt[];
}

const outcomes: Readonly<Record<string, string>> = {
	timeout: "no answer within 5 s",
	ssrf_blocked: "refused: a private or special address",
	dns_error: "the name leads to no public address",
	tls_error: "no good TLS certificate",
	network_error: "not reached",
	lease_lost: "its node went away",
};

/** The server's word in a sentence; for another status than 200 that status. */
export const outcomeOf = (attempt: Wire): string => {
	const [error, status] = [text(attempt, "error"), number(attempt, "status")];
	if (error === undefined || error === `http_${status}`) return `status ${status ?? "–"}`;
	return outcomes[error] ?? error.replaceAll("_", " ");
};

export const deliveryOf = (wire: Wire): Delivery => ({
	id: text(wire, "id") ?? "",
	subject: text(wire, "subject") ?? "",
	event: text(wire, "event") ?? "",
	url: text(wire, "url") ?? "",
	status: text(wire, "status") ?? "",
	token: text(wire, "token") ?? text(wire, "owner"),
	tokenName: text(wire, "tokenName") ?? text(wire, "token_name"),
	createdAt: time(wire, "created_at", "createdAt"),
	advice: text(wire, "advice"),
	nextAt: time(wire, "next_attempt_at", "nextAttemptAt"),
	attempts: wires(wire, "attempts").map((attempt) => ({
		at: time(attempt, "started_at", "startedAt"),
		durationMs: number(attempt, "duration_ms") ?? number(attempt, "durationMs"),
		outcome: outcomeOf(attempt),
		good: text(attempt, "error") === undefined && number(attempt, "status") === 200,
		byHand: text(attempt, "cause") === "manual",
	})),
});

/** What came of the last attempt. */
export const lastOutcome = ({ attempts }: Delivery): string => attempts.at(-1)?.outcome ?? "not tried yet";
