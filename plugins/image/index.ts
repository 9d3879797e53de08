/** The kind `image`. */
import { add, definePlugin, type Route, routes } from "#core";
import { type Tasks, type TaskUpstream, taskKinds, tasks, taskUpstreams } from "../tasks/service.ts";
import { imageKind, midjourneyModel } from "./kind.ts";
import { klingRoutes } from "./kling-routes.ts";
import { midjourneyRoutes } from "./midjourney-routes.ts";
import { openAiRoutes } from "./openai-routes.ts";
import { settings, type UpstreamSetting } from "./settings.ts";
import { geminiUpstream } from "./upstream-gemini.ts";
import { midjourneyUpstream } from "./upstream-midjourney.ts";
import { openAiUpstream } from "./upstream-openai.ts";

const makers: Readonly<Record<UpstreamSetting["type"], (setting: UpstreamSetting, tasks: Tasks) => TaskUpstream>> = {
	"midjourney-proxy": midjourneyUpstream,
	"openai-images": openAiUpstream,
	"gemini-images": geminiUpstream,
};

export default definePlugin({
	name: "image",
	summary: "Makes pictures: for clients of Midjourney, OpenAI and Kling, by upstreams of each kind.",
	config: settings,
	needs: { tasks },
	gives: [taskKinds, taskUpstreams, routes],
	setup({ config, needs }) {
		const { waitSeconds, defaultModel, upstreams } = config;
		const all: readonly Route[] = [
			...midjourneyRoutes(needs.tasks),
			...openAiRoutes({ tasks: needs.tasks, waitSeconds, defaultModel: defaultModel ?? "gpt-image-1" }),
			...klingRoutes(needs.tasks),
		];
		return {
			offers: [
				add(taskKinds, imageKind(defaultModel ?? midjourneyModel)),
				...upstreams.map((setting) => add(taskUpstreams, makers[setting.type](setting, needs.tasks))),
				...all.map((route) => add(routes, needs.tasks.route(route))),
			],
		};
	},
});
