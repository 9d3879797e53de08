import { expect, test } from "bun:test";
import { createMovedClock } from "../../test/support/moved-clock.ts";
import { workersBeside } from "./workers-beside.ts";

const assemble = () => {
	const clock = createMovedClock();
	const said: Readonly<Record<string, unknown>>[] = [];
	let hear: (message: unknown) => void = () => undefined;
	const workers = workersBeside({
		say: (message) => said.push(message),
		hear: (heard) => {
			hear = heard;
		},
		clock,
	});
	return { clock, said, workers, hear: (message: unknown) => hear(message) };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a worker answers with what a process said before it that it took the place of, until the answer is taken away", async () => {
	const { said, workers, hear } = assemble();
	const end = workers.answer("q", (before) => `${String(before)}+`);
	hear({ asked: { id: 4, question: "q", before: "before" } });
	await turn();
	hear({ asked: { id: 5, question: "q" } });
	await turn();
	end();
	hear({ asked: { id: 6, question: "q" } });
	await turn();
	expect(said.map(({ answers }) => answers)).toEqual([
		{ id: 4, question: "q", answer: "before+" },
		{ id: 5, question: "q", answer: "before+" },
		{ id: 6, question: "q", answer: undefined },
	]);
});

test("an answer of a new generation stays when the old one takes its own away", async () => {
	const { said, workers, hear } = assemble();
	const end = workers.answer("q", () => "old");
	workers.answer("q", () => "new");
	end();
	hear({ asked: { id: 1, question: "q" } });
	await turn();
	expect(said).toEqual([{ answers: { id: 1, question: "q", answer: "new" } }]);
});

test("an answer that fails is told as such", async () => {
	const { said, workers, hear } = assemble();
	workers.answer("q", () => Promise.reject(new Error("no database")));
	hear({ asked: { id: 1, question: "q" } });
	await turn();
	expect(said).toEqual([{ answers: { id: 1, question: "q", failed: "Error: no database" } }]);
});

test("a question waits for its own answer, and not for ever", async () => {
	const { clock, said, workers, hear } = assemble();
	const [first, second] = [workers.ask("q"), workers.ask("q")];
	expect(said).toEqual([{ asks: { id: 1, question: "q" } }, { asks: { id: 2, question: "q" } }]);
	const hangs = { worker: 4, running: true, silent: { since: 5, process: 6 }, answer: [1] };
	hear({ answered: { id: 2, answers: [{ worker: 3, running: true, answer: [1] }, hangs] } });
	expect(await second).toEqual([{ worker: 3, running: true, answer: [1] }, hangs]);
	clock.advance(5_000);
	await expect(first).rejects.toThrow("did not answer in time");
});
