/** The limits of one token, or of one model, that all nodes of a database keep together. */
import type { Kept } from "#core";
import { type Limits, type MakeMeter, type Meter, type Obstacle, OwnMeter, partOf } from "./meter.ts";
import { idleMs, type Share } from "./share.ts";
import type { ShareSync } from "./share-sync.ts";

/** Longer than another node keeps what no call wants; and as long as the end of a call takes to be told. Milliseconds. */
const untilIdleGivenBack = idleMs + 150;
const untilEndIsTold = 50;
/** What one call finds others may take before it; after so many questions it is told to come back. */
const mostQuestions = 20;

/** What all meters of a node have, whatever is reloaded. */
export interface Together extends Kept {
	readonly sync: ShareSync;
	/** How many nodes there are: each lets its part through while the database is away. Undefined: none then lets anything through. */
	nodes: number | undefined;
}

interface Part {
	readonly what: keyof Limits;
	readonly share: Share;
	/** One wait at a time for what other nodes may give back. */
	pausing: Promise<void> | undefined;
}

export class SharedMeter implements Meter {
	readonly limits: Limits;
	readonly requests: Share | undefined;
	readonly tokens: Share | undefined;
	private readonly concurrent: Share | undefined;
	private readonly parts: readonly Part[];
	private readonly sync: ShareSync;
	private readonly together: Together;
	/** By what calls go while the database is away. */
	private alone: OwnMeter | undefined;
	private calls = 0;

	/** `before`: what is held under limits that have changed is held under the new ones. */
	constructor(together: Together, name: string, limits: Limits, before: SharedMeter | undefined) {
		const { sync } = together;
		this.together = together;
		this.sync = sync;
		this.limits = limits;
		const share = (kind: string, limit: number | undefined, fills: boolean, known: Share | undefined) => {
			if (limit === undefined) return undefined;
			if (known) known.limit = limit;
			return known ?? sync.share({ name: `${name} ${kind}`, limit, fills });
		};
		this.concurrent = share("concurrent", limits.concurrent, false, before?.concurrent);
		this.requests = share("requests", limits.requestsPerMinute, true, before?.requests);
		this.tokens = share("tokens", limits.tokensPerMinute, true, before?.tokens);
		const part = (what: keyof Limits, found: Share | undefined): Part[] =>
			found ? [{ what, share: found, pausing: undefined }] : [];
		this.parts = [
			...part("concurrent", this.concurrent),
			...part("requestsPerMinute", this.requests),
			...part("tokensPerMinute", this.tokens),
		];
	}

	obstacle(tokens: number): Obstacle | undefined {
		const now = this.sync.now();
		let found: Obstacle | undefined;
		for (const part of this.parts) {
			const { what, share } = part;
			const needed = neededOf(what, tokens);
			if (share.has(needed, now)) continue;
			const waitMs = share.waitMs(needed, now.monotonic);
			// A call may have ended anywhere a moment ago; a minute's part is not there before its time.
			if (share.fills && share.isDry(needed, now) && !part.pausing) return { what, waitMs };
			found ??= { what, waitMs, unsure: true };
		}
		const { awaySince } = this.sync;
		const { nodes } = this.together;
		const goesOn = awaySince !== undefined && nodes !== undefined;
		return found && goesOn ? this.obstacleAlone(nodes, awaySince, tokens, now.monotonic) : found;
	}

	/** What stands in the way of this node's part, which begins with nothing: what was there others may have had. */
	private obstacleAlone(nodes: number, since: number, tokens: number, now: number): Obstacle | undefined {
		const { concurrent, ...byMinute } = partOf(this.limits, nodes);
		if (concurrent !== undefined && (this.concurrent?.running ?? 0) >= concurrent)
			return { what: "concurrent", waitMs: 1_000 };
		if (!this.alone) {
			this.alone = new OwnMeter(byMinute, since);
			for (const bucket of [this.alone.requests, this.alone.tokens]) bucket?.take(bucket.limit, since);
		}
		return this.alone.obstacle(tokens, now);
	}

	async obtain(tokens: number): Promise<Obstacle | undefined> {
		const obstacles = await Promise.all(this.parts.map((part) => this.obtainOf(part, neededOf(part.what, tokens))));
		return obstacles.find((obstacle) => obstacle !== undefined);
	}

	private async obtainOf(part: Part, needed: number): Promise<Obstacle | undefined> {
		const { what, share } = part;
		let waited = false;
		for (let questions = 0; questions < mostQuestions; questions++) {
			const now = this.sync.now();
			if (share.has(needed, now)) return undefined;
			if (share.isDry(needed, now)) {
				const pause = waited ? undefined : this.pause(part);
				if (!pause) break;
				waited = true;
				await pause;
			}
			await this.sync.ask(share, needed);
		}
		return { what, waitMs: share.waitMs(needed, this.sync.now().monotonic) };
	}

	/** For as long as other nodes may take to give something back; undefined when there is nothing to wait for. */
	private pause(part: Part): Promise<void> | undefined {
		const { share } = part;
		const length = share.elsewhere > 0 ? untilIdleGivenBack : share.fills ? 0 : untilEndIsTold;
		if (length > 0)
			part.pausing ??= this.sync.pause(length).then(() => {
				part.pausing = undefined;
			});
		return part.pausing;
	}

	begin(tokens: number): void {
		const now = this.sync.now();
		this.calls++;
		if (this.sync.awaySince === undefined) this.alone = undefined;
		// What passes beyond the shares is told to the database when it is back.
		else if (!this.parts.every(({ what, share }) => share.has(neededOf(what, tokens), now)))
			this.alone?.begin(tokens, now.monotonic);
		for (const { what, share } of this.parts) {
			const soon = share.take(what === "tokensPerMinute" ? tokens : 1, now);
			if (soon) this.sync.soon(share);
			else this.sync.keep(share);
		}
	}

	end(guessed: number, used: number, sent: boolean): void {
		const now = this.sync.now();
		this.calls--;
		const give = (share: Share | undefined, amount: number): void => {
			if (share?.give(amount, now)) this.sync.soon(share);
			else if (share) this.sync.keep(share);
		};
		give(this.concurrent, 1);
		if (!sent) give(this.requests, 1);
		const { tokens, alone } = this;
		const more = (sent ? used : 0) - guessed;
		alone?.tokens?.take(more, now.monotonic);
		if (more < 0) give(tokens, -more);
		else if (more > 0 && tokens?.take(more, now)) this.sync.soon(tokens);
	}

	idle(): boolean {
		return this.calls === 0 && this.parts.every(({ share }) => share.settled);
	}
}

/** A call of no tokens waits too while others have overdrawn. */
const neededOf = (what: keyof Limits, tokens: number): number => (what === "tokensPerMinute" ? Math.max(1, tokens) : 1);

export const sharedMeter =
	(together: Together): MakeMeter =>
	(name, limits, _now, before) =>
		new SharedMeter(together, name, limits, before instanceof SharedMeter ? before : undefined);
