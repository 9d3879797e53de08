/** A model inside Portico, so that everything can be tried without an account. */
import { add, clock, definePlugin, protocols, t, upstreams } from "#core";
import { upstreamPrices } from "../prices/service.ts";
import { taskUpstreams } from "../tasks/service.ts";
import { demoTaskUpstreams } from "./tasks.ts";
import { createDemo } from "./upstream.ts";

/** It costs nobody anything, and says so, so that it can be tried under a quota. */
const free = {
	input: 0,
	output: 0,
	perWebSearch: 0,
	perFileSearch: 0,
	perCodeSession: 0,
	perImage: 0,
	perSecond: 0,
	perSong: 0,
	perMinuteAudioIn: 0,
	perMinuteAudioOut: 0,
	perMillionCharacters: 0,
	perThousandSearches: 0,
	perPage: 0,
};

export default definePlugin({
	name: "demo",
	summary: "An upstream called demo that needs no account and says that it is a demo.",
	config: t.Object(
		{
			wordMs: t.Integer({
				minimum: 0,
				maximum: 10_000,
				default: 20,
				description: "Milliseconds between two words of a stream.",
			}),
			taskSeconds: t.Number({
				minimum: 0,
				maximum: 3600,
				default: 4,
				description: "Seconds an image, video or music task takes, a quarter of them waiting.",
			}),
			taskModels: t.Array(t.String(), {
				default: [],
				description:
					"Models the demo does tasks for besides `demo*`, by name; `*` stands for any text. For trying out clients that name their own model.",
			}),
		},
		{ additionalProperties: false },
	),
	needs: { protocols, clock },
	gives: [upstreams, taskUpstreams, upstreamPrices],
	setup({ config, needs }) {
		const models = createDemo({ protocols: needs.protocols, clock: needs.clock, wordMs: config.wordMs });
		const tasks = demoTaskUpstreams({
			clock: needs.clock,
			seconds: config.taskSeconds,
			models: config.taskModels,
		});
		return {
			offers: [
				add(upstreams, models),
				...tasks.map((upstream) => add(taskUpstreams, upstream)),
				...[models, ...tasks].map(({ name }) => add(upstreamPrices, { upstream: name, price: free })),
			],
		};
	},
});
