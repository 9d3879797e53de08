import { expect, test } from "bun:test";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { createLog } from "../runtime/log.ts";
import type { OtherProcess } from "../runtime/system.ts";
import { Supervisor } from "./supervisor.ts";

/** A process that does what the test says. */
class Puppet implements OtherProcess {
	readonly signals: string[] = [];
	readonly heard: unknown[] = [];
	readonly worker: number;
	readonly pid: number;
	readonly tells: (message: unknown) => void;
	readonly end = Promise.withResolvers<number>();
	readonly ended = this.end.promise;

	constructor(worker: number, pid: number, tells: (message: unknown) => void) {
		[this.worker, this.pid, this.tells] = [worker, pid, tells];
	}

	tell(signal: string): void {
		this.signals.push(signal);
	}

	say(message: unknown): void {
		this.heard.push(message);
	}
}

const assemble = () => {
	const clock = createMovedClock();
	const lines: Record<string, unknown>[] = [];
	const all: Puppet[] = [];
	const supervisor = new Supervisor({
		launch(worker, heard) {
			const puppet = new Puppet(worker, 100 + all.length, heard);
			all.push(puppet);
			return puppet;
		},
		clock,
		log: createLog("info", (line) => lines.push(JSON.parse(line) as Record<string, unknown>)),
	});
	const puppet = (index: number): Puppet => {
		const found = all[index];
		if (!found) throw new Error(`process ${index} was not started`);
		return found;
	};
	return { clock, lines, all, supervisor, puppet };
};

/** Lets what follows from a settled promise happen. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const serving = async ({ supervisor, all, puppet }: ReturnType<typeof assemble>, workers: number): Promise<void> => {
	for (let worker = 1; worker <= workers; worker++) {
		const begun = supervisor.begin(worker);
		puppet(all.length - 1).tells({ greeting: `I am ${worker}` });
		expect(await begun).toBe(`I am ${worker}`);
	}
};

test("a worker that ends is replaced after a pause that doubles up to half a minute", async () => {
	const world = assemble();
	await serving(world, 1);
	const pauses: number[] = [];
	for (let death = 0; death < 9; death++) {
		world.puppet(death).end.resolve(137);
		await turn();
		const before = world.clock.monotonic();
		while (world.all.length === death + 1 && world.clock.monotonic() - before < 60_000) {
			world.clock.advance(250);
			await turn();
		}
		pauses.push(world.clock.monotonic() - before);
	}
	expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
	expect(world.lines.filter(({ msg }) => String(msg).startsWith("a worker ended"))).toHaveLength(9);
	expect(world.lines.find(({ msg }) => String(msg).startsWith("a worker ended"))).toMatchObject({
		worker: 1,
		code: 137,
		afterMilliseconds: 500,
	});
});

test("a worker that had served for a while begins again with the shortest pause", async () => {
	const world = assemble();
	await serving(world, 1);
	for (let death = 0; death < 3; death++) {
		world.puppet(death).end.resolve(1);
		await turn();
		world.clock.advance(2000);
		await turn();
	}
	world.clock.advance(60_001);
	world.puppet(3).end.resolve(1);
	await turn();
	expect(world.lines.at(-1)).toMatchObject({ afterMilliseconds: 500 });
});

test("one that does not serve yet is told to reload once it does, however often that was asked", async () => {
	const world = assemble();
	const begun = world.supervisor.begin(1);
	for (let time = 0; time < 2; time++) world.supervisor.tell("SIGHUP");
	expect(world.puppet(0).signals).toEqual([]);
	world.puppet(0).tells({ greeting: "I serve" });
	await begun;
	expect(world.puppet(0).signals).toEqual(["SIGHUP"]);
	world.supervisor.tell("SIGHUP");
	expect(world.puppet(0).signals).toEqual(["SIGHUP", "SIGHUP"]);
});

test("one that ends before it serves is an error at the beginning, and not later", async () => {
	const world = assemble();
	const begun = world.supervisor.begin(1);
	world.puppet(0).end.resolve(1);
	await expect(begun).rejects.toThrow("worker 1 could not start");
	await serving(world, 2);
	world.puppet(1).end.resolve(1);
	await turn();
	world.clock.advance(500);
	await turn();
	world.puppet(3).end.resolve(1);
	await turn();
	expect(world.lines.at(-1)).toMatchObject({ worker: 1, afterMilliseconds: 1000 });
});

test("a reload that one worker tells of reaches every other", async () => {
	const world = assemble();
	await serving(world, 3);
	world.puppet(1).tells({ reloaded: true });
	expect(world.all.map(({ signals }) => signals)).toEqual([["SIGHUP"], [], ["SIGHUP"]]);
});

test("an end is told to all, waited for, and starts nobody any more", async () => {
	const world = assemble();
	await serving(world, 3);
	world.puppet(2).end.resolve(137);
	await turn();
	world.supervisor.end();
	expect(world.all.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM"], []]);
	let over = false;
	const ended = world.supervisor.ended().finally(() => {
		over = true;
	});
	world.puppet(0).end.resolve(0);
	await turn();
	expect(over).toBe(false);
	world.puppet(1).end.resolve(137);
	expect(await ended).toBe(1);
	world.clock.advance(60_000);
	await turn();
	expect(world.all).toHaveLength(3);
});

test("one that was told to end before it served has failed at nothing", async () => {
	const world = assemble();
	const begun = world.supervisor.begin(1);
	world.supervisor.end();
	world.puppet(0).end.resolve(143);
	expect(await begun).toBe("");
	expect(await world.supervisor.ended()).toBe(0);
});

test("one that hangs when it is told to end is killed; one that answers is waited for as long as it takes", async () => {
	const world = assemble();
	await serving(world, 2);
	world.clock.advance(120_000);
	world.supervisor.end();
	for (let time = 0; time < 5; time++) {
		world.puppet(0).tells({ answers: { id: 0, question: "" } });
		world.clock.advance(5_000);
	}
	expect(world.all.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM"]]);
	world.puppet(0).tells({ answers: { id: 0, question: "" } });
	world.clock.advance(5_000);
	expect(world.all.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM", "SIGKILL"]]);
	expect(world.lines.at(-1)).toMatchObject({ level: "error", worker: 2, process: 101 });
	world.puppet(1).end.resolve(137);
	world.puppet(0).end.resolve(0);
	expect(await world.supervisor.ended()).toBe(1);
	world.clock.advance(5_000);
	expect(world.clock.waiting).toBe(0);
});

test("a question that one worker asks reaches every one that serves, and the answers reach who asked", async () => {
	const world = assemble();
	await serving(world, 2);
	world.puppet(1).tells({ asks: { id: 7, question: "how many?" } });
	expect(world.all.map(({ heard }) => heard)).toEqual([
		[{ asked: { id: 1, question: "how many?" } }],
		[{ asked: { id: 1, question: "how many?" } }],
	]);
	world.puppet(0).tells({ answers: { id: 1, question: "how many?", answer: 3 } });
	expect(world.puppet(1).heard).toHaveLength(1);
	world.puppet(1).tells({ answers: { id: 1, question: "how many?", answer: 4 } });
	expect(world.puppet(1).heard.at(-1)).toEqual({
		answered: {
			id: 7,
			answers: [
				{ worker: 1, running: true, answer: 3 },
				{ worker: 2, running: true, answer: 4 },
			],
		},
	});
	expect(world.clock.waiting).toBe(0);
});

test("a worker that ended is answered for by what it last said, and the next one in its place goes on from there", async () => {
	const world = assemble();
	await serving(world, 2);
	const ask = (id: number): void => world.puppet(1).tells({ asks: { id, question: "q" } });
	const answer = (index: number, id: number, text: string): void =>
		world.puppet(index).tells({ answers: { id, question: "q", answer: text } });
	const answered = (id: number, first: object): object => ({
		answered: {
			id,
			answers: [
				{ worker: 1, ...first },
				{ worker: 2, running: true, answer: "two" },
			],
		},
	});
	ask(1);
	answer(0, 1, "one");
	answer(1, 1, "two");
	ask(2);
	answer(1, 2, "two");
	world.puppet(0).end.resolve(137);
	await turn();
	expect(world.puppet(1).heard.at(-1)).toEqual(answered(2, { running: false, answer: "one" }));
	world.clock.advance(500);
	await turn();
	// Started, and not yet serving: it is not asked.
	ask(3);
	answer(1, 3, "two");
	expect(world.puppet(2).heard).toEqual([]);
	expect(world.puppet(1).heard.at(-1)).toEqual(answered(3, { running: false, answer: "one" }));
	world.puppet(2).tells({ greeting: "again" });
	ask(4);
	expect(world.puppet(2).heard).toEqual([{ asked: { id: 4, question: "q", before: "one" } }]);
	answer(2, 4, "one and more");
	answer(1, 4, "two");
	expect(world.puppet(1).heard.at(-1)).toEqual(answered(4, { running: true, answer: "one and more" }));
	ask(5);
	expect(world.puppet(2).heard.at(-1)).toEqual({ asked: { id: 5, question: "q" } });
});

test("a worker that does not answer is not waited for longer than two seconds, and told as silent", async () => {
	const world = assemble();
	await serving(world, 2);
	const since = world.clock.now();
	world.puppet(1).tells({ asks: { id: 1, question: "q" } });
	world.puppet(1).tells({ answers: { id: 1, question: "q", answer: 5 } });
	world.clock.advance(1999);
	expect(world.puppet(1).heard).toHaveLength(1);
	world.clock.advance(1);
	expect(world.puppet(1).heard.at(-1)).toEqual({
		answered: {
			id: 1,
			answers: [
				{ worker: 1, running: true, silent: { since, process: 100 } },
				{ worker: 2, running: true, answer: 5 },
			],
		},
	});
	const told = () => world.lines.map(({ msg, worker }) => [msg, worker]).slice(2);
	expect(told()).toEqual([["a worker does not answer, and calls that reach it wait", 1]]);
	// Too late for that question, in time for the next.
	world.puppet(0).tells({ answers: { id: 1, question: "q", answer: 4 } });
	expect(told().slice(1)).toEqual([["a worker answers again", 1]]);
	world.puppet(1).tells({ asks: { id: 2, question: "q" } });
	for (const index of [0, 1]) world.puppet(index).tells({ answers: { id: 2, question: "another" } });
	expect(world.puppet(1).heard.at(-1)).toEqual({
		answered: {
			id: 2,
			answers: [
				{ worker: 1, running: true, answer: 4 },
				{ worker: 2, running: true, answer: 5 },
			],
		},
	});
});
