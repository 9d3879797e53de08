/** The plugin `rate-limit`: how much a minute may bring, and how many calls may run at once. */
import { add, clock, definePlugin, hostInfo, jobs, policies, store, tables } from "#core";
import { Meters, ownMeter } from "./meter.ts";
import { ratePolicy } from "./policy.ts";
import { modelLimitsOf, rateConfig } from "./setting.ts";
import { ShareSync } from "./share-sync.ts";
import { sharedMeter, type Together } from "./shared-meter.ts";
import { Statements } from "./statements.ts";
import { rateTables } from "./tables.ts";

export default definePlugin({
	name: "rate-limit",
	summary: "Limits requests and model tokens a minute and calls at once, for each token and each model.",
	config: rateConfig,
	needs: { clock, hostInfo, store },
	gives: [policies, tables, jobs],
	setup({ name, config, needs, log }) {
		const statements = new Statements();
		const { shared } = needs.store;
		const together = (): Together => {
			const { store, clock } = needs;
			const make = (): Together => ({ sync: new ShareSync({ store, clock, log, statements }), nodes: undefined });
			const kept = needs.hostInfo.keep<Together>(`${name}.together`, make);
			// What is set now counts for what is kept, too.
			kept.nodes = config.nodes;
			return kept;
		};
		/** A file is one node's alone, and its limits are too. */
		const make = (shares: Together | undefined): Meters =>
			shares ? new Meters(sharedMeter(shares), () => shares.sync.close()) : new Meters(ownMeter);
		const find = (): Meters => {
			const shares = shared ? together() : undefined;
			return needs.hostInfo.keep(`${name}.meters`, () => make(shares));
		};
		let kept: Meters | undefined;
		const meters = (): Meters => {
			kept ??= find();
			return kept;
		};
		const policy = ratePolicy({
			meters,
			clock: needs.clock,
			log,
			modelLimits: modelLimitsOf(config.models),
			nodes: shared ? 1 : (config.nodes ?? 1),
		});
		return {
			offers: [
				add(policies, policy),
				add(tables, rateTables(name)),
				add(jobs, {
					name: `${name}: limits nobody uses`,
					schedule: "37 */10 * * * *",
					run: async () => {
						if (shared) await needs.store.write(statements.prune());
					},
				}),
			],
		};
	},
});
