/** Writes the row of a call, whatever became of it: told to every recorder. */
import type { Admitted } from "../../contract/call.ts";
import type { Clock } from "../../contract/clock.ts";
import type { Denial } from "../../contract/fault.ts";
import type { Log } from "../../contract/log.ts";
import type { ModelCall, Operation } from "../../contract/model-ask.ts";
import type { CallRecord, CallToken, Outcome, Recorder } from "../../contract/outcome.ts";
import type { Tracer } from "../../contract/trace.ts";
import { whatFailed } from "../../errors/describe.ts";
import { plainName } from "../../errors/redact.ts";
import { isPending } from "../../wire/pending.ts";

/** What is known of a call from its beginning: all that a record of an early refusal has. */
export interface CallStart {
	readonly call: Admitted;
	readonly token?: CallToken;
	readonly protocol: string;
	/** What its route is for, where there is no model. */
	readonly operation?: Operation | undefined;
	readonly model?: ModelCall;
}

/** Who is told, and what a record needs besides the call. */
export interface Recording {
	readonly clock: Clock;
	readonly log: Log;
	readonly recorders: readonly Recorder[];
	/** The status by which the route that was called tells of a denial: protocols differ in it. */
	readonly statusOf: (call: Admitted, denial: Denial) => number;
	/** Absent where no plugin traces calls. */
	readonly tracer?: Tracer | undefined;
}

/** A recorder that fails changes nothing. */
export const record = (
	options: Recording,
	start: CallStart,
	end: Pick<
		CallRecord,
		| "outcome"
		| "status"
		| "attempts"
		| "leftOut"
		| "losses"
		| "firstByteMs"
		| "firstContentMs"
		| "charge"
		| "keyDigest"
		| "repeats"
		| "tags"
		| "trace"
	> &
		// Of what is written down later than it was.
		Partial<Pick<CallRecord, "at" | "durationMs">>,
): void => {
	const { call, token, protocol, operation, model } = start;
	const userAgent = call.request.headers.get("user-agent");
	// Member by member: copying `end` costs as much as all the rest.
	const row: CallRecord = {
		id: call.id,
		requestId: call.requestId,
		at: end.at ?? options.clock.now(),
		token,
		keyDigest: end.keyDigest,
		repeats: end.repeats,
		route: call.route,
		protocol,
		operation: model?.operation ?? operation ?? (protocol === "tasks" ? "task" : protocol),
		model: model && plainName(model.name),
		stream: model?.stream ?? false,
		status: end.status,
		outcome: withPlainTarget(end.outcome),
		attempts: end.attempts,
		leftOut: end.leftOut,
		charge: end.charge,
		firstByteMs: end.firstByteMs,
		firstContentMs: end.firstContentMs,
		durationMs: end.durationMs ?? options.clock.monotonic() - call.startedAt,
		address: call.address,
		userAgent: userAgent === null ? undefined : plainName(userAgent),
		losses: end.losses,
		tags: end.tags,
		trace: end.trace ?? options.tracer?.begin(call.request.headers),
	};
	for (const recorder of options.recorders) {
		try {
			// A function that gives a promise counts as one that gives nothing: TypeScript takes it.
			const told: unknown = recorder.record(row);
			if (isPending(told)) listen(told, options.log, recorder);
		} catch (error) {
			failed(options.log, recorder, error);
		}
	}
};

const listen = (told: PromiseLike<unknown>, log: Log, recorder: Recorder): void =>
	void told.then(undefined, (error: unknown) => failed(log, recorder, error));

const failed = (log: Log, { name }: Recorder, error: unknown): void =>
	log.error("a recorder failed", { recorder: name, ...whatFailed(error) });

/** Where a pattern passes names through, the target's name is the client's too. */
const withPlainTarget = (outcome: Outcome): Outcome => {
	const { target } = outcome;
	const model = target && plainName(target.model);
	return !target || model === undefined || model === target.model
		? outcome
		: { ...outcome, target: { ...target, model } };
};
