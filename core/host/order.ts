/** Givers before users. */
import type { Path } from "../config/complaint.ts";
import type { Plugin } from "../contract/define.ts";

/** What is wrong with one plugin, in words that complete `plugins[2] quota: …`. */
export interface PluginComplaint {
	/** The instance's name. */
	readonly plugin: string;
	readonly message: string;
	/** The setting that is wrong, below the plugin's `with`; undefined: the plugin as a whole. */
	readonly at?: Path;
}

/** A plugin as the config names it. */
export interface Instance {
	readonly name: string;
	readonly use: string;
	readonly plugin: Plugin;
	readonly config: unknown;
	/** Its settings are good, or can be used to find what else is wrong. */
	readonly sound: boolean;
}

const servicesOf = (instance: Instance): readonly string[] =>
	instance.plugin.gives.filter((token) => token.kind === "service").map((token) => token.id);

/** Services that it needs and gives itself: at its set-up there are none yet. */
const needsOwn = (instance: Instance): readonly string[] => {
	const own = servicesOf(instance);
	return Object.values(instance.plugin.needs).flatMap(({ kind, id }) =>
		kind === "service" && own.includes(id) ? [id] : [],
	);
};

/**
 * Sorts instances so that each comes after the givers of what it needs, otherwise as the config has them. Complains of
 * missing givers, of two givers of one service, and of rings, naming the plugins. `lent`: services the host gives.
 */
export const orderInstances = (
	instances: readonly Instance[],
	lent: ReadonlySet<string>,
): { readonly ordered: readonly Instance[]; readonly complaints: readonly PluginComplaint[] } => {
	const complaints = new Map<string, PluginComplaint>();
	const complain = (plugin: string, message: string): void => {
		complaints.set(`${plugin} ${message}`, { plugin, message });
	};
	const givers = new Map<string, Instance>();
	const names = new Set<string>();
	for (const instance of instances) {
		if (names.has(instance.name))
			complain(
				instance.name,
				`another plugin is called "${instance.name}" too; give one of them another name with "as"`,
			);
		names.add(instance.name);
		for (const id of needsOwn(instance)) complain(instance.name, `needs the service "${id}", which it gives itself`);
		for (const id of servicesOf(instance)) {
			if (lent.has(id)) complain(instance.name, `gives the service "${id}", which Portico gives itself`);
			const other = givers.get(id);
			if (other) complain(instance.name, `"${other.name}" gives the service "${id}" too; switch one of them off`);
			else givers.set(id, instance);
		}
	}

	const needed = (instance: Instance): readonly Instance[] =>
		Object.values(instance.plugin.needs).flatMap((token) => {
			if (token.kind === "slot" || lent.has(token.id)) return [];
			const giver = givers.get(token.id);
			if (!giver && token.kind === "service")
				complain(instance.name, `needs the service "${token.id}", which no enabled plugin gives`);
			return giver && giver !== instance ? [giver] : [];
		});

	const ordered: Instance[] = [];
	const done = new Set<Instance>();
	const visit = (instance: Instance, path: readonly Instance[]): void => {
		if (done.has(instance)) return;
		const from = path.indexOf(instance);
		if (from !== -1) {
			const ring = [...path.slice(from), instance].map(({ name }) => `"${name}"`).join(" → ");
			complain(
				instance.name,
				`plugins need each other in a ring: ${ring}; take one need away, or put a slot in its place, which is read after set-up`,
			);
			return;
		}
		for (const giver of needed(instance)) visit(giver, [...path, instance]);
		if (done.has(instance)) return;
		done.add(instance);
		ordered.push(instance);
	};
	for (const instance of instances) visit(instance, []);
	return { ordered, complaints: [...complaints.values()] };
};
