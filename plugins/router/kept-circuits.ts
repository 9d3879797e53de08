/** Circuits that outlive a reload: an upstream that is down is left alone whatever else the config says by now. */
import type { Clock } from "#core";
import { Circuit } from "./circuit.ts";
import type { UpstreamSetting } from "./settings.ts";

export class KeptCircuits {
	/** Those of the configuration that runs, by all that it says of the upstream. */
	private running: ReadonlyMap<string, Circuit> = new Map();

	/** A circuit for each upstream: the one it has where nothing of its setting differs, which may be what mends it. */
	of(settings: readonly UpstreamSetting[], clock: Clock): CircuitsOfConfig {
		const made = settings.map((setting): readonly [UpstreamSetting, Circuit] => [
			setting,
			this.running.get(JSON.stringify(setting)) ?? new Circuit(clock, Math.random),
		]);
		return {
			byName: new Map(made.map(([{ name }, circuit]) => [name, circuit])),
			keep: () => {
				this.running = new Map(made.map(([setting, circuit]) => [JSON.stringify(setting), circuit]));
			},
		};
	}
}

interface CircuitsOfConfig {
	readonly byName: Map<string, Circuit>;
	/** This configuration runs from now on. */
	keep(): void;
}
