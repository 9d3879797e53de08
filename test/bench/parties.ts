/** Who takes part in a run, each started and made warm when it is first asked for. */
import { join } from "node:path";
import { type Party, warm } from "./drive.ts";
import { type Started, startPortico, startRelay } from "./portico.ts";
import { type Measured, start } from "./processes.ts";
import type { Pair } from "./rows.ts";

/** The same promise at every call. */
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
};

interface PartiesOptions {
	/** How many calls make a process warm; a cold one costs twice as much. */
	readonly warmUp: number;
	/** What stands in the bare relay's place. */
	readonly against?: Party | undefined;
}

export class Parties {
	private readonly options: PartiesOptions;
	private readonly running: Measured[] = [];

	constructor(options: PartiesOptions) {
		this.options = options;
	}

	/** Where the mock upstream is. */
	readonly upstream = once(async (): Promise<string> => {
		const { url } = this.kept(await start([join(import.meta.dir, "mock-upstream.ts")]));
		return url;
	});

	readonly relay = once(async (): Promise<Started> => await this.warmed(await startRelay(await this.upstream())));

	readonly gateway = once(async (): Promise<Started> => await this.warmed(await startPortico(await this.upstream())));

	/** The bare relay, or what stands in its place, and Portico. */
	async pair(): Promise<Pair> {
		return [this.options.against ?? (await this.relay()), await this.gateway()];
	}

	async stop(): Promise<void> {
		for (const { stop } of this.running.reverse()) await stop();
	}

	private kept<T extends Measured>(party: T): T {
		this.running.push(party);
		return party;
	}

	private async warmed(party: Started): Promise<Started> {
		await warm(this.kept(party), this.options.warmUp);
		return party;
	}
}
