/**
 * The life of a call: read → route → policies → guards → attempt ⟲ → respond → settle → record.
 *
 * Routing comes before the policies because prices, limits and model lists speak of the targets; a model that a token
 * may not use is answered like one that does not exist, so nothing is given away by the order.
 */

import type { Identified, RelayedCall } from "../contract/call.ts";
import { type Denial, deny, Fault, isDenial, isFault } from "../contract/fault.ts";
import { describe, type Log } from "../contract/log.ts";
import type { ModelCall } from "../contract/protocol.ts";
import type { Plan, Target } from "../contract/router.ts";
import { unknownModel } from "../errors/unknown-model.ts";
import { isPending } from "../wire/pending.ts";
import { AfterBursts } from "./after-bursts.ts";
import { type AttemptOptions, attempt } from "./attempt.ts";
import { clientGone, endingOf, lost, refusedEnd, refusedOutcome, shuttingDown, statusOf } from "./call-ending.ts";
import { CallWatch } from "./call-watch.ts";
import { turnEnds } from "./event-loop-share.ts";
import type { Guarded } from "./guarded.ts";
import { guardCall } from "./guards.ts";
import { LiveCall, type LiveCallOptions } from "./live-call.ts";
import { askPolicies } from "./permits.ts";
import type { Entry } from "./reading.ts";
import { type CallStart, record } from "./record.ts";
import { Refusals } from "./refusals.ts";
import type { Relay, RelayOptions } from "./relay-options.ts";
import { relayRoutes } from "./routes.ts";
import { tooLong } from "./stream-watch.ts";
import { firstRefusal } from "./token-rules.ts";
import { redacted } from "./upstream-words.ts";

const denialOf = (error: unknown, log: Log, callId: string): Denial => {
	if (isFault(error)) return error.denial;
	log.error("an attempt failed inside Portico", { callId, error: describe(error) });
	return deny(
		"upstream",
		"The upstream's answer could not be understood. Ask again, or ask the operator to look at the log.",
	);
};

const beginAttempt = (live: LiveCall, { targets, why, passedOver }: Plan, target: Target): void => {
	const index = targets.indexOf(target);
	live.attempts.begin(target, why?.[index] ?? "next", index === 0 ? passedOver : undefined);
};

export const createRelay = (options: RelayOptions): Relay => {
	const { router, clock, log, rulesOf, guards, concurrency } = options;
	const pace = { clock, patienceMs: options.bodyMs };
	const protocols = new Map(options.protocols.map((protocol) => [protocol.name, protocol]));
	const open = new Set<LiveCall>();
	const bursts = new AfterBursts(clock, () => open.size === 0, options.collectGarbage);
	const forget = (live: LiveCall): void => {
		open.delete(live);
		live.routed.held?.release();
		concurrency.leave(live.routed.token.id);
		bursts.ended();
	};
	const liveOptions: LiveCallOptions = {
		clock,
		log,
		recorders: options.recorders,
		tracer: options.tracer,
		costs: options.costs,
		ended: forget,
	};
	const leniently: AttemptOptions = {
		protocols,
		endpoints: new Map(options.endpoints.map((endpoint) => [endpoint.name, endpoint])),
		clock,
		limits: options.limits,
		openStreamBody: options.openStreamBody,
		strict: false,
		mayRepeat: (live) => router.mayFollow(lost, live.routed),
	};
	const strictly: AttemptOptions = { ...leniently, strict: true };

	const planFor = (model: Pick<ModelCall, "name" | "affinity">): Plan => {
		const plan = router.plan(model.name, model.affinity);
		if (!plan) throw new Fault(unknownModel(model.name));
		return plan;
	};

	/** What a failed attempt means, told to the router. Throws when nobody waits for another. */
	const failed = (live: LiveCall, target: Target, error: unknown): Denial => {
		if (live.left || live.stoppedFor) throw new Fault(clientGone, error);
		const denial = redacted(denialOf(error, log, live.routed.id), target);
		live.attempts.end(denial, error);
		router.report({ target, error: denial, said: live.attempts.last });
		return denial;
	};

	/** Tries the targets in order, as long as nothing has been sent and trying again is safe. */
	const attempts = async (live: LiveCall, plan: Plan): Promise<Response> => {
		let left = plan.targets.length;
		for (const target of plan.targets) {
			left--;
			beginAttempt(live, plan, target);
			try {
				const response = await attempt(live, target, plan.translation === "strict" ? strictly : leniently, left > 0);
				router.report({ target, firstByteMs: live.attempts.last?.firstByteMs });
				return response;
			} catch (error) {
				const denial = failed(live, target, error);
				if (left === 0 || live.partlyDone || !router.mayFollow(denial, live.routed)) throw new Fault(denial, error);
			}
		}
		throw new Fault(deny("upstream", "No upstream is left to try."));
	};

	const watch = new CallWatch({
		clock,
		running: open,
		totalMs: options.limits.totalMs,
		left(live) {
			live.leave();
			if (live.stream) live.stream.clientLeft();
			else if (live.permits.readOnMs === 0) live.stop();
			else live.limitTime(clock.after(live.permits.readOnMs, () => live.stop()));
		},
		tooLong(live) {
			live.stoppedFor = tooLong;
			live.stop();
		},
	});

	const run = async (live: LiveCall, plan: Plan, turnOver: Promise<void>): Promise<Response> => {
		open.add(live);
		bursts.began(live.routed.requestBytes);
		watch.begun();
		try {
			await turnOver;
			// Nobody is left to read it: nothing is sent, and nothing charged.
			if (live.routed.request.signal.aborted) {
				live.leave();
				throw new Fault(clientGone);
			}
			return await attempts(live, plan);
		} catch (error) {
			const denial = live.stoppedFor ?? denialOf(error, log, live.routed.id);
			live.end(endingOf(live), denial === clientGone ? 499 : statusOf(denial), denial);
			throw new Fault(denial, error);
		} finally {
			live.answers();
		}
	};

	/** What the permits hold is let go when a guard refuses. */
	const guard = async ({ routed, permits }: LiveCall): Promise<Guarded> => {
		const guarded = await guardCall(guards, routed, leniently.endpoints, log);
		if (!isDenial(guarded)) return guarded;
		permits.settle(refusedOutcome(guarded));
		throw new Fault(guarded);
	};

	/** The call once every policy and guard has let it through; throws the `Fault` of the one that has not. */
	const permitted = async (routed: RelayedCall): Promise<LiveCall> => {
		const asked = askPolicies({ rules: rulesOf(routed.token).check, call: routed, log });
		const permits = isPending(asked) ? await asked : asked;
		if (isDenial(permits)) throw new Fault(permits);
		const live = new LiveCall(routed, permits, liveOptions);
		if (guards.length > 0) live.guarded = await guard(live);
		routed.held?.carry();
		return live;
	};

	/** What needs no body is asked before it is read. */
	const refusedBefore = (call: Identified, protocol: string) =>
		firstRefusal(
			rulesOf(call.token).beforeBody,
			({ policy, setting }) => policy.beforeBody?.(call, setting, protocol),
			log,
		);

	const serve = async (entry: Entry, call: Identified): Promise<Response> => {
		const start: CallStart & { model?: ModelCall } = { call, token: call.token, protocol: entry.protocol };
		let entered = false;
		let live: LiveCall;
		let plan: Plan;
		let turnOver: Promise<void>;
		try {
			const waiting = concurrency.take(call.token.id, call.request.signal);
			if (waiting) await waiting;
			entered = true;
			const refusal = refusedBefore(call, entry.protocol);
			const denial = isPending(refusal) ? await refusal : refusal;
			if (denial) throw new Fault(denial);
			const found = await entry.read(call, (model) => {
				start.model = model;
			});
			plan = found.plan;
			// Before the policies: their wait for the journal ends with the same turn.
			turnOver = turnEnds();
			live = await permitted(found.routed);
		} catch (error) {
			if (entered) concurrency.leave(call.token.id);
			if (isFault(error)) record(options, start, refusedEnd(error.denial));
			throw error;
		}
		return await run(live, plan, turnOver);
	};

	const reading = { rulesOf, router, pace, bodyLimitBytes: options.bodyLimitBytes, planFor };
	const routes = relayRoutes(options.protocols, options.endpoints, reading, serve);

	return {
		routes,
		open,
		get waiting() {
			return concurrency.waiting;
		},
		refusals: new Refusals(liveOptions),
		shutDown() {
			for (const live of [...open]) {
				if (live.stream) live.stream.shutDown(shuttingDown);
				else {
					live.stoppedFor = shuttingDown;
					live.stop();
				}
			}
		},
	};
};
