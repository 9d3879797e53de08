/** The certificate that this server shows: whether the files hold one that can be used, and whether it is still good. */
import type { ServerConfig } from "../config/schema-core.ts";
import type { Clock } from "../contract/clock.ts";
import { describe } from "../errors/describe.ts";
import { readCertificate } from "../runtime/secure-listener.ts";
import type { Trouble } from "./trouble.ts";

/** What is wrong with the files that a config names, for a start, `check` and a reload alike; none where it names none. */
export const certificateComplaints = ({ tls }: ServerConfig): readonly string[] => {
	if (tls === undefined) return [];
	try {
		readCertificate(tls);
		return [];
	} catch (error) {
		return [`server.tls cannot be used: ${describe(error)}`];
	}
};

export class CertificateState {
	readonly #clock: Clock;
	/** Milliseconds since 1970; undefined where none is shown. */
	#until: number | undefined;
	#refused: { readonly since: number; readonly why: string } | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** The files hold what is shown from now on, or what was shown already. `until`: as the certificate says it. */
	shown(until: string): void {
		this.#until = Date.parse(until);
		this.#refused = undefined;
	}

	/** What the files hold now cannot be used, and the one before it is still shown. */
	refused(why: string): void {
		this.#refused = { since: this.#refused?.since ?? this.#clock.now(), why };
	}

	trouble(): Trouble | undefined {
		const until = this.#until;
		const over = until !== undefined && until <= this.#clock.now();
		const end = until === undefined || Number.isNaN(until) ? "" : ` (good until ${new Date(until).toISOString()})`;
		if (this.#refused) {
			const { since, why } = this.#refused;
			const message = `The new certificate cannot be used: ${why}. The one before it${end} is still shown.`;
			const advice =
				"Put a certificate and its key into the files that server.tls names; they are read within a second.";
			return { what: "certificate", since, message, advice };
		}
		if (!over) return undefined;
		const message = `The certificate has run out${end}: clients refuse to speak to this server.`;
		const advice = "Renew it; the files that server.tls names are read anew within a second.";
		return { what: "certificate", since: until, message, advice };
	}
}
