/** Keeps a number of processes running: starts another in place of one that ended, after a pause that grows. */
import type { Clock } from "../contract/clock.ts";
import { deny, Fault } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import { asRecord, asText } from "../neutral/json.ts";
import type { OtherProcess } from "../runtime/system.ts";
import { WorkerQuestions } from "./worker-questions.ts";

interface SupervisorOptions {
	/**
	 * Starts a worker; `heard` gets what it tells: its `greeting` once it serves, `reloaded` when the others are to reload
	 * too, and what workers ask each other.
	 */
	launch(worker: number, heard: (message: unknown) => void): OtherProcess;
	readonly clock: Clock;
	readonly log: Log;
}

/** The pause after a death, twice as long each time, unless the worker had served for a while. Milliseconds. */
const firstPause = 500;
const longestPause = 30_000;
const steady = 60_000;

/** How often those that were told to end are asked whether they still run, and how long one may say nothing then. Milliseconds. */
const askEvery = 5_000;
const longestSilence = 30_000;

interface Worker {
	readonly process: OtherProcess;
	/** Undefined when it ended before it served. */
	readonly greeting: Promise<string | undefined>;
}

export class Supervisor {
	private readonly options: SupervisorOptions;
	private readonly running = new Map<number, OtherProcess>();
	private readonly serving = new WeakSet<OtherProcess>();
	private readonly toReload = new WeakSet<OtherProcess>();
	/** When each said something last, by the monotonic clock. */
	private readonly heardAt = new WeakMap<OtherProcess, number>();
	private readonly kept: Promise<void>[] = [];
	private readonly questions: WorkerQuestions;
	private readonly stop = Promise.withResolvers<void>();
	private stopping = false;
	private failures = 0;

	constructor(options: SupervisorOptions) {
		this.options = options;
		this.questions = new WorkerQuestions(options.clock, options.log);
	}

	/** Starts a worker and keeps it running; resolves with its greeting. Throws `Fault` when it ends before it serves. */
	async begin(worker: number): Promise<string> {
		const first = this.start(worker);
		const greeting = await first.greeting;
		if (greeting === undefined && !this.stopping)
			throw new Fault(deny("internal", `worker ${worker} could not start; the reason stands above`));
		this.kept.push(this.keep(worker, first));
		return greeting ?? "";
	}

	/** Passes a signal on to every worker but one. One that does not serve yet is told to reload once it does. */
	tell(signal: "SIGTERM" | "SIGINT" | "SIGHUP", except?: number): void {
		for (const [worker, process] of this.running)
			if (worker === except) continue;
			else if (signal === "SIGHUP" && !this.serving.has(process)) this.toReload.add(process);
			else process.tell(signal);
	}

	/** Tells every worker to end, and starts no more. */
	end(): void {
		const isFirst = !this.stopping;
		this.stopping = true;
		this.stop.resolve();
		this.tell("SIGTERM");
		if (isFirst) this.endSilent(this.options.clock.monotonic());
	}

	/** One that hangs does not hear that it is to end, and would be waited for without end: it is killed. */
	private endSilent(since: number): void {
		const { clock, log } = this.options;
		for (const [worker, process] of this.running) {
			if (!this.serving.has(process)) continue;
			const heardAt = Math.max(since, this.heardAt.get(process) ?? since);
			process.say({ asked: { id: 0, question: "supervisor: whether it runs" } });
			if (clock.monotonic() - heardAt < longestSilence) continue;
			const what =
				"a worker that is to end does not answer, and is killed; the next start charges what its journal tells";
			log.error(what, { worker, process: process.pid });
			process.tell("SIGKILL");
		}
		if (this.running.size > 0) clock.after(askEvery, () => this.endSilent(since));
	}

	/** Resolves when every worker has ended after `end`, with how many of them failed at it. */
	async ended(): Promise<number> {
		await Promise.all([...this.running.values()].map(({ ended }) => ended));
		await Promise.all(this.kept);
		return this.failures;
	}

	private start(worker: number): Worker {
		const serves = Promise.withResolvers<string>();
		const process = this.options.launch(worker, (message) => {
			const { greeting, reloaded } = asRecord(message);
			this.heardAt.set(process, this.options.clock.monotonic());
			const text = asText(greeting);
			if (text !== undefined) {
				serves.resolve(text);
				this.serving.add(process);
				if (this.toReload.delete(process)) process.tell("SIGHUP");
				this.questions.joined(worker, process);
				this.options.log.info("a worker serves", { worker, process: process.pid });
			}
			if (reloaded === true) this.tell("SIGHUP", worker);
			this.questions.heard(worker, process, message);
		});
		this.running.set(worker, process);
		// One that was started while the others were told to end has not heard of it.
		if (this.stopping) process.tell("SIGTERM");
		return { process, greeting: Promise.race([serves.promise, process.ended.then(() => undefined)]) };
	}

	private async keep(worker: number, first: Worker): Promise<void> {
		const { clock, log } = this.options;
		for (let current = first, deaths = 0; ; current = this.start(worker)) {
			const began = clock.monotonic();
			const code = await current.process.ended;
			this.running.delete(worker);
			this.questions.left(worker);
			if (this.stopping) {
				// One that ended before it could be told in order had nothing to lose.
				if (code !== 0 && (await current.greeting) !== undefined) this.failures++;
				return;
			}
			deaths = clock.monotonic() - began > steady ? 0 : deaths;
			const pause = Math.min(firstPause * 2 ** deaths++, longestPause);
			log.error("a worker ended; another takes its place", { worker, code, afterMilliseconds: pause });
			await Promise.race([this.stop.promise, new Promise<void>((resolve) => void clock.after(pause, resolve))]);
			if (this.stopping) return;
		}
	}
}
