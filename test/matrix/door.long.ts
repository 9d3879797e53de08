/** A cut through the exchanges, through the front door; `bun test/matrix/run.ts --door` is the whole. */
import { expect, test } from "bun:test";
import { recordings, withoutShared } from "../support/recordings.ts";
import { doorTrials } from "./door.ts";
import { loadProtocols } from "./protocols.ts";
import { isExplained } from "./report.ts";
import type { Trial } from "./trial.ts";

/** Every so many exchanges. */
const step = withoutShared ? 1 : 41;

test("a whole Portico gives clients of each protocol what their own would have given, and bytes where it is their own", async () => {
	const chosen = new Set(recordings().flatMap(({ official, name }, at) => (official && at % step === 0 ? [name] : [])));
	const wrong: Omit<Trial, "evidence">[] = [];
	let tried = 0;
	for await (const trial of doorTrials(await loadProtocols(), ({ name }) => chosen.has(name))) {
		tried++;
		const { evidence: _, ...rest } = trial;
		if (!isExplained(trial)) wrong.push(rest);
	}
	expect(wrong).toEqual([]);
	expect(tried).toBeGreaterThan(chosen.size * 3);
}, 120_000);
