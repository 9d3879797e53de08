/** The rule: a call passes when neither its token nor its model is at a limit. */
import {
	bytesPerToken,
	type Clock,
	type Denial,
	deny,
	describe,
	type Log,
	type Outcome,
	type Permit,
	type Policy,
	type Routed,
} from "#core";
import { limitHeaders } from "./headers.ts";
import { type Limits, type Meter, type Meters, type Obstacle, partOf } from "./meter.ts";
import { limitInWords, type ModelLimits, rateLimit } from "./setting.ts";

interface RateOptions {
	readonly meters: () => Meters;
	readonly clock: Clock;
	readonly log: Log;
	modelLimits(model: string): ModelLimits | undefined;
	/** How many nodes share the work and nothing else: each lets its part through. */
	readonly nodes: number;
}

/** What is obtained may be taken by a call that came later; after so many times a call is told to come back. */
const mostTries = 10;

const unreachable: Denial = deny(
	"overloaded",
	"Portico cannot reach the database by which its nodes keep this limit together, so it cannot let the call through. Ask again soon.",
	{ retryAfterSeconds: 1 },
);

/** Clients honour no more than a minute, and some any length, so nothing longer is said. */
const longestRetrySeconds = 60;

interface Metered {
	readonly meter: Meter;
	readonly whose: "this token" | "this model";
	/** The limits as they were set, before they were divided among nodes. */
	readonly limits: Limits;
}

const none: readonly Metered[] = [];

const refusal = ({ whose, limits }: Metered, { what, waitMs }: Obstacle, headers: Permit["headers"]): Denial => {
	const seconds = Math.min(longestRetrySeconds, Math.max(1, Math.ceil(waitMs / 1000)));
	const message = `The limit of ${whose} is reached: ${limitInWords(what, limits[what] ?? 0)}. Please try again in ${seconds}s.`;
	return deny("rate_limited", message, { retryAfterSeconds: seconds, ...(headers && { headers }) });
};

/** A call that counts against these limits, and what was guessed of its tokens. */
class RatePermit implements Permit {
	readonly headers?: Readonly<Record<string, string>>;
	private readonly metered: readonly Metered[];
	private readonly guessed: number;
	private readonly clock: Clock;
	/** A count is a request also where Portico estimates it and no upstream is asked. */
	private readonly counts: boolean;

	constructor({ model, protocol }: Routed, metered: readonly Metered[], guessed: number, clock: Clock) {
		const first = metered[0];
		if (first) this.headers = limitHeaders(protocol, first.meter, clock);
		this.metered = metered;
		this.guessed = guessed;
		this.clock = clock;
		this.counts = model.operation === "count_tokens";
	}

	settle({ sent, usage }: Outcome): undefined {
		const now = this.clock.monotonic();
		const used = usage ? usage.input.total + usage.output.total : 0;
		for (const { meter } of this.metered) meter.end(this.guessed, used, sent || this.counts, now);
	}
}

const isSure = ([, { unsure }]: readonly [Metered, Obstacle], triesLeft: number): boolean => !unsure || triesLeft === 1;

export const ratePolicy = ({ meters, clock, log, modelLimits, nodes }: RateOptions): Policy<Limits> => {
	const parts = new WeakMap<Limits, Limits>();
	const part = (limits: Limits): Limits => {
		const known = parts.get(limits) ?? partOf(limits, nodes);
		parts.set(limits, known);
		return known;
	};

	const metered = (name: string, whose: Metered["whose"], limits: Limits, now: number): Metered => ({
		meter: meters().of(name, part(limits), now),
		whose,
		limits,
	});

	const metersOf = (call: Routed, limits: Limits | undefined): readonly Metered[] => {
		const model = modelLimits(call.model.name);
		if (!limits && !model) return none;
		const now = clock.monotonic();
		const found: Metered[] = [];
		if (limits) found.push(metered(`token ${call.token.id}`, "this token", limits, now));
		if (model) found.push(metered(`model ${model.name}`, "this model", model.limits, now));
		return found;
	};

	const refuse = (one: Metered, obstacle: Obstacle, protocol: string): Denial =>
		refusal(one, obstacle, limitHeaders(protocol, one.meter, clock));

	/** What stands in the way of any of them: what is sure before what has to be found out. */
	const obstacleOf = (metered: readonly Metered[], tokens: number): [Metered, Obstacle] | undefined => {
		const now = clock.monotonic();
		let unsure: [Metered, Obstacle] | undefined;
		for (const one of metered) {
			const obstacle = one.meter.obstacle(tokens, now);
			if (obstacle && !obstacle.unsure) return [one, obstacle];
			if (obstacle) unsure ??= [one, obstacle];
		}
		return unsure;
	};

	/** What was found not to be had; undefined where the database cannot be asked. */
	const obtainAll = async (
		metered: readonly Metered[],
		tokens: number,
	): Promise<readonly [Metered, Obstacle][] | undefined> => {
		try {
			const asked = await Promise.all(
				metered.map(async (one): Promise<[Metered, Obstacle][]> => {
					const obstacle = await one.meter.obtain?.(tokens);
					return obstacle ? [[one, obstacle]] : [];
				}),
			);
			return asked.flat();
		} catch (error) {
			log.warn("a call was refused because its share of a limit could not be asked for", {
				error: describe(error),
			});
			return undefined;
		}
	};

	/** Asks until it is sure; `go` is called before anything is awaited after nothing stood in the way. */
	const findOut = async <Gone>(
		metered: readonly Metered[],
		tokens: number,
		protocol: string,
		go: () => Gone,
	): Promise<Gone | Denial> => {
		for (let left = mostTries; ; left--) {
			const missing = await obtainAll(metered, tokens);
			const found = obstacleOf(metered, tokens);
			if (!found) return go();
			const [sure = isSure(found, left) ? found : undefined] = missing ?? [];
			if (sure) return refuse(...sure, protocol);
			if (!missing) return unreachable;
		}
	};

	const begin = (call: Routed, metered: readonly Metered[], guessed: number): Permit => {
		const now = clock.monotonic();
		for (const { meter } of metered) meter.begin(guessed, now);
		return new RatePermit(call, metered, guessed, clock);
	};

	const checkMeters = (call: Routed, metered: readonly Metered[]): Permit | Denial | Promise<Permit | Denial> => {
		const guessed = call.model.operation === "count_tokens" ? 0 : Math.ceil(call.requestBytes / bytesPerToken);
		const found = obstacleOf(metered, guessed);
		if (!found) return begin(call, metered, guessed);
		return found[1].unsure ? beginOnceKnown(call, metered, guessed) : refuse(...found, call.protocol);
	};

	const beginOnceKnown = (call: Routed, metered: readonly Metered[], guessed: number): Promise<Permit | Denial> =>
		findOut(metered, guessed, call.protocol, () => begin(call, metered, guessed));

	return {
		name: "rate-limit",
		setting: rateLimit,
		beforeBody(call, limits, protocol) {
			if (!limits) return undefined;
			const now = clock.monotonic();
			const one = metered(`token ${call.token.id}`, "this token", limits, now);
			const obstacle = one.meter.obstacle(0, now);
			if (!obstacle) return undefined;
			return obstacle.unsure ? findOut([one], 1, protocol, () => undefined) : refuse(one, obstacle, protocol);
		},
		check(call, limits) {
			const metered = metersOf(call, limits);
			return metered.length === 0 ? undefined : checkMeters(call, metered);
		},
	};
};
