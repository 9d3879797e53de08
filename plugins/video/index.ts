/** The kind `video`. */
import { add, clock, definePlugin, type Route, routes } from "#core";
import { taskKinds, tasks, taskUpstreams } from "../tasks/service.ts";
import { geminiRoutes } from "./gemini-routes.ts";
import { videoKind } from "./kind.ts";
import { klingRoutes } from "./kling-routes.ts";
import { openAiRoutes } from "./openai-routes.ts";
import { settings } from "./settings.ts";
import { unifiedRoutes } from "./unified-routes.ts";
import { klingUpstream } from "./upstream-kling.ts";
import { openAiUpstream } from "./upstream-openai.ts";
import { veoUpstream } from "./upstream-veo.ts";

const makers = { kling: klingUpstream, veo: veoUpstream, "openai-videos": openAiUpstream } as const;

export default definePlugin({
	name: "video",
	summary: "Makes clips: for clients of OpenAI, Google, Kling and new-api, by upstreams of each kind.",
	config: settings,
	needs: { tasks, clock },
	gives: [taskKinds, taskUpstreams, routes],
	setup({ config, needs }) {
		const { defaultModel, upstreams } = config;
		const all: readonly Route[] = [
			...openAiRoutes(needs.tasks, defaultModel),
			...unifiedRoutes(needs.tasks, defaultModel),
			...klingRoutes(needs.tasks),
			...geminiRoutes(needs.tasks),
		];
		return {
			offers: [
				add(taskKinds, videoKind(defaultModel)),
				...upstreams.map((setting) => add(taskUpstreams, makers[setting.type](setting, needs.tasks, needs.clock))),
				...all.map((route) => add(routes, needs.tasks.route(route))),
			],
		};
	},
});
