/** What upstreams say they have: asked when a list of models is, kept for a while, and never waited for long. */
import { type Clock, describe, type ListedModel, type Log, type Upstream } from "#core";

/** How long a list is believed, and how long an upstream is left alone that did not give one. Milliseconds. */
const freshMs = 10 * 60_000;
const restMs = 60_000;
/** How long an upstream may take, and how long a list of models waits for one that has told nothing yet. Milliseconds. */
const patienceMs = 10_000;
const waitMs = 1000;
/** More than any provider has. */
const mostModels = 2000;

/** Names that can be asked for; anything else is left out. */
const isName = (name: string): boolean => /^[^\p{C}\s]{1,256}$/u.test(name);

const none: ReadonlyMap<string, ListedModel> = new Map();

interface Kept {
	models: ReadonlyMap<string, ListedModel> | undefined;
	/** When it is to be asked again. */
	until: number;
	asking: Promise<void> | undefined;
}

export class UpstreamLists {
	private readonly clock: Clock;
	private readonly log: Log;
	private readonly kept = new Map<string, Kept>();

	constructor(clock: Clock, log: Log) {
		this.clock = clock;
		this.log = log;
	}

	/** What is known of an upstream's models now. */
	known(upstream: string): ReadonlyMap<string, ListedModel> {
		return this.kept.get(upstream)?.models ?? none;
	}

	/** Asks those whose lists are old. Waits, and for a moment only, for those that have told nothing yet. */
	async refresh(upstreams: Iterable<Upstream>): Promise<void> {
		const firsts: Kept[] = [];
		for (const upstream of upstreams) {
			const kept = this.of(upstream.name);
			if (kept.asking === undefined && kept.until <= this.clock.monotonic()) kept.asking = this.ask(upstream, kept);
			if (kept.models === undefined) firsts.push(kept);
		}
		if (firsts.length === 0) return;
		const { promise, resolve } = Promise.withResolvers<void>();
		const cancel = this.clock.after(waitMs, resolve);
		await Promise.race([Promise.all(firsts.map(({ asking }) => asking)), promise]);
		cancel();
		for (const kept of firsts) kept.models ??= none;
	}

	private of(name: string): Kept {
		const kept = this.kept.get(name) ?? { models: undefined, until: Number.NEGATIVE_INFINITY, asking: undefined };
		this.kept.set(name, kept);
		return kept;
	}

	/** An upstream that fails keeps the list it gave before; one that never gave any is not waited for again. */
	private async ask(upstream: Upstream, kept: Kept): Promise<void> {
		const abort = new AbortController();
		const late = Promise.withResolvers<never>();
		const cancel = this.clock.after(patienceMs, () => {
			abort.abort();
			late.reject(new Error("it took too long"));
		});
		try {
			const models = await Promise.race([upstream.models?.(abort.signal) ?? [], late.promise]);
			const good = models.filter(({ name }) => isName(name)).slice(0, mostModels);
			kept.models = new Map(good.map((model) => [model.name, model]));
			kept.until = this.clock.monotonic() + freshMs;
		} catch (error) {
			this.log.warn("an upstream did not tell which models it has; patterns that lead to it list what is known", {
				upstream: upstream.name,
				reason: describe(error),
			});
			kept.models ??= none;
			kept.until = this.clock.monotonic() + restMs;
		} finally {
			cancel();
			kept.asking = undefined;
		}
	}
}
