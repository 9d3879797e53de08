/** One built set of plugins: set up, checked, and ready to be started in place of another. */

import type { Contribution } from "../contract/define.ts";
import { deny, Fault, isFault } from "../contract/fault.ts";
import type { PluginRow } from "../contract/host-info.ts";
import type { Log } from "../contract/log.ts";
import { routes as routesSlot } from "../contract/route.ts";
import { type Tables, tables } from "../contract/store.ts";
import type { Service, Slot } from "../contract/token.ts";
import { describe, withPlace } from "../errors/describe.ts";
import type { OwnedRoute } from "../http/app.ts";
import { asRecord } from "../neutral/json.ts";
import { inTime, patienceMs, stopInTime, stoppedOrLate, toldWhenLate } from "./in-time.ts";
import { contributionFaults } from "./offer-faults.ts";
import { Offers, type Owned } from "./offers.ts";
import type { Instance, PluginComplaint } from "./order.ts";

/** What a generation holds. */
export interface Generation {
	/** All items of a slot, in config order. */
	all<T>(slot: Slot<T>): readonly T[];
	/** The same, each with the instance that offers it. */
	owned<T>(slot: Slot<T>): readonly Owned<T>[];
	/** The value of a service; undefined when nobody gives it. */
	given<T>(token: Service<T>): T | undefined;
	readonly routes: readonly OwnedRoute[];
	readonly rows: readonly PluginRow[];
	/** `limitMs`: for how long it waits for each plugin; as long as that takes unless said, and the log tells of one after `lateMs`. */
	start(limitMs?: number, lateMs?: number): Promise<void>;
	/**
	 * Stops in reverse; may be called more than once. Waits for each as long as it takes until `mustEnd`, and then for a while,
	 * during which those that hang hang beside each other and the others stop.
	 */
	stop(mustEnd: AbortSignal, limitMs?: number, besideMs?: number): Promise<void>;
}

interface Built {
	readonly instance: Instance;
	readonly contribution: Contribution;
}

/** A `Fault` is meant for people; of anything else its author wants to know where. */
export const said = (error: unknown): string => (isFault(error) ? error.message : withPlace(describe(error), error));

/** Throws what the plugin threw where that is for the operator already; else a `Fault` that names the plugin. */
const startOne = async (
	{ instance, contribution }: Built,
	limitMs: number | undefined,
	late: () => void,
	lateMs: number,
): Promise<void> => {
	try {
		const starting = contribution.start?.();
		await (limitMs === undefined
			? toldWhenLate(starting, late, lateMs)
			: inTime(starting, `the start of the plugin "${instance.name}"`, limitMs));
	} catch (error) {
		if (isFault(error)) throw error;
		throw new Fault(deny("internal", `the plugin "${instance.name}" could not be started: ${said(error)}`), error);
	}
};

/** Never rejects. */
const stopOne = async (
	{ instance, contribution }: Built,
	mustEnd: AbortSignal,
	limitMs: number | undefined,
	log: Log,
): Promise<void> => {
	try {
		await stopInTime(contribution.stop?.(), mustEnd, limitMs);
	} catch (error) {
		log.error("a plugin could not be stopped cleanly", { plugin: instance.name, error: said(error) });
	}
};

const isStep = (step: unknown): step is string | number => typeof step === "string" || typeof step === "number";

const complaintOf = (plugin: string, found: unknown): PluginComplaint => {
	const { at, message } = asRecord(found);
	if (typeof message !== "string") return { plugin, message: String(found) };
	return { plugin, message, ...(Array.isArray(at) && at.every(isStep) && { at }) };
};

/** What it finds wrong itself, once slots can be read. */
const ownComplaints = ({ instance: { name }, contribution }: Built): readonly PluginComplaint[] => {
	try {
		const found: unknown = contribution.check?.() ?? [];
		if (!Array.isArray(found)) return [{ plugin: name, message: "its check must return a list of sentences, at once" }];
		return found.map((one) => complaintOf(name, one));
	} catch (error) {
		return [{ plugin: name, message: `could not be checked: ${said(error)}` }];
	}
};

/** Services that it promised: whoever needs one would find nothing. */
const unkept = ({ instance: { name, plugin }, contribution }: Built): readonly PluginComplaint[] => {
	const offered = new Set(contribution.offers?.map(({ token }) => token.id));
	return plugin.gives
		.filter(({ kind, id }) => kind === "service" && !offered.has(id))
		.map(({ id }) => ({ plugin: name, message: `names the service "${id}" in gives, and does not offer it` }));
};

/** Sets up every instance in order. Complaints name the plugin; with any, the generation must not be started. */
export const buildGeneration = async (
	ordered: readonly Instance[],
	configOrder: readonly string[],
	lent: ReadonlyMap<string, unknown>,
	log: Log,
): Promise<{ readonly generation: Generation; readonly complaints: readonly PluginComplaint[] }> => {
	const complaints: PluginComplaint[] = [];
	const complain = (plugin: string, messages: readonly string[]): void =>
		void complaints.push(...messages.map((message) => ({ plugin, message })));
	const offers = new Offers(lent, configOrder);
	const built: Built[] = [];
	for (const instance of ordered) {
		const { plugin, name, config } = instance;
		try {
			const settingUp = plugin.setup({ name, config, needs: offers.needs(plugin.needs), log: log.of(name) });
			const contribution = await inTime(settingUp, "its set-up");
			const faults = contributionFaults(contribution);
			complain(name, faults);
			if (faults.length > 0) continue;
			for (const offer of contribution.offers ?? []) complain(name, offers.take(instance, offer));
			built.push({ instance, contribution });
		} catch (error) {
			complain(name, [`could not be set up: ${said(error)}`]);
		}
	}
	complaints.push(...built.flatMap(unkept), ...offers.clashes());
	offers.open();
	complaints.push(...built.flatMap(ownComplaints));
	return { generation: generationOf(built, offers, log), complaints };
};

const generationOf = (built: readonly Built[], offers: Offers, log: Log): Generation => {
	const routes = offers.owned(routesSlot).map(({ plugin, value }) => ({ plugin, route: value }));
	const started: Built[] = [];
	return {
		all: (slot) => offers.all(slot),
		owned: (slot) => offers.owned(slot),
		given: (token) => offers.given(token),
		routes,
		rows: built.map(({ instance }) => rowOf(instance, routes)),
		async start(limitMs, lateMs = patienceMs) {
			for (const one of built) {
				started.push(one);
				const late = { plugin: one.instance.name, seconds: lateMs / 1000 };
				const tell = (): void => log.warn("a plugin has not ended its start, and is waited for", late);
				await startOne(one, limitMs, tell, lateMs);
			}
		},
		async stop(mustEnd, limitMs, besideMs) {
			const stopping: Promise<void>[] = [];
			for (const one of started.splice(0).reverse()) {
				const stopped = stopOne(one, mustEnd, limitMs, log);
				stopping.push(stopped);
				await stoppedOrLate(stopped, mustEnd, besideMs);
			}
			await Promise.all(stopping);
		},
	};
};

const rowOf = (instance: Instance, routes: readonly OwnedRoute[]): PluginRow => ({
	name: instance.name,
	use: instance.use,
	summary: instance.plugin.summary,
	gives: instance.plugin.gives.map(({ id }) => id),
	needs: Object.values(instance.plugin.needs).map(({ id }) => id),
	routes: routes.filter(({ plugin }) => plugin === instance.name).map(({ route }) => `${route.method} ${route.path}`),
});

/** Tables of givers before those of their users, whose triggers and keys may name them. */
export const tablesInOrder = ({ rows, all }: Generation): readonly Tables[] => {
	const order = rows.map(({ name }) => name);
	return all(tables).toSorted((a, b) => order.indexOf(a.plugin) - order.indexOf(b.plugin));
};
