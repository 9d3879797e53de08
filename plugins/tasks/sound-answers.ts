/**
 * What the program of an upstream may answer. One in plain JavaScript may answer what no type allows: whatever of it can be
 * relied upon counts, `odd` hears of the rest, and where nothing can, it throws.
 */
import { asRecord, asText, isRecord } from "#core";
import { publicReason } from "./connection.ts";
import type { JobState, Submission, TaskFailure } from "./service.ts";

/** Told what is wrong with an answer that counts all the same. */
type Odd = (error: TypeError) => void;

const outcomes: readonly unknown[] = ["accepted", "done", "refused", "busy", "unknown"];
const states: readonly unknown[] = ["waiting", "running", "done", "failed", "strange", "missing", "unanswered"];

/** Its client reads it, whoever has worded it. */
const soundFailure = (failure: unknown, odd: Odd): TaskFailure => {
	const { code, reason } = asRecord(failure);
	const [name, words] = [asText(code), asText(reason)];
	if (name === undefined || words === undefined) odd(new TypeError("its failure is no { code, reason } of texts"));
	return { code: name ?? "upstream_refused", reason: publicReason(words ?? "The upstream refused the task.") };
};

const soundWait = (retryAfterMs: unknown, odd: Odd): { readonly retryAfterMs?: number } => {
	if (retryAfterMs === undefined) return {};
	if (typeof retryAfterMs === "number" && retryAfterMs >= 0) return { retryAfterMs };
	odd(new TypeError("its retryAfterMs is no time"));
	return {};
};

const isJson = (value: unknown): boolean => {
	try {
		return JSON.stringify(value) !== undefined;
	} catch {
		return false;
	}
};

const soundMemo = (memo: unknown, odd: Odd): { readonly memo?: Readonly<Record<string, unknown>> } => {
	if (memo === undefined) return {};
	if (isRecord(memo) && isJson(memo)) return { memo };
	odd(new TypeError("its memo is no object that JSON can tell; nothing of it is kept"));
	return {};
};

/** What it was asked to do it may have begun: throws where it does not say. */
export const soundSubmission = (submission: Submission, odd: Odd): Submission => {
	const { outcome, upstreamId } = asRecord(submission);
	if (!outcomes.includes(outcome)) throw new TypeError(`its submit answered no outcome: ${outcomes.join(", ")}`);
	if (outcome === "accepted" && !asText(upstreamId))
		throw new TypeError("its submit answered that it accepted, without an upstreamId");
	switch (submission.outcome) {
		case "accepted": {
			const { memo, job, ...accepted } = submission;
			return { ...accepted, ...soundMemo(memo, odd), ...(job !== undefined && { job: soundState(job, odd) }) };
		}
		case "refused":
			return { outcome: "refused", failure: soundFailure(submission.failure, odd) };
		case "busy":
			return {
				outcome: "busy",
				...soundWait(submission.retryAfterMs, odd),
				...(submission.unreached === true && { unreached: true }),
			};
		default:
			return submission;
	}
};

/** What is said of a job. A word that is none is a strange one, of which many in a row end the task. */
export const soundState = (job: JobState | undefined, odd: Odd): JobState => {
	const { state } = asRecord(job);
	if (job === undefined || job === null) {
		odd(new TypeError("its poll answered nothing for a job"));
		return { state: "unanswered" };
	}
	if (!states.includes(state)) {
		odd(new TypeError(`its poll answered no state: ${states.join(", ")}`));
		return { state: "strange", word: asText(state) ?? typeof job };
	}
	if (job.state === "failed") return { state: "failed", failure: soundFailure(job.failure, odd) };
	if (job.state === "unanswered") return { state: "unanswered", ...soundWait(job.retryAfterMs, odd) };
	return job;
};

/** The name of a job that was found; undefined where there is none. */
export const soundName = (found: unknown): string | undefined => {
	if (found === undefined || found === null || found === "") return undefined;
	const name = asText(found);
	if (name === undefined) throw new TypeError("its find answered no text");
	return name;
};
