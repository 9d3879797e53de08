/** Keeps a node's shares and the database in step: one question at a time for all shares that have something to ask or to tell. */
import { asNumber, asRecord, asText, type Clock, describe, type Log, type Store } from "#core";
import { type Moment, Share } from "./share.ts";
import { type Answer, type BucketKind, type Question, Statements } from "./statements.ts";

/** How often shares are looked at while there are any, and after a failure. Milliseconds. */
const lookMs = 100;
const retryMs = 500;
/** How many shares go in one batch. */
const mostTogether = 50;

interface ShareSyncOptions {
	readonly store: Pick<Store, "write">;
	readonly clock: Clock;
	readonly log: Log;
	readonly statements?: Statements;
}

type Asker = PromiseWithResolvers<void>;

interface Asked {
	readonly share: Share;
	readonly question: Question;
	readonly asker: Asker | undefined;
}

const decodeAnswer = (row: unknown): Answer => {
	const { granted, held, level, elsewhere } = asRecord(row);
	return {
		granted: asNumber(granted) ?? 0,
		held: asNumber(held) ?? 0,
		level: asNumber(level),
		elsewhere: asNumber(elsewhere) ?? 0,
	};
};

export class ShareSync {
	/** This process, among all that share the database. */
	readonly holder = `node_${crypto.randomUUID()}`;
	private readonly store: Pick<Store, "write">;
	private readonly clock: Clock;
	private readonly log: Log;
	private readonly statements: Statements;
	/** Shares with something to ask or to tell, and who waits for the answer. */
	private pending = new Map<Share, Asker | undefined>();
	/** Shares that hold something, or that the database believes to. */
	private readonly live = new Set<Share>();
	private running: Promise<void> | undefined;
	private cancel: (() => void) | undefined;
	private failedAt: number | undefined;
	private serial = 0;

	constructor({ store, clock, log, statements = new Statements() }: ShareSyncOptions) {
		this.store = store;
		this.clock = clock;
		this.log = log;
		this.statements = statements;
	}

	now(): Moment {
		return { monotonic: this.clock.monotonic(), wall: this.clock.now() };
	}

	/** Since when the database cannot be asked, monotonic milliseconds; undefined while it can. */
	get awaySince(): number | undefined {
		return this.failedAt;
	}

	share(bucket: BucketKind): Share {
		return new Share(bucket, this.now());
	}

	/** A call waits for so much: resolves when the database has been asked. Rejects when it cannot be reached. */
	ask(share: Share, amount: number): Promise<void> {
		share.want(amount, this.now());
		const asker = this.pending.get(share) ?? Promise.withResolvers<void>();
		this.pending.set(share, asker);
		this.run();
		return asker.promise;
	}

	/** Asks and tells without anybody waiting. */
	soon(share: Share): void {
		this.keep(share);
		if (this.failedAt !== undefined || this.pending.has(share)) return;
		this.pending.set(share, undefined);
		this.run();
	}

	/** Looks after a share from now on. */
	keep(share: Share): void {
		this.live.add(share);
		this.cancel ??= this.clock.after(this.pace, () => this.tend());
	}

	/** Resolves after a while in which other nodes may have given something back. */
	pause(milliseconds: number): Promise<void> {
		return new Promise((resolve) => void this.clock.after(milliseconds, resolve));
	}

	private get pace(): number {
		return this.failedAt === undefined ? lookMs : retryMs;
	}

	private run(): void {
		this.running ??= this.rounds().finally(() => {
			this.running = undefined;
		});
	}

	private async rounds(): Promise<void> {
		// Whatever this turn still asks goes with the first.
		for (await Promise.resolve(); this.pending.size > 0; ) await this.round();
	}

	private async round(): Promise<void> {
		const asked = this.now();
		const together: Asked[] = [];
		for (const [share, asker] of this.pending) {
			if (together.length === mostTogether) break;
			this.pending.delete(share);
			together.push({ share, question: share.question(++this.serial, asked), asker });
		}
		try {
			const each = together.map(({ share, question }) => this.statements.ask(share, this.holder, question));
			const written = await this.store.write(each.flat());
			let at = 0;
			for (const [index, { share, question, asker }] of together.entries()) {
				at += each[index]?.length ?? 0;
				share.heard(question, decodeAnswer(written[at - 1]?.rows[0]), asked, this.now());
				this.keep(share);
				asker?.resolve();
			}
			if (this.failedAt !== undefined) this.log.info("the database can be asked for shares of rate limits again");
			this.failedAt = undefined;
		} catch (error) {
			this.failed(together, error);
		}
	}

	private failed(together: readonly Asked[], error: unknown): void {
		for (const { share, question, asker } of together) {
			share.failed(question);
			this.keep(share);
			asker?.reject(error);
		}
		if (this.failedAt === undefined)
			this.log.error(
				"the database cannot be asked for shares of rate limits; calls that need one go by this node's part where nodes is set, and are refused where it is not",
				{
					error: describe(error),
					code: asText(asRecord(error)["code"]),
				},
			);
		this.failedAt ??= this.clock.monotonic();
	}

	private tend(): void {
		this.cancel = undefined;
		const now = this.now();
		for (const share of this.live) {
			if (share.settled) this.live.delete(share);
			else if (share.isDue(now) && !this.pending.has(share)) this.pending.set(share, undefined);
		}
		if (this.pending.size > 0) this.run();
		if (this.live.size > 0) this.cancel = this.clock.after(this.pace, () => this.tend());
	}

	/** Gives everything back; what cannot be told is given up by the database soon after. */
	async close(): Promise<void> {
		await this.running;
		this.cancel?.();
		const together = [...this.live].map((share) => {
			share.rest();
			return { share, question: share.question(++this.serial, this.now()) };
		});
		this.live.clear();
		const statements = together.flatMap(({ share, question }) => this.statements.ask(share, this.holder, question));
		if (statements.length === 0) return;
		await this.store.write(statements).catch((error: unknown) =>
			this.log.warn("shares of rate limits could not be given back; they run out by themselves", {
				error: describe(error),
			}),
		);
	}
}
