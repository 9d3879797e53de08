/** The kind `music`. */
import { add, definePlugin, routes } from "#core";
import { taskKinds, tasks, taskUpstreams } from "../tasks/service.ts";
import { musicKind } from "./kind.ts";
import { settings } from "./settings.ts";
import { sunoRoutes } from "./suno-routes.ts";
import { elevenLabsUpstream } from "./upstream-elevenlabs.ts";
import { sunoUpstream } from "./upstream-suno.ts";

const makers = { "suno-api": sunoUpstream, elevenlabs: elevenLabsUpstream } as const;

export default definePlugin({
	name: "music",
	summary: "Makes songs and their words: for Suno's clients, by Suno-API and ElevenLabs.",
	config: settings,
	needs: { tasks },
	gives: [taskKinds, taskUpstreams, routes],
	setup: ({ config: { upstreams, defaultModel }, needs }) => ({
		offers: [
			add(taskKinds, musicKind(defaultModel)),
			...upstreams.map((setting) => add(taskUpstreams, makers[setting.type](setting, needs.tasks))),
			...sunoRoutes(needs.tasks, defaultModel).map((route) => add(routes, needs.tasks.route(route))),
		],
	}),
});
