import { expect, test } from "bun:test";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { createLog } from "../runtime/log.ts";
import type { OtherProcess } from "../runtime/system.ts";
import { Supervisor } from "./supervisor.ts";

/** A process that does what the test says. */
class Puppet implements OtherProcess {
	readonly signals: string[] = [];
	readonly worker: number;
	readonly pid: number;
	readonly say: (message: unknown) => void;
	readonly end = Promise.withResolvers<number>();
	readonly ended = this.end.promise;

	constructor(worker: number, pid: number, say: (message: unknown) => void) {
		[this.worker, this.pid, this.say] = [worker, pid, say];
	}

	tell(signal: string): void {
		this.signals.push(signal);
	}
}

const assemble = () => {
	const clock = createMovedClock();
	const lines: Record<string, unknown>[] = [];
	const all: Puppet[] = [];
	const crew = new Supervisor({
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
	return { clock, lines, all, crew, puppet };
};

/** Lets what follows from a settled promise happen. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const serving = async ({ crew, all, puppet }: ReturnType<typeof assemble>, workers: number): Promise<void> => {
	for (let worker = 1; worker <= workers; worker++) {
		const begun = crew.begin(worker);
		puppet(all.length - 1).say({ greeting: `I am ${worker}` });
		expect(await begun).toBe(`I am ${worker}`);
	}
};

test("a worker that ends is replaced after a pause that doubles up to half a minute", async () => {
	const house = assemble();
	await serving(house, 1);
	const pauses: number[] = [];
	for (let death = 0; death < 9; death++) {
		house.puppet(death).end.resolve(137);
		await turn();
		const before = house.clock.monotonic();
		while (house.all.length === death + 1 && house.clock.monotonic() - before < 60_000) {
			house.clock.advance(250);
			await turn();
		}
		pauses.push(house.clock.monotonic() - before);
	}
	expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
	expect(house.lines.filter(({ msg }) => String(msg).startsWith("a worker ended"))).toHaveLength(9);
	expect(house.lines.find(({ msg }) => String(msg).startsWith("a worker ended"))).toMatchObject({
		worker: 1,
		code: 137,
		afterMilliseconds: 500,
	});
});

test("a worker that had served for a while begins again with the shortest pause", async () => {
	const house = assemble();
	await serving(house, 1);
	for (let death = 0; death < 3; death++) {
		house.puppet(death).end.resolve(1);
		await turn();
		house.clock.advance(2000);
		await turn();
	}
	house.clock.advance(60_001);
	house.puppet(3).end.resolve(1);
	await turn();
	expect(house.lines.at(-1)).toMatchObject({ afterMilliseconds: 500 });
});

test("one that ends before it serves is an error at the beginning, and not later", async () => {
	const house = assemble();
	const begun = house.crew.begin(1);
	house.puppet(0).end.resolve(1);
	await expect(begun).rejects.toThrow("worker 1 could not start");
	await serving(house, 2);
	house.puppet(1).end.resolve(1);
	await turn();
	house.clock.advance(500);
	await turn();
	house.puppet(3).end.resolve(1);
	await turn();
	expect(house.lines.at(-1)).toMatchObject({ worker: 1, afterMilliseconds: 1000 });
});

test("a reload that one worker tells of reaches every other", async () => {
	const house = assemble();
	await serving(house, 3);
	house.puppet(1).say({ reloaded: true });
	expect(house.all.map(({ signals }) => signals)).toEqual([["SIGHUP"], [], ["SIGHUP"]]);
});

test("an end is told to all, waited for, and starts nobody any more", async () => {
	const house = assemble();
	await serving(house, 3);
	house.puppet(2).end.resolve(137);
	await turn();
	house.crew.end();
	expect(house.all.map(({ signals }) => signals)).toEqual([["SIGTERM"], ["SIGTERM"], []]);
	let over = false;
	const ended = house.crew.ended().finally(() => {
		over = true;
	});
	house.puppet(0).end.resolve(0);
	await turn();
	expect(over).toBe(false);
	house.puppet(1).end.resolve(137);
	expect(await ended).toBe(1);
	house.clock.advance(60_000);
	await turn();
	expect(house.all).toHaveLength(3);
});

test("one that was told to end before it served has failed at nothing", async () => {
	const house = assemble();
	const begun = house.crew.begin(1);
	house.crew.end();
	house.puppet(0).end.resolve(143);
	expect(await begun).toBe("");
	expect(await house.crew.ended()).toBe(0);
});
