/** Throws changed requests and answers at Portico from three sides, for so long or so often. */
import { protocolNames } from "../support/recordings.ts";
import { answerWell, askIn, startFuzzed } from "./gateway.ts";
import { Chance } from "./random.ts";
import { readSeeds } from "./seeds.ts";
import { type Side, tries, type World } from "./tries.ts";

interface FuzzOptions {
	/** The first try's seed; each further one has the next, so that any can be made again alone. */
	readonly seed: number;
	readonly milliseconds: number;
	/** Tries that a slow machine makes although the time is up. */
	readonly least?: number;
	/** The most tries. */
	readonly most?: number;
}

interface FuzzResult {
	readonly tries: number;
	/** What must not be, each with its seed: a 500, a hang, a crash, an error in the log. Empty when all is well. */
	readonly found: readonly string[];
}

/** Beyond this many there is nothing new. */
const enough = 10;
/** The gateway is built anew now and then: so long as hours of tries are not to fill its database. */
const triesPerGateway = 20_000;
const settleMs = 10_000;

/** What is wrong once nobody asks any more: calls that are still open, or a good call that is not answered. */
const wrongAfterwards = async ({ fuzzed, seeds }: World): Promise<readonly string[]> => {
	const { gateway, upstream } = fuzzed;
	for (let waited = 0; waited < settleMs && gateway.portico.openCalls() > 0; waited += 10)
		await new Promise((resolve) => setTimeout(resolve, 10));
	const open = gateway.portico.openCalls();
	upstream.answer(answerWell);
	const answers = await Promise.all(
		protocolNames.map(async (protocol) => {
			const { path, fields } = askIn(protocol, protocol, false);
			const [plain = "{}"] = seeds[protocol].requests;
			const response = await gateway.ask(path, { ...JSON.parse(plain), ...fields });
			return response.ok ? [] : [`afterwards a good call to ${path} gets ${response.status} ${await response.text()}`];
		}),
	);
	return [...(open > 0 ? [`${open} calls are still open`] : []), ...answers.flat()];
};

/** Several connections wait at once for an answer that may never come; other tries share the upstream's script. */
const together: Readonly<Record<Side, number>> = { http: 8, bodies: 1, streams: 1 };

/** Makes the tries of these seeds; gives what is wrong, each with its seed. */
const attempt = async (side: Side, world: World, seeds: readonly number[]): Promise<readonly string[]> => {
	const tried = await Promise.all(
		seeds.map(async (seed) => {
			const wrong = await tries[side](world, new Chance(seed));
			return wrong === undefined ? [] : [`seed ${seed}: ${wrong}`];
		}),
	);
	return [...tried.flat(), ...world.fuzzed.takeWrongs().map((wrong) => `seed ${seeds.join(" or ")}: ${wrong}`)];
};

/** Goes on until the time is up and the fewest tries are made, there have been enough tries, or enough was found. */
export const fuzz = async (
	side: Side,
	{ seed, milliseconds, least = 0, most = Number.POSITIVE_INFINITY }: FuzzOptions,
): Promise<FuzzResult> => {
	const seeds = readSeeds();
	const found: string[] = [];
	const until = performance.now() + milliseconds;
	let count = 0;
	const hasTime = (): boolean => performance.now() < until || count < least;
	const goesOn = (): boolean => hasTime() && found.length < enough && count < most;
	while (goesOn()) {
		const world: World = { fuzzed: await startFuzzed(), seeds };
		const first = count;
		do {
			const batch = Array.from({ length: Math.min(together[side], most - count) }, (_, index) => seed + count + index);
			count += batch.length;
			found.push(...(await attempt(side, world, batch)));
		} while (goesOn() && count - first < triesPerGateway);
		found.push(...(await wrongAfterwards(world)));
		await world.fuzzed.stop();
	}
	return { tries: count, found };
};
