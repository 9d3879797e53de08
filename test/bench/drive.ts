/** Drives parties with calls, in turns, and says what they spent. */
import autocannon from "autocannon";
import { processorMicros } from "./processes.ts";

/** Something that answers calls. */
export interface Party {
	readonly name: string;
	/** Undefined for one that runs elsewhere: its processor time is not known. */
	readonly pid: number | undefined;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
}

export interface Load {
	readonly body: string;
	readonly connections: number;
	readonly path?: string;
}

export interface Figures {
	/** Microseconds of processor time a call. */
	readonly micros: number;
	readonly perSecond: number;
}

export interface Pace {
	/** How many turns each party has. */
	readonly rounds: number;
	/** How long each turn lasts. */
	readonly length: Length;
	/** Both at once: what else the machine does then meets both alike, but neither can show how many calls it could answer. */
	readonly together?: boolean;
}

/** Seconds, or so many calls: a busy machine makes fewer of them in a time, and code that has run less costs more. */
export type Length = { readonly duration: number } | { readonly amount: number };

export const chatPath = "/v1/chat/completions";

/** A request body for the bench's model. */
export const bodyOf = (extra: object = {}): string =>
	JSON.stringify({ model: "bench", messages: [{ role: "user", content: "Say hello." }], ...extra });

const send = async (party: Party, load: Load, length: Length) => {
	const result = await autocannon({
		url: party.url + (load.path ?? chatPath),
		method: "POST",
		headers: { "content-type": "application/json", ...party.headers },
		body: load.body,
		connections: load.connections,
		timeout: 120,
		...length,
	});
	const failed = result.errors + result.non2xx;
	if (failed > 0) throw new Error(`${failed} calls to ${party.name} failed (${load.path ?? chatPath})`);
	return result;
};

/** So many calls to their end. Throws when one failed. */
export const makeCalls = async (party: Party, load: Load, amount: number): Promise<void> =>
	void (await send(party, load, { amount }));

/** So many calls that the runtime has made of the code what it can. */
export const warm = (party: Party): Promise<void> => makeCalls(party, { body: bodyOf(), connections: 64 }, 20_000);

/** One turn. Throws when a call failed. */
export const drive = async (party: Party, load: Load, length: Length): Promise<Figures> => {
	const before = party.pid === undefined ? Number.NaN : processorMicros(party.pid);
	const result = await send(party, load, length);
	const used = party.pid === undefined ? Number.NaN : processorMicros(party.pid) - before;
	return { micros: used / result["2xx"], perSecond: result["2xx"] / result.duration };
};

/** What else the machine does only ever adds to a cost. */
const best = (figures: readonly Figures[]): Figures => ({
	micros: Math.min(...figures.map(({ micros }) => micros)),
	perSecond: Math.max(...figures.map(({ perSecond }) => perSecond)),
});

/** The best of several turns for each of two parties, who take them one after the other unless they are driven together. */
export const compare = async (
	[one, other]: readonly [Party, Party],
	[oneLoad, otherLoad]: readonly [Load, Load],
	{ length, rounds, together = false }: Pace,
): Promise<readonly [Figures, Figures]> => {
	const figures: [Figures[], Figures[]] = [[], []];
	for (let round = 0; round < rounds; round++) {
		const first = drive(one, oneLoad, length);
		if (!together) await first;
		figures[1].push(await drive(other, otherLoad, length));
		figures[0].push(await first);
	}
	return [best(figures[0]), best(figures[1])];
};
