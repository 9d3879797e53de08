/** A cut through the matrix that is quick enough for every run of the tests; `bun test/matrix/run.ts` is the whole. */
import { expect, test } from "bun:test";
import { recordings, withoutShared } from "../support/recordings.ts";
import { loadSchemas } from "../support/schemas.ts";
import { loadProtocols } from "./protocols.ts";
import { isEqual, isExplained } from "./report.ts";
import type { Trial } from "./trial.ts";
import { trialsOf } from "./trials.ts";

/** Every so many exchanges. */
const step = withoutShared ? 1 : 23;

test("clients of each protocol understand models of every other as their own clients do", async () => {
	const chosen = new Set(
		recordings()
			.filter(({ official }) => official)
			.filter((_, at) => at % step === 0)
			.map(({ name }) => name),
	);
	const trials: Trial[] = [];
	for await (const trial of trialsOf(await loadProtocols(), await loadSchemas(), {
		of: ({ name }) => chosen.has(name),
	}))
		trials.push(trial);
	const wrong = ({ pair, mode, name, differences, invalid, crash }: Trial) => ({
		place: `${pair} ${mode} ${name}`,
		differences: differences.filter(({ reason }) => reason === undefined),
		invalid,
		crash,
	});
	const answers = trials.filter(({ mode }) => mode !== "request" && mode !== "error");
	expect(trials.filter((trial) => !isExplained(trial)).map(wrong)).toEqual([]);
	expect(answers.filter(isEqual).length / answers.length).toBeGreaterThan(0.99);
}, 120_000);
