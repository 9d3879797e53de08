/** What the plugins of one generation offer: the values of services and the items of slots, and who gets them for its needs. */
import type { Needs, Offer, PluginToken, Resolved, Service, Slot } from "../contract/token.ts";
import { nameClashes } from "./clashes.ts";
import { offerFaults } from "./offer-faults.ts";
import type { Instance, PluginComplaint } from "./order.ts";

/** An item of a slot and the plugin instance that offers it. */
export interface Owned<T> {
	readonly plugin: string;
	readonly value: T;
}

export class Offers {
	private readonly services: Map<string, unknown>;
	private readonly configOrder: readonly string[];
	private readonly toSlots: { readonly plugin: string; readonly offer: Offer }[] = [];
	/** What slots hold, by their ids, as far as it was asked for; undefined while plugins are set up. */
	private slots: Map<string, readonly unknown[]> | undefined;

	/** `lent`: services of the host. `configOrder`: names of instances, in whose order a slot is read. */
	constructor(lent: ReadonlyMap<string, unknown>, configOrder: readonly string[]) {
		this.services = new Map(lent);
		this.configOrder = configOrder;
	}

	/** Takes one in; gives what is wrong with it, in words. */
	take({ name, plugin }: Instance, offer: Offer): readonly string[] {
		const { kind, id } = offer.token;
		if (!plugin.gives.some((token) => token.id === id && token.kind === kind))
			return [`offers to the ${kind} "${id}", which it does not name in gives`];
		const faults = offerFaults(offer);
		if (faults.length > 0) return faults;
		if (kind === "service" && this.services.has(id)) return [`offers the service "${id}" twice`];
		if (kind === "service") this.services.set(id, offer.value);
		else this.toSlots.push({ plugin: name, offer });
		return [];
	}

	/** Two things of one name in one slot. */
	clashes(): readonly PluginComplaint[] {
		return nameClashes(this.toSlots);
	}

	/** All are there: from now on slots may be read. */
	open(): void {
		this.slots = new Map();
	}

	/** The values for what a plugin needs, by its own names. Those who give a service were set up before. */
	needs(needs: Needs): Resolved<Needs> {
		const values = Object.entries(needs).map(([name, token]) => [name, this.valueFor(token)]);
		return Object.fromEntries(values) as Resolved<Needs>;
	}

	/** All items of a slot, in config order. */
	all<T>({ id }: Slot<T>): readonly T[] {
		if (this.slots === undefined)
			throw new Error(`the slot "${id}" was read during set-up; read it in start or while serving`);
		const known = this.slots.get(id) ?? this.ownedOf(id).map(({ value }) => value);
		this.slots.set(id, known);
		return known as readonly T[];
	}

	owned<T>({ id }: Slot<T>): readonly Owned<T>[] {
		return this.ownedOf(id) as readonly Owned<T>[];
	}

	given<T>(token: Service<T>): T | undefined {
		return this.services.get(token.id) as T | undefined;
	}

	private valueFor(token: PluginToken): unknown {
		return token.kind === "slot" ? () => this.all(token) : this.services.get(token.id);
	}

	private ownedOf(id: string): readonly Owned<unknown>[] {
		return this.toSlots
			.filter(({ offer }) => offer.token.id === id)
			.sort((a, b) => this.configOrder.indexOf(a.plugin) - this.configOrder.indexOf(b.plugin))
			.map(({ plugin, offer }) => ({ plugin, value: offer.value }));
	}
}
