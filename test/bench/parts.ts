/** The parts of the bench, in their order, and what each may cost. */

import { deliveryRows, policyRows, policyShareRows, startRows } from "./apart.ts";
import { heldRows, idleRows, openingRows } from "./bursts.ts";
import type { Pace } from "./drive.ts";
import { ladderRows } from "./ladder.ts";
import type { Parties } from "./parties.ts";
import * as measure from "./rows.ts";
import type { Row } from "./table.ts";
import { workerRows } from "./workers.ts";

export interface Part {
	/** What `--only` finds it by. */
	readonly name: string;
	measure(parties: Parties): Promise<readonly Row[]>;
}

/** How many times the bare relay each may cost. */
const budget = { call: 2.2, addedMicros: 120, whole: 2.6, event: 1.4, translated: 1.8 };
/** The same for the short form: less than twice what each does cost on a machine that has nothing else to do. */
const loose = { call: 6.5, event: 3.1, translated: 3.6, start: 3.6, policies: 2.2, callback: 19 };

const part = (name: string, of: (parties: Parties) => Promise<readonly Row[]>): Part => ({ name, measure: of });

const [shortTranslation] = measure.translations;

export const fullParts = (pace: Pace): readonly Part[] => [
	...[1, 16, 64, 512].map((connections) =>
		part(`calls ${connections}`, async (parties) =>
			measure.callRows(await parties.pair(), connections, pace, connections === 1 ? budget.addedMicros : budget.call),
		),
	),
	part("large", async (parties) => measure.largeRows(await parties.pair(), pace)),
	...measure.translations.map((translation) =>
		part(`whole ${translation.join(" ")}`, async (parties) =>
			measure.translatedWholeRows(await parties.pair(), translation, pace, budget.whole),
		),
	),
	part("latency", async (parties) => measure.latencyRows(await parties.pair())),
	part("streams passed", async (parties) => measure.passedRows(await parties.pair(), pace, budget.event)),
	part("streams paced", async (parties) => measure.passedRows(await parties.pair(), pace, budget.event, "paced")),
	part("streams long", async (parties) => measure.passedRows(await parties.pair(), pace, budget.event, "long")),
	part("streams stripped", async (parties) => measure.strippedRows(await parties.pair(), pace)),
	...measure.translations.map((translation) =>
		part(`streams ${translation.join(" ")}`, async (parties) =>
			measure.translatedRows(await parties.pair(), translation, pace, budget.translated),
		),
	),
	part("streams translated paced", async (parties) =>
		measure.translatedRows(await parties.pair(), shortTranslation, pace, budget.translated, "paced"),
	),
	part("opening", async (parties) => openingRows(await parties.pair())),
	part("held", async (parties) => heldRows(await parties.upstream())),
	part("memory", async (parties) => measure.memoryRows(await parties.gateway())),
	part("idle", async (parties) => idleRows(await parties.upstream())),
	part("start", async (parties) => startRows(await parties.upstream(), { ms: 200, built: true })),
	part("policies", () => policyRows(20)),
	part("deliveries", async (parties) => deliveryRows(await parties.relay(), 10_000, { least: 2000 })),
	part("workers", () => workerRows(pace)),
];

const shortCalls: Pace = { length: { amount: 4000 }, rounds: 5, together: true };
const shortStreams: Pace = { length: { amount: 300 }, rounds: 5, together: true };

/** What the suite runs: loose bounds, which a cost of twice as much breaks and a busy machine does not. */
export const quickParts: readonly Part[] = [
	part("calls 64", async (parties) => measure.callRows(await parties.pair(), 64, shortCalls, loose.call)),
	part("streams passed", async (parties) => measure.passedRows(await parties.pair(), shortStreams, loose.event)),
	part("streams translated", async (parties) =>
		measure.translatedRows(await parties.pair(), shortTranslation, shortStreams, loose.translated),
	),
	part("start", async (parties) =>
		startRows(await parties.upstream(), { share: { relay: await parties.relay(), most: loose.start }, built: false }),
	),
	part("policies", async (parties) => policyShareRows({ relay: await parties.relay(), most: loose.policies })),
	part("deliveries", async (parties) => deliveryRows(await parties.relay(), 3000, { most: loose.callback })),
];

/** What can be said of a gateway that runs elsewhere: nothing of its processor time. */
export const partsElsewhere = (pace: Pace): readonly Part[] => [
	...[1, 64, 512].map((connections) =>
		part(`calls ${connections}`, async (parties) => {
			const pair = await parties.pair();
			const [, perSecond] = await measure.callRows(pair, connections, pace, Number.POSITIVE_INFINITY);
			return perSecond ? [perSecond] : [];
		}),
	),
	part("latency", async (parties) => measure.latencyRows(await parties.pair())),
];

/** What each thing costs, taken out. */
export const ladderParts = (pace: Pace, warmUp: number): readonly Part[] => [
	part("ladder", async (parties) => ladderRows(await parties.relay(), await parties.upstream(), pace, warmUp)),
];
