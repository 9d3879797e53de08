/**
 * The clients of one phase of a soak, a program of its own, so that its connections end with it: so many calls a second
 * whatever becomes of those before, or slowness could hide itself. Prints what came of them as JSON.
 */
import { setTimeout as pause } from "node:timers/promises";
import { type Callers, call, faults } from "./calls.ts";
import { Counts } from "./counts.ts";
import { receiverFaults, startTasks } from "./tasks.ts";

export interface Order extends Callers {
	/** Calls a second. */
	readonly rate: number;
	/** Of calls, and of the receivers of tasks. */
	readonly shareWrong: number;
	readonly milliseconds: number;
}

/** Tasks for each call: they take far longer and write far more. */
const tasksPerCall = 0.005;
const stepMs = 5;
/** How long the last callbacks are waited for. */
const patienceMs = 15_000;

const order: Order = JSON.parse(process.argv[2] ?? "{}");
const { rate, shareWrong, milliseconds } = order;
const counts = new Counts();
const tasks = await startTasks(order, counts);
const running = new Set<Promise<void>>();

const faultOf = (kinds: readonly string[]): string =>
	Math.random() < shareWrong ? (kinds[Math.floor(Math.random() * kinds.length)] ?? "") : "";

const launch = (work: Promise<void>): void => {
	const kept: Promise<void> = work
		.catch((error: unknown) => counts.note("client", `FAILED ${String(error)}`))
		.finally(() => running.delete(kept));
	running.add(kept);
};

const began = performance.now();
for (let launched = 0; performance.now() - began < milliseconds; await pause(stepMs))
	for (; launched < ((performance.now() - began) / 1000) * rate; launched++) {
		launch(call(order, faultOf(faults), counts));
		if (Math.random() < tasksPerCall) launch(tasks.submit(faultOf(receiverFaults)));
	}
await Promise.all(running);
for (const until = performance.now() + patienceMs; tasks.awaited > 0 && performance.now() < until; ) await pause(50);
if (tasks.awaited > 0) counts.note("task", `NOT TOLD OF: ${tasks.awaited}`);
process.stdout.write(`${JSON.stringify(counts)}\n`, () => process.exit(0));
