/** What fails in plugins while they serve, counted where the log tells it: whoever asks how the server is hears it too. */
import type { Clock } from "../contract/clock.ts";
import type { Log, LogFields } from "../contract/log.ts";
import { withoutKeys } from "../errors/redact.ts";
import type { Trouble } from "./troubles.ts";

/** A failure is spoken of for so long after it. Milliseconds. */
const windowMs = 600_000;
/** More than these are not told apart any more. */
const most = 100;

interface FailingPart {
	readonly since: number;
	last: number;
	times: number;
	words: string;
}

/** The fields by which the core's log names what failed. */
const named = ["policy", "guard", "recorder", "authenticator", "doorkeeper", "route"] as const;

/** What failed, as the log names it; undefined for a line that tells of no failure in a plugin. */
const partOf = (fields: LogFields): string | undefined => {
	if (typeof fields["error"] !== "string") return undefined;
	const kind = named.find((name) => typeof fields[name] === "string");
	if (kind !== undefined) return `The ${kind} "${fields[kind]}"`;
	return typeof fields["at"] === "string" ? `Something at ${fields["at"]}` : undefined;
};

export class FailingParts {
	private readonly clock: Clock;
	private readonly parts = new Map<string, FailingPart>();

	constructor(clock: Clock) {
		this.clock = clock;
	}

	/** The same log, whose errors are counted. What plugins say themselves is their own. */
	heardIn(log: Log): Log {
		return {
			debug: log.debug,
			info: log.info,
			warn: log.warn,
			of: log.of,
			error: (message, fields = {}) => {
				const part = partOf(fields);
				if (part !== undefined) this.failed(part, String(fields["error"]));
				log.error(message, fields);
			},
		};
	}

	/** What was built anew has not failed yet. */
	forget(): void {
		this.parts.clear();
	}

	list(): readonly Trouble[] {
		const now = this.clock.now();
		for (const [part, { last }] of this.parts) if (now - last >= windowMs) this.parts.delete(part);
		return [...this.parts].map(([part, { since, last, times, words }]) => ({
			what: "plugin",
			since,
			message: `${part} failed ${times === 1 ? "once" : `${times} times, the last time`} at ${new Date(last).toISOString()}: ${words}`,
			advice:
				"The log has each failure. Mend the plugin and start the server again, or take it out of the config and reload. Ten minutes after the last failure this is gone.",
		}));
	}

	private failed(part: string, words: string): void {
		const now = this.clock.now();
		const known = this.parts.get(part);
		if (known && now - known.last < windowMs) {
			known.times++;
			known.last = now;
			known.words = withoutKeys(words);
		} else if (known || this.parts.size < most)
			this.parts.set(part, { since: now, last: now, times: 1, words: withoutKeys(words) });
	}
}
