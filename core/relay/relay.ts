/**
 * The life of a call: read → route → policies → guards → attempt ⟲ → respond → settle → record.
 *
 * Routing comes before the policies because prices, limits and model lists speak of the targets; a model that a token
 * may not use is answered like one that does not exist, so nothing is given away by the order.
 */

import type { Identified } from "../contract/call.ts";
import { type Denial, deny, Fault, isDenial, isFault } from "../contract/fault.ts";
import type { ModelCall } from "../contract/model-ask.ts";
import type { Route } from "../contract/route.ts";
import type { Plan } from "../contract/router.ts";
import type { Target } from "../contract/upstream.ts";
import { clientGone, lost, shuttingDown, tooLong } from "../errors/no-answer.ts";
import { unknownModel } from "../errors/unknown-model.ts";
import { isPending } from "../wire/pending.ts";
import { AfterBursts } from "./after-bursts.ts";
import { roomToBegin, turnEnds } from "./answer/event-loop-share.ts";
import { type AttemptOptions, attempt } from "./attempt/attempt.ts";
import { CallWatch } from "./call/call-watch.ts";
import type { Guarded } from "./call/guarded.ts";
import { LiveCall, type LiveCallOptions } from "./call/live-call.ts";
import type { CallStart } from "./call/record.ts";
import { redacted } from "./call/upstream-words.ts";
import { endingOf, whyFailed } from "./call/why-ended.ts";
import { guardCall } from "./guards/guards.ts";
import { askPolicies, refusedOutcome } from "./policies/permits.ts";
import { firstRefusal, type Rule } from "./policies/token-rules.ts";
import { untilGone } from "./policies/until-gone.ts";
import type { Entry, ReadingOptions } from "./reading/reading.ts";
import type { RelayOptions } from "./relay-options.ts";
import { relayRoutes } from "./routes/routes.ts";

/** How long a call that was told to stop is waited for. */
const unheededMs = 10_000;

const refuseUnknown = (model: string): never => {
	throw new Fault(unknownModel(model));
};

/** Throws where a router in the place of ours answered what its type does not allow: a promise, nobody to ask. */
const refuseUnsound = (model: string): never => {
	throw new TypeError(
		`the router's plan for "${model.slice(0, 128)}" is not { targets: [{ upstream, model, capabilities }, …], translation }, or is a promise of it`,
	);
};

const beginAttempt = (live: LiveCall, { targets, why, passedOver }: Plan, target: Target): void =>
	live.attempts.begin(target, why?.[targets.indexOf(target)] ?? "next", target === targets[0] ? passedOver : undefined);

/** What is known of a call when it begins; its model, once that has been read. */
interface Start extends CallStart {
	readonly call: Identified;
	model?: ModelCall;
}

const beforeBody = ({ policy, setting }: Rule, { call, protocol }: Start) =>
	policy.beforeBody?.(call, setting, protocol);

export class Relay {
	/** The model routes of every protocol. */
	readonly routes: readonly Route[];
	/** Calls that are running. */
	readonly open = new Set<LiveCall>();
	private readonly options: RelayOptions;
	private readonly bursts: AfterBursts;
	private readonly watch: CallWatch;
	private readonly liveOptions: LiveCallOptions;
	private readonly leniently: AttemptOptions;
	private readonly strictly: AttemptOptions;

	constructor(options: RelayOptions) {
		const { router, clock, rulesOf, protocols, endpoints, limits, openStreamBody, bodyLimitBytes } = options;
		this.options = options;
		this.bursts = new AfterBursts(clock, () => this.open.size === 0, options.collectGarbage);
		this.liveOptions = { ...options.recording, costs: options.costs, ended: (live) => this.forget(live) };
		this.leniently = {
			protocols: new Map(protocols.map((protocol) => [protocol.name, protocol])),
			endpoints: new Map(endpoints.map((endpoint) => [endpoint.name, endpoint])),
			clock,
			limits,
			openStreamBody,
			strict: false,
			mayRepeat: (live) => router.mayFollow(lost, live.routed),
		};
		this.strictly = { ...this.leniently, strict: true };
		this.watch = new CallWatch({
			clock,
			running: this.open,
			totalMs: limits.totalMs,
			left: (live) => this.left(live),
			tooLong: (live) => this.stop(live, tooLong),
		});
		const pace = { clock, patienceMs: options.bodyMs };
		const planFor: ReadingOptions["planFor"] = (call) => {
			const { name, affinity } = call.model;
			const plan = router.plan(name, affinity, call) ?? refuseUnknown(name);
			const first = plan.targets?.[0];
			return typeof first?.upstream?.send === "function" && first.capabilities ? plan : refuseUnsound(name);
		};
		const reading = { rulesOf, router, pace, bodyLimitBytes, planFor };
		this.routes = relayRoutes(protocols, endpoints, reading, (entry, call) => this.serve(entry, call));
	}

	/** Calls that wait for others to end. */
	get waiting(): number {
		return this.options.concurrency.waiting;
	}

	/** Ends every call that runs; an open stream with an error of its own protocol. */
	shutDown(): void {
		for (const live of [...this.open]) {
			if (live.stream) live.stream.shutDown(shuttingDown);
			else live.stop(shuttingDown);
		}
	}

	/** The phases in their order, up to the first attempt. */
	private async serve(entry: Entry, call: Identified): Promise<Response> {
		const { guards, concurrency, log, rulesOf, secondLook } = this.options;
		const { token, caller } = call;
		const start: Start = { call, token, protocol: entry.protocol };
		const rules = rulesOf(token);
		let entered = false;
		let live: LiveCall;
		let plan: Plan;
		let turnOver: Promise<void>;
		const room = roomToBegin(call.request);
		if (room) await room;
		try {
			const waiting = concurrency.take(caller, call.request.signal);
			if (waiting) await waiting;
			entered = true;
			// What needs no body is asked before it is read.
			const refusal = firstRefusal(rules.beforeBody, beforeBody, start, log);
			const denial = isPending(refusal) ? await untilGone(refusal, call.request) : refusal;
			if (denial) throw new Fault(denial);
			const body = await entry.body(call);
			const outlasted = secondLook(call);
			if (outlasted) await outlasted;
			const read = entry.read(call, body, start);
			const found = isPending(read) ? await read : read;
			plan = found.plan;
			// Before the policies: their wait for the journal ends with the same turn.
			turnOver = turnEnds();
			const asked = askPolicies({ rules: (outlasted ? rulesOf(call.token) : rules).check, call: found.routed, log });
			const permits = isPending(asked) ? await asked : asked;
			if (isDenial(permits)) throw new Fault(permits);
			live = new LiveCall(found.routed, permits, this.liveOptions);
			if (guards.length > 0) live.guarded = await this.guard(live);
		} catch (error) {
			if (entered) concurrency.leave(caller);
			if (isFault(error)) this.options.refusals.addRead({ ...start, operation: entry.operation(call) }, error.denial);
			throw error;
		}
		return await this.run(live, plan, turnOver);
	}

	/** What the permits hold is let go when a guard refuses. */
	private async guard({ routed, permits }: LiveCall): Promise<Guarded> {
		const { guards, log } = this.options;
		const asked = guardCall(guards, routed, this.leniently.endpoints, log);
		const guarded = await untilGone(asked, routed.request).catch(() => clientGone);
		if (!isDenial(guarded)) return guarded;
		permits.settle(refusedOutcome(guarded));
		throw new Fault(guarded);
	}

	/** Tries the targets in order, as long as nothing has been sent and trying again is safe. */
	private async run(live: LiveCall, plan: Plan, turnOver: Promise<void>): Promise<Response> {
		const { router } = this.options;
		const { held } = live.routed;
		this.open.add(live);
		if (held) held.carried = true;
		this.watch.begun();
		try {
			await turnOver;
			// Nobody is left to read it: nothing is sent, and nothing charged.
			if (live.routed.request.signal.aborted) {
				live.leave();
				throw new Fault(clientGone);
			}
			const options = plan.translation === "strict" ? this.strictly : this.leniently;
			let left = plan.targets.length;
			for (const target of plan.targets) {
				left--;
				beginAttempt(live, plan, target);
				try {
					const response = await attempt(live, target, options, left > 0);
					const { status, firstByteMs } = live.attempts.last ?? {};
					// Of what was answered here the upstream knows nothing.
					if (live.stream) live.attempts.tellOfStream(router, live.routed);
					else if (status !== undefined) router.report({ target, firstByteMs, call: live.routed });
					return response;
				} catch (error) {
					this.failed(live, target, error, left > 0);
				}
			}
			throw new Fault(deny("upstream", "No upstream is left to try."));
		} catch (error) {
			const denial = live.stoppedFor ?? whyFailed(live, error);
			this.endAs(live, denial);
			throw new Fault(denial, error);
		} finally {
			live.answers();
		}
	}

	private endAs(live: LiveCall, denial: Denial): void {
		live.end(endingOf(live), this.liveOptions.statusOf(live.routed, denial), denial);
	}

	/** Tells the router what a failed attempt means. Throws when nobody waits for another, or none may follow. */
	private failed(live: LiveCall, target: Target, error: unknown, hasNext: boolean): void {
		const { router } = this.options;
		if (live.left || live.stoppedFor) throw new Fault(clientGone, error);
		const denial = redacted(whyFailed(live, error), target);
		live.attempts.end(denial, error);
		router.report({ target, error: denial, said: live.attempts.last, call: live.routed });
		if (!hasNext || live.partlyDone || !router.mayFollow(denial, live.routed)) throw new Fault(denial, error);
		live.givesWay();
	}

	private left(live: LiveCall): void {
		const { readOnMs } = live.permits;
		live.leave();
		if (live.stream) live.stream.left();
		else if (readOnMs === 0) this.stop(live);
		else live.limitTime(this.options.clock.after(readOnMs, () => this.stop(live)));
	}

	/** What a plugin does may go on for ever, told to stop or not: what the call holds is not held for it. */
	private stop(live: LiveCall, why?: Denial): void {
		live.stop(why);
		const unheeded = (): void => this.endAs(live, live.stoppedFor ?? clientGone);
		live.limitTime(this.options.clock.after(unheededMs, unheeded));
	}

	private forget(live: LiveCall): void {
		const { held, caller, requestBytes } = live.routed;
		const { silence } = live.attempts;
		if (silence) this.options.router.report({ ...silence, call: live.routed });
		this.open.delete(live);
		held?.release();
		this.options.concurrency.leave(caller);
		this.bursts.ended(requestBytes);
	}
}
