import { expect, test } from "bun:test";
import { Turns } from "./turns.ts";

test("one at a time, and whoever asks has the next turn but one, however much another has", async () => {
	const turns = new Turns();
	const done: string[] = [];
	let running = 0;
	const work = (who: string) =>
		turns.take(who, async () => {
			expect(++running).toBe(1);
			await new Promise((resolve) => setImmediate(resolve));
			running--;
			done.push(who);
		});
	const many = Array.from({ length: 5 }, () => work("many"));
	await Promise.all([...many, work("few"), work("few"), work("other")]);
	expect(done).toEqual(["many", "many", "few", "other", "many", "few", "many", "many"]);
	await work("many");
	expect(done).toHaveLength(9);
});

test("work that fails gives the turn to the next", async () => {
	const turns = new Turns();
	const failed = turns.take("a", () => Promise.reject(new Error("broken")));
	const next = turns.take("b", async () => "done");
	expect(failed).rejects.toThrow("broken");
	expect(await next).toBe("done");
});
