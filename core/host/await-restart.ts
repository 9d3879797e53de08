/** What a reload could not take: it is told at each, until the process is started again. */
import { needRestart } from "../config/need-restart.ts";
import type { Log } from "../contract/log.ts";
import type { Blueprint } from "./blueprint.ts";
import { isCodeChanged } from "./load.ts";
import type { Troubles } from "./troubles.ts";

/** `started`: what the process was started with; `newer`: what counts now. */
export const awaitRestart = (troubles: Troubles, started: Blueprint, newer: Blueprint, log: Log): void => {
	troubles.awaitRestart(needRestart(started.config, newer.config), log);
	for (const { name, use } of newer.instances)
		if (isCodeChanged(use, newer.path))
			log.warn("the code of a plugin was changed; it counts from the next start on", { plugin: name });
};
