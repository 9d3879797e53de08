/** The plugin `guard-http`: has an inspector of the operator's look at what is said, over HTTP. */
import { add, clock, definePlugin, guards, isInnerHost, systemResolve, t } from "#core";
import { httpGuard } from "./guard.ts";
import { createInspector } from "./inspector.ts";

/** By the text alone; a name is judged by what it means when it is dialled. */
const isPrivate = (url: string): boolean => isInnerHost(new URL(url).hostname);

export default definePlugin({
	name: "guard-http",
	summary: "Has an inspector look at requests and answers over HTTP; refuses what it cannot look at.",
	config: t.Object(
		{
			url: t.String({ pattern: "^https?://[^/]", description: "Where the inspector is asked." }),
			headers: t.Record(t.String(), t.String(), {
				default: {},
				secret: true,
				description: "Headers for it, such as its key.",
			}),
			privateNetwork: t.Boolean({
				default: false,
				description: "Its address may be on this machine or a private network.",
			}),
			timeoutMs: t.Integer({
				default: 2000,
				minimum: 1,
				maximum: 60_000,
				description: "How long a look may take; then the call is refused.",
			}),
			answers: t.Boolean({ default: false, description: "It looks at answers too." }),
			window: t.Integer({
				default: 256,
				minimum: 1,
				maximum: 100_000,
				description: "In streams: so many new characters make a look, and so many are held back to be seen again.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { clock },
	gives: [guards],
	setup({ name, config, needs }) {
		const { url, headers, privateNetwork, timeoutMs, answers, window } = config;
		const ask = createInspector({
			url,
			headers,
			privateNetwork,
			timeoutMs,
			clock: needs.clock,
			resolve: systemResolve,
		});
		return {
			offers: [add(guards, httpGuard({ name, ask, answers, window }))],
			check: () => {
				if (!URL.canParse(url)) return ["url: this is no address"];
				return privateNetwork || !isPrivate(url)
					? []
					: ["url: this address is private; set privateNetwork: true if the inspector is meant to be there"];
			},
		};
	},
});
