/** What workers ask each other goes by the process that looks after them: it passes questions on, gathers the answers and keeps the last ones. */
import type { Clock } from "../contract/clock.ts";
import type { WorkerAnswer } from "../contract/host-info.ts";
import type { Log } from "../contract/log.ts";
import { asNumber, asRecord, asText } from "../neutral/json.ts";
import type { OtherProcess } from "../runtime/system.ts";

/** How long a worker that is busy is waited for; then what it last said stands for it. */
const patienceMs = 2_000;

/** What was last said at a place, and by which process. */
interface Last {
	readonly answer: unknown;
	readonly process: OtherProcess;
}

/** One place among the workers, whichever process has it. */
interface Place {
	process: OtherProcess | undefined;
	/** Since when the process is asked in vain, in milliseconds since 1970. */
	silentSince: number | undefined;
	readonly last: Map<string, Last>;
}

/** A question that is not answered yet. */
interface Open {
	readonly missing: Set<number>;
	readonly finish: () => void;
}

export class WorkerQuestions {
	private readonly places = new Map<number, Place>();
	private readonly open = new Map<number, Open>();
	private readonly clock: Clock;
	private readonly log: Log;
	private serial = 0;

	constructor(clock: Clock, log: Log) {
		this.clock = clock;
		this.log = log;
	}

	/** The process serves: from now on it is asked. */
	joined(worker: number, process: OtherProcess): void {
		Object.assign(this.placeOf(worker), { process, silentSince: undefined });
	}

	/** The process has ended: nobody waits for it any more. */
	left(worker: number): void {
		Object.assign(this.placeOf(worker), { process: undefined, silentSince: undefined });
		for (const [id] of this.open) this.tick(id, worker);
	}

	/** Something that a worker tells. */
	heard(worker: number, process: OtherProcess, message: unknown): void {
		const place = this.placeOf(worker);
		if (place.silentSince !== undefined && place.process === process) {
			place.silentSince = undefined;
			this.log.info("a worker answers again", { worker });
		}
		const { asks, answers } = asRecord(message);
		if (asks !== undefined) this.ask(process, asRecord(asks));
		if (answers !== undefined) this.note(worker, process, asRecord(answers));
	}

	private ask(asker: OtherProcess, asks: Readonly<Record<string, unknown>>): void {
		const question = asText(asks["question"]) ?? "";
		const id = ++this.serial;
		const running = [...this.places].flatMap(([worker, { process }]) => (process ? [{ worker, process }] : []));
		const askedAt = this.clock.now();
		const missing = new Set(running.map(({ worker }) => worker));
		const finish = (): void => {
			giveUp();
			this.open.delete(id);
			for (const worker of missing) this.isSilent(worker, askedAt);
			asker.say({ answered: { id: asks["id"], answers: this.answersTo(question) } });
		};
		const giveUp = this.clock.after(patienceMs, finish);
		this.open.set(id, { missing, finish });
		for (const { worker, process } of running) {
			const last = this.placeOf(worker).last.get(question);
			// Told until it has answered once: its own answers hold it from then on.
			const before = last && last.process !== process ? { before: last.answer } : {};
			process.say({ asked: { id, question, ...before } });
		}
		if (running.length === 0) finish();
	}

	private isSilent(worker: number, since: number): void {
		const place = this.placeOf(worker);
		if (!place.process || place.silentSince !== undefined) return;
		place.silentSince = since;
		this.log.error("a worker does not answer, and calls that reach it wait", { worker, process: place.process.pid });
	}

	private note(worker: number, process: OtherProcess, answers: Readonly<Record<string, unknown>>): void {
		const { answer, failed } = answers;
		const question = asText(answers["question"]) ?? "";
		const { process: current, last } = this.placeOf(worker);
		// What one says that has ended meanwhile counts, unless the next one has spoken.
		const known = last.get(question)?.process;
		const outdated = process !== current && known !== undefined && known !== process;
		if (failed !== undefined) this.log.error("a worker could not answer", { worker, question, error: asText(failed) });
		else if (answer !== undefined && answer !== null && !outdated) last.set(question, { answer, process });
		this.tick(asNumber(answers["id"]) ?? 0, worker);
	}

	private tick(id: number, worker: number): void {
		const open = this.open.get(id);
		if (open?.missing.delete(worker) && open.missing.size === 0) open.finish();
	}

	private answersTo(question: string): readonly WorkerAnswer[] {
		return [...this.places].flatMap(([worker, { process, silentSince: since, last }]) => {
			const known = last.get(question);
			const silent = process && since !== undefined ? { silent: { since, process: process.pid } } : undefined;
			if (!known) return silent ? [{ worker, running: true, ...silent, answer: undefined }] : [];
			return [{ worker, running: known.process === process, ...silent, answer: known.answer }];
		});
	}

	private placeOf(worker: number): Place {
		const known = this.places.get(worker) ?? { process: undefined, silentSince: undefined, last: new Map() };
		this.places.set(worker, known);
		return known;
	}
}
