/** What calls cost by their prices, reckoned in whole numbers and by nothing of Portico's: rates at random, and the sum. */

/** A generator of numbers that are the same at every run. */
let seed = 20_261_127;
export const random = (below: number): number => {
	seed = (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
	return ((seed ^ (seed >>> 12)) >>> 0) % below;
};
export const some = <T>(list: readonly T[]): T => list[random(list.length)] as T;

/** Some of a whole. */
export const part = (whole: number): number => (random(3) === 0 ? 0 : random(whole + 1));

/** Millionths of a dollar for a million tokens, or for one of what is no token. */
const kinds = [
	"input",
	"output",
	"cacheRead",
	"cacheReadAudio",
	"cacheWrite",
	"cacheWriteLong",
	"reasoning",
	"inputAudio",
	"inputImage",
	"inputVideo",
	"outputAudio",
	"outputImage",
	"outputVideo",
] as const;
type Kind = (typeof kinds)[number];
const fees = {
	perRequest: 1,
	perWebSearch: 1,
	perMinuteAudioIn: 60,
	perMillionCharacters: 1e6,
	perThousandSearches: 1000,
};
type Fee = keyof typeof fees;
export type Rates = Readonly<Record<Kind | Fee, number>>;

const someRates = (): Rates =>
	Object.fromEntries([
		...kinds.map((kind) => [kind, random(20_000_000)]),
		...Object.keys(fees).map((fee) => [fee, random(100_000)]),
	]) as Rates;
export const tables = Array.from({ length: 4 }, someRates);
const long = 5_000;
export const priceOf = (rates: Rates) => ({
	...Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, rate / 1e6])),
	longInput: [{ above: long, input: (rates.input * 2) / 1e6, output: (rates.output * 2) / 1e6 }],
	tiers: { priority: 1.75, flex: 0.5 },
});

/** What was used, in hundredths where it is no token. */
export interface Used {
	readonly tokens: Partial<Record<Kind, number>>;
	readonly fees?: Partial<Record<Fee, number>>;
	readonly tier?: string;
}
const quarters: Readonly<Record<string, bigint>> = { priority: 7n, flex: 2n };

export const costOf = ({ tokens, fees: used = {}, tier = "" }: Used, rates: Rates): number => {
	const inputKinds: readonly string[] = kinds.filter((kind) => /^(?:input|cache)/.test(kind));
	let length = 0;
	for (const [kind, count] of Object.entries(tokens)) if (inputKinds.includes(kind)) length += count;
	let sum = 0n;
	for (const [kind, count] of Object.entries(tokens)) {
		const twice = length > long && (kind === "input" || kind === "output") ? 2n : 1n;
		sum += BigInt(count) * BigInt(rates[kind as Kind]) * twice;
	}
	// Parts of a micro-dollar: a 24,000,000th is a whole number of all that is divided by here.
	let parts = sum * 24n * (quarters[tier] ?? 4n);
	const whole = 1_000_000n * 24n * 4n;
	for (const [fee, hundredths] of Object.entries({ perRequest: 100, ...used }))
		parts += (BigInt(hundredths) * BigInt(rates[fee as Fee]) * whole) / 100n / BigInt(fees[fee as Fee]);
	return Number((parts + whole - 1n) / whole);
};

/** One call: how it is asked, what the upstream answers, and what that used. */
export interface Scene {
	readonly path: string;
	readonly body: object | FormData;
	readonly answer: () => Response;
	readonly used: Used;
}
