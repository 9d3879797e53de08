/** How the process does: what runs in it, and how many calls. */
import type { HostLoad } from "../contract/host-info.ts";
import type { Relay } from "../relay/relay-options.ts";
import { runtimeName } from "../runtime/system.ts";

/** `running`: every generation that still has calls. */
export const hostLoad = (
	running: readonly { readonly relay: Relay | undefined }[],
	state: Pick<HostLoad, "version" | "reloaded" | "database">,
): HostLoad => {
	const calls = new Map<string, number>();
	let waiting = 0;
	for (const { relay } of running) {
		for (const { routed } of relay?.open ?? []) calls.set(routed.protocol, (calls.get(routed.protocol) ?? 0) + 1);
		waiting += relay?.waiting ?? 0;
	}
	return { ...state, runtime: runtimeName(), calls, waiting };
};
