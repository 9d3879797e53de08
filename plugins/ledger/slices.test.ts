import { expect, test } from "bun:test";
import { createLines } from "./slices.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("each who asks has a line, in which a failure holds up nobody", async () => {
	const inLine = createLines({ shared: false });
	const told: string[] = [];
	const work = (name: string) => async () => {
		told.push(`${name} begins`);
		await turn();
		told.push(`${name} ends`);
		if (name === "a1") throw new Error(name);
		return name;
	};
	const ended = await Promise.allSettled([inLine("a", work("a1")), inLine("a", work("a2")), inLine("b", work("b1"))]);
	expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
	expect(told.slice(0, 2)).toEqual(["a1 begins", "b1 begins"]);
	expect(told.indexOf("a2 begins")).toBeGreaterThan(told.indexOf("a1 ends"));
});

test("a database that is a process of its own is asked at once", async () => {
	const inLine = createLines({ shared: true });
	let begun = 0;
	const work = async () => {
		begun++;
		await turn();
	};
	const all = [inLine("a", work), inLine("a", work)];
	expect(begun).toBe(2);
	await Promise.all(all);
});
