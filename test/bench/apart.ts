/** What the bench measures in processes of its own: starts, the books, callbacks. */
import { join } from "node:path";
import { asNumber, asRecord, parseJson } from "#core";
import { bodyOf, drive, type Party } from "./drive.ts";
import { type Started, startPortico, startRelay } from "./portico.ts";
import { runToItsEnd } from "./processes.ts";
import { row } from "./rows.ts";
import type { Row } from "./table.ts";

const middle = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** What is held against the relay's calls, for a busy machine makes both dearer. */
interface Share {
	readonly relay: Party;
	readonly most: number;
}

/** Microseconds of processor time, the middle of three rounds. */
const relayedCall = async (relay: Party): Promise<number> => {
	const rounds: number[] = [];
	for (let round = 0; round < 3; round++)
		rounds.push((await drive(relay, { body: bodyOf(), connections: 64 }, { amount: 8000 })).micros);
	return middle(rounds);
};

/** The middle of five starts, each in a new folder: tables made, a token issued, a call answered. */
export const startRows = async (
	upstream: string,
	{ ms, share, built }: { readonly ms?: number; readonly share?: Share; readonly built: boolean },
): Promise<Row[]> => {
	const gateway = (at: string): Promise<Started> => startPortico(at, { built });
	const parties = [startRelay, gateway].map((begin) => ({ begin, took: [] as number[], used: [] as number[] }));
	for (let index = 0; index < 5; index++)
		for (const { begin, took, used } of parties) {
			const started = await begin(upstream);
			took.push(started.firstAnswerMs);
			used.push(started.firstAnswerProcessorMs);
			await started.stop();
		}
	const [relay, portico] = parties.map(({ took, used }) => ({ took: middle(took), used: middle(used) }));
	if (!relay || !portico) throw new Error("there are two parties");
	const took = row("start to first answered call", "ms", [relay.took, portico.took], { by: "figure", most: ms });
	if (!share) return [took, { what: "processor time of that", unit: "ms", portico: portico.used, by: "figure" }];
	const beside = (10_000 * (await relayedCall(share.relay))) / 1000;
	return [
		took,
		row("processor time of that, beside 10,000 relayed calls", "ms", [beside, portico.used], { most: share.most }),
	];
};

const figuresOf = async (file: string, ...words: string[]): Promise<(name: string) => number> => {
	const record = asRecord(parseJson(await runToItsEnd(join(import.meta.dir, file), ["--json", ...words])));
	return (name) => asNumber(record[name]) ?? Number.NaN;
};

/** What the rules and the books cost by themselves, without HTTP. */
export const policyRows = async (most: number): Promise<Row[]> => {
	const figure = await figuresOf("policies.ts");
	const what = "policies, reservation, journal and ledger, a call";
	return [{ what, unit: "µs", portico: figure("policiesMicros"), by: "figure", most }];
};

/** The same in its short form, beside the relay's call. */
export const policyShareRows = async ({ relay, most }: Share): Promise<Row[]> => {
	const micros = await relayedCall(relay);
	const figure = await figuresOf("policies.ts", "--quick");
	const what = "policies, reservation, journal and ledger, beside a relayed call";
	return [row(what, "µs", [micros, figure("policiesMicros")], { most })];
};

/** Callbacks. Of their cost the relay's call is the measure. */
export const deliveryRows = async (
	relay: Party,
	count: number,
	limit: { readonly least?: number; readonly most?: number },
): Promise<Row[]> => {
	const micros = await relayedCall(relay);
	const figure = await figuresOf("deliveries.ts", String(count));
	return [
		{
			what: "callbacks delivered a second",
			unit: "/s",
			portico: figure("perSecond"),
			by: "figure",
			least: limit.least,
		},
		row("processor time a callback, beside a relayed call", "µs", [micros, figure("micros")], { most: limit.most }),
		{ what: "callbacks lost", unit: "", portico: figure("lost"), by: "figure", most: 0 },
	];
};
