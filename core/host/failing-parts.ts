/** What fails in plugins while they serve, counted where the log tells it: whoever asks how the server is hears it too. */
import type { Clock } from "../contract/clock.ts";
import type { Log, LogFields } from "../contract/log.ts";
import { withoutKeys } from "../errors/redact.ts";
import type { Failures, Trouble } from "./trouble.ts";

/** A failure is spoken of for so long after it. Milliseconds. */
const windowMs = 600_000;
/** More than these are not told apart any more. */
const most = 100;

/** The fields by which the core's log names what failed. */
const named = ["policy", "guard", "recorder", "authenticator", "doorkeeper", "route"] as const;

/** The failures of one part at two workers, as those of one server. */
export const failuresTogether = (one: Failures, other: Failures): Failures => ({
	...(other.last > one.last ? other : one),
	since: Math.min(one.since, other.since),
	times: one.times + other.times,
});

const ofJob = (job: string): string => `The job "${job}"`;

/** As whoever asks how the server is hears of it. */
export const troubleOf = (failures: Failures): Trouble => {
	const { part, isJob, since, last, times, words } = failures;
	const until = isJob ? ", once the job has worked again," : "";
	return {
		what: "plugin",
		since,
		message: `${part} failed ${times === 1 ? "once" : `${times} times, the last time`} at ${new Date(last).toISOString()}: ${words}`,
		advice: `The log has each failure. Mend what it tells of; where that is a plugin, start the server again, or take it out of the config and reload. Ten minutes after the last failure${until} this is gone.`,
		failures,
	};
};

/**
 * What failed, as the log names it; undefined for a line that tells of no failure in a plugin. Of an outage the store tells,
 * and of each run of a job whoever runs it.
 */
const partOf = (fields: LogFields): string | undefined => {
	if (typeof fields["error"] !== "string" || fields["outage"] === true || fields["job"] !== undefined) return undefined;
	const kind = named.find((name) => typeof fields[name] === "string");
	if (kind !== undefined) return `The ${kind} "${fields[kind]}"`;
	return typeof fields["at"] === "string" ? `Something at ${fields["at"]}` : undefined;
};

export class FailingParts {
	private readonly clock: Clock;
	private readonly parts = new Map<string, Failures>();
	/** Jobs that have not worked since they failed. A backup that fails at night is heard of in the morning. */
	private readonly failing = new Set<string>();

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
		this.failing.clear();
	}

	list(): readonly Trouble[] {
		for (const [part, failures] of this.parts) if (!this.lasts(failures)) this.parts.delete(part);
		return [...this.parts.values()].map(troubleOf);
	}

	/** A run of a job: the log, which tells a reason once for as long as it is the same, would count it too seldom. */
	jobFailed(job: string, error: string): void {
		this.failed(ofJob(job), error, true);
		this.failing.add(ofJob(job));
	}

	/** A run that did not fail. */
	jobWorked(job: string): void {
		this.failing.delete(ofJob(job));
	}

	private lasts({ part, last }: Failures): boolean {
		return this.failing.has(part) || this.clock.now() - last < windowMs;
	}

	private failed(part: string, said: string, isJob = false): void {
		const now = this.clock.now();
		const words = withoutKeys(said);
		const known = this.parts.get(part);
		if (known && this.lasts(known)) this.parts.set(part, { ...known, times: known.times + 1, last: now, words });
		else if (known || this.parts.size < most)
			this.parts.set(part, { part, isJob, since: now, last: now, times: 1, words });
	}
}
