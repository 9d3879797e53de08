/** What a Portico is given by whoever opens it: the server, a command, a test. */
import type { Clock } from "../contract/clock.ts";
import type { Workers } from "../contract/host-info.ts";
import type { Log } from "../contract/log.ts";
import type { OpenStore } from "../store/open.ts";
import type { Blueprint } from "./blueprint.ts";

export interface PorticoOptions {
	readonly blueprint: Blueprint;
	readonly store: OpenStore;
	readonly clock: Clock;
	readonly log: Log;
	readonly version: string;
	readonly dataFolder: string;
	/** One for all workers of this machine; without it the data folder. */
	readonly sharedFolder?: string;
	readonly node: string;
	readonly adminToken: string;
	/** The workers of this machine, where this process is one of them. */
	readonly workers?: Workers;
	/** False for one command of the command line. */
	readonly serving: boolean;
	/** Reads the config file again, for a reload. */
	readonly again: () => Promise<{ readonly blueprint?: Blueprint; readonly complaints: readonly string[] }>;
	/** An operator asked for a reload and it succeeded: other workers are to follow. */
	readonly reloaded?: () => void;
}
