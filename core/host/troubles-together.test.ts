import { expect, test } from "bun:test";
import type { WorkerAnswer, Workers } from "../contract/host-info.ts";
import type { Trouble } from "./troubles.ts";
import { troublesTogether } from "./troubles-together.ts";

const trouble = (what: Trouble["what"], since: number): Trouble => ({
	what,
	since,
	message: `the ${what} is wrong`,
	advice: "mend it",
});

const saying = (...answers: readonly (readonly [running: boolean, answer: unknown])[]): Workers => ({
	ask: async () => answers.map(([running, answer], index): WorkerAnswer => ({ worker: index + 1, running, answer })),
	answer: () => () => undefined,
});

test("what every worker has is told once, since the first had it; what one has is told as its own", async () => {
	const [early, late, alone] = [trouble("database", 5), trouble("database", 9), trouble("config", 7)];
	expect(await troublesTogether(saying([true, [late]], [true, [early, alone]]), () => [])).toEqual({
		data: [early, { ...alone, workers: [2] }],
		workers: 2,
	});
});

test("a worker that has ended has no troubles any more, and without others this one speaks for itself", async () => {
	const own = trouble("config", 1);
	expect(await troublesTogether(saying([true, []], [false, [own]]), () => [own])).toEqual({ data: [], workers: 1 });
	const alone = { data: [own], workers: 1 };
	expect(await troublesTogether(undefined, () => [own])).toEqual(alone);
	const silent: Workers = { ...saying(), ask: () => Promise.reject(new Error("no answer")) };
	expect(await troublesTogether(silent, () => [own])).toEqual(alone);
});
