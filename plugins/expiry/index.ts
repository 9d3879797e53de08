/** The plugin `expiry`: refuses a token whose validity is over. */
import { add, clock, definePlugin, type Policy, policies, t } from "#core";
import { expired, expiresAt } from "./expires-at.ts";

export default definePlugin({
	name: "expiry",
	summary: "Refuses a token whose validity is over.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { clock },
	gives: [policies],
	setup: ({ needs }) => {
		const policy: Policy<number> = {
			name: "expiry",
			setting: expiresAt,
			admit: (call, at) => expired(call.token, at, needs.clock),
		};
		return { offers: [add(policies, policy)] };
	},
});
