/** The plugin `ip-whitelist`: a token may be held to some addresses. */
import { add, definePlugin, type Networks, type Policy, policies, t } from "#core";
import { ips, refuseAddress } from "./ips.ts";

export default definePlugin({
	name: "ip-whitelist",
	summary: "Limits a token to the addresses on its list.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [policies],
	setup: ({ log }) => {
		const policy: Policy<Networks> = {
			name: "ip-whitelist",
			setting: ips,
			admit(call, allowed) {
				const denial = refuseAddress(call, allowed);
				if (denial) log.info("refused an address", { token: call.token.id, address: call.address ?? "unknown" });
				return denial;
			},
		};
		return { offers: [add(policies, policy)] };
	},
});
