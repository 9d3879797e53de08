/** What is found by its name: two of one name would stand in each other's way unseen, a rule of a token among them. */
import { type Command, commands } from "../contract/command.ts";
import { endpoints } from "../contract/endpoint.ts";
import { policies } from "../contract/policy.ts";
import { protocols } from "../contract/protocol.ts";
import type { Offer, Slot } from "../contract/token.ts";
import { upstreams } from "../contract/upstream.ts";
import type { PluginComplaint } from "./order.ts";

interface Named {
	readonly slot: string;
	readonly what: string;
	name(value: unknown): string | undefined;
}

const named = <T>(slot: Slot<T>, what: string, name: (value: T) => string | undefined): Named => ({
	slot: slot.id,
	what,
	// The host takes offers to a slot as what the slot holds: `add` lets nothing else through.
	name: (value) => name(value as T),
});

const kinds: readonly Named[] = [
	named(policies, "token setting", ({ setting }) => setting?.key),
	named(protocols, "protocol", ({ name }) => name),
	named(endpoints, "endpoint", ({ name }) => name),
	named(upstreams, "upstream", ({ name }) => name),
	named<Command>(commands, "command", ({ name }) => name),
];

/** A complaint for each that has a name which another offers too. */
export const nameClashes = (
	offers: readonly { readonly plugin: string; readonly offer: Offer }[],
): readonly PluginComplaint[] =>
	kinds.flatMap(({ slot, what, name }) => {
		const owners = new Map<string, string>();
		return offers.flatMap(({ plugin, offer }) => {
			const called = offer.token.kind === "slot" && offer.token.id === slot ? name(offer.value) : undefined;
			if (called === undefined) return [];
			const other = owners.get(called);
			if (other !== undefined)
				return [{ plugin, message: `"${other}" offers the ${what} "${called}" too; switch one of them off` }];
			owners.set(called, plugin);
			return [];
		});
	});
