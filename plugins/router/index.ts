/** Decides where a call goes. */
import { add, clock, definePlugin, protocols, provide, router, routes, upstreams } from "#core";
import { createHttpUpstream } from "./http-upstream.ts";
import { createRouting } from "./routing.ts";
import { routerSettings } from "./settings.ts";

export default definePlugin({
	name: "router",
	summary: "Knows the upstreams and which models lead to them.",
	config: routerSettings,
	needs: { clock, protocols, upstreams },
	gives: [router, routes],
	setup({ config, needs }) {
		const protocolNamed = (name: string) => needs.protocols().find((protocol) => protocol.name === name);
		const configured = config.upstreams.map((setting) =>
			createHttpUpstream({ setting, clock: needs.clock, protocolNamed }),
		);
		const upstreamNamed = (name: string) =>
			[...configured, ...needs.upstreams()].find((upstream) => upstream.name === name);
		const routing = createRouting({
			models: config.models,
			clock: needs.clock,
			upstreamNamed,
			random: Math.random,
			createdAt: Math.floor(needs.clock.now() / 1000),
		});

		const check = (): string[] => {
			const complaints: string[] = [];
			for (const { name, protocols: spoken } of configured)
				for (const protocol of spoken)
					if (!protocolNamed(protocol))
						complaints.push(
							`the upstream "${name}" speaks "${protocol}", but no enabled plugin knows that protocol (there are ${
								needs
									.protocols()
									.map((one) => one.name)
									.join(", ") || "none"
							})`,
						);
			for (const { name, targets } of config.models)
				for (const { upstream } of targets)
					if (!upstreamNamed(upstream))
						complaints.push(`the model "${name}" leads to the upstream "${upstream}", which is not configured`);
			return complaints;
		};

		return {
			offers: [
				provide(router, routing),
				add(routes, {
					method: "GET",
					path: "/admin/upstreams",
					access: "admin",
					summary: "Upstreams that were used, and whether calls are kept away from them.",
					handle: () => Response.json({ data: routing.states() }),
				}),
			],
			check,
		};
	},
});
