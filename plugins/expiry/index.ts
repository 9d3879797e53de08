/** The plugin `expiry`: refuses a token whose validity is over. */
import { add, clock, definePlugin, jobs, maybe, type Policy, policies, store, t } from "#core";
import { alerts } from "../alerts/service.ts";
import { tokenOwnership } from "../tokens/service.ts";
import { expired, expiresAt, settingKey } from "./expires-at.ts";
import { tellExpiring } from "./expiring.ts";

export default definePlugin({
	name: "expiry",
	summary: "Refuses a token whose validity is over.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { clock, store, alerts, tokens: maybe(tokenOwnership) },
	gives: [policies, jobs],
	setup: ({ name, needs }) => {
		const policy: Policy<number> = {
			name: "expiry",
			setting: expiresAt(needs.clock),
			admit: (call, at) => expired(call.token, at, needs.clock),
		};
		const tell = async (): Promise<void> => {
			const all = needs.alerts();
			if (all.length === 0 || !needs.tokens) return;
			await needs.store.write(tellExpiring(all, needs.tokens, settingKey, needs.clock.now()));
		};
		return {
			offers: [
				add(policies, policy),
				add(jobs, { name: `${name}: tell what ends soon`, schedule: "*/5 * * * *", run: tell }),
			],
		};
	},
});
