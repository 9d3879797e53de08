/** A worker's side of what workers ask each other: its own answers, and its questions to all. The other side is `worker-questions.ts`. */
import type { Clock } from "../contract/clock.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { WorkerAnswer, Workers } from "../contract/host-info.ts";
import { describe } from "../errors/describe.ts";
import { asList, asNumber, asRecord, asText } from "../neutral/json.ts";

/** The way to the process that looks after the workers, and back. */
interface Channel {
	say(message: Readonly<Record<string, unknown>>): void;
	hear(heard: (message: unknown) => void): void;
	readonly clock: Clock;
}

/** Longer than that process waits for any worker. */
const patienceMs = 5_000;

const decodeAnswers = (answers: unknown): readonly WorkerAnswer[] =>
	asList(answers).map((one) => {
		const { worker, running, silent, answer } = asRecord(one);
		const { since, process } = asRecord(silent);
		return {
			worker: asNumber(worker) ?? 0,
			running: running === true,
			...(silent !== undefined && { silent: { since: asNumber(since) ?? 0, process: asNumber(process) ?? 0 } }),
			answer,
		};
	});

export const workersBeside = ({ say, hear, clock }: Channel): Workers => {
	const answers = new Map<string, (before: unknown) => unknown>();
	const before = new Map<string, unknown>();
	const waiting = new Map<number, (answers: readonly WorkerAnswer[]) => void>();
	let serial = 0;

	const reply = async (id: number, question: string): Promise<void> => {
		try {
			const answer = await answers.get(question)?.(before.get(question));
			say({ answers: { id, question, answer } });
		} catch (error) {
			say({ answers: { id, question, failed: describe(error) } });
		}
	};

	hear((message) => {
		const { asked, answered } = asRecord(message);
		const { id, question, before: inherited } = asRecord(asked);
		const name = asText(question);
		if (name !== undefined) {
			if (inherited !== undefined) before.set(name, inherited);
			void reply(asNumber(id) ?? 0, name);
		}
		const { id: own, answers: all } = asRecord(answered);
		const number = asNumber(own);
		if (number === undefined) return;
		waiting.get(number)?.(decodeAnswers(all));
		waiting.delete(number);
	});

	return {
		answer(question, answer) {
			answers.set(question, answer);
			return () => {
				if (answers.get(question) === answer) answers.delete(question);
			};
		},
		ask: (question) =>
			new Promise((resolve, reject) => {
				const id = ++serial;
				const giveUp = clock.after(patienceMs, () => {
					waiting.delete(id);
					reject(new Fault(deny("overloaded", "The workers of this machine did not answer in time.")));
				});
				waiting.set(id, (all) => {
					giveUp();
					resolve(all);
				});
				say({ asks: { id, question } });
			}),
	};
};
