import { expect, test } from "bun:test";
import { statusCommand } from "./status.ts";

const printed = async (answer: object, words: readonly string[] = []): Promise<readonly string[]> => {
	const lines: string[] = [];
	const asked = { words, call: async () => answer, print: (line: string) => void lines.push(line) };
	const end = statusCommand.run({ ...asked, server: "http://127.0.0.1:1" });
	await end.catch((error: Error) => lines.push(`refused: ${error.message}`));
	return lines;
};

const well = "The server is well: its database answers, its config is the file's, and no plugin failed of late.";

test("a server and upstreams that are well take one line", async () => {
	expect(await printed({ data: [], workers: 1, upstreams: [] })).toEqual([well]);
	expect(await printed({ data: [], workers: 2, upstreams: [] })).toEqual([`${well} All 2 workers say so.`]);
});

test("an upstream that fails is told beside a server that is well, with since when and what to do", async () => {
	const lastFailure = { message: "Incorrect API key", advice: "Set another key." };
	const since = { failingSince: "2041-01-01T00:00:00.000Z", lastFailure };
	const failing = { upstream: "main", circuit: "open", ...since, failing: true };
	const resting = { upstream: "other", circuit: "closed", keys: [true, false, false], failing: false };
	const tried = { upstream: "third", circuit: "half-open", keys: [false], failing: true };
	const left = { upstream: "fourth", circuit: "half-open", ...since, failing: false };
	const ofTasks = { upstream: "main", of: "tasks", circuit: "half-open", ...since, failing: true };
	expect(await printed({ data: [], workers: 1, upstreams: [failing, resting, tried, left, ofTasks] })).toEqual([
		well.replace("The server", "The server itself"),
		"upstream main: fails, and calls go elsewhere where they can. The last failure: Incorrect API key",
		"  since 2041-01-01T00:00:00.000Z",
		"  what to do: Set another key.",
		"upstream other: its keys 2, 3 rest",
		"  what to do: portico calls shows what became of its calls, portico explain ID what it said.",
		"upstream third: failed, and the next call tries it again; its key 1 rests",
		"  what to do: portico calls shows what became of its calls, portico explain ID what it said.",
		"upstream fourth: failed, and nothing has asked it for an hour; the next call does. The last failure: Incorrect API key",
		"  since 2041-01-01T00:00:00.000Z",
		"  what to do: Set another key.",
		"upstream main of tasks: failed, and the next request tries it again. The last failure: Incorrect API key",
		"  since 2041-01-01T00:00:00.000Z",
		"  what to do: Set another key.",
		"refused: not well: troubles of the server 0, upstreams that fail 3",
	]);
});

test("a key that rests beside others is no failure; all of them at rest are one, in JSON too", async () => {
	const main = { upstream: "main", circuit: "closed" };
	const one = { data: [], workers: 1, upstreams: [{ ...main, keys: [true, false], failing: false }] };
	expect(await printed(one, ["--json"])).toEqual([JSON.stringify(one)]);
	expect(await printed(one)).toHaveLength(3);
	const all = { data: [], workers: 1, upstreams: [{ ...main, keys: [false, false], failing: true }] };
	expect(await printed(all, ["--json"])).toEqual([
		JSON.stringify(all),
		"refused: not well: troubles of the server 0, upstreams that fail 1",
	]);
});

test("a trouble of the server comes first, and takes the place of its being well", async () => {
	const trouble = { what: "disk", since: 0, message: "It is full.", advice: "Make room.", workers: [2] };
	const upstreams = [{ upstream: "main", circuit: "open", failing: true }];
	const [first, ...rest] = await printed({ data: [trouble], workers: 3, upstreams });
	expect(first).toBe("disk of worker 2 of 3: It is full.");
	expect(rest).toContain("upstream main: fails, and calls go elsewhere where they can");
	expect(rest).not.toContain(well);
	expect(rest.at(-1)).toBe("refused: not well: troubles of the server 1, upstreams that fail 1");
});
