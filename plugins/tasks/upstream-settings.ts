/** The settings that upstreams of every kind of task have, and what they make of one. */
import { definedOnly, t } from "#core";
import type { TaskUpstream } from "./task-maker.ts";

/** What follows the models: `minutes` is how long a task of this kind may take unless its upstream's setting says. */
export const upstreamSettings = (minutes: number) => ({
	rename: t.Optional(
		t.Record(t.String(), t.String(), { description: "Its own names for models, by the name clients ask for." }),
	),
	tenancy: t.Optional(
		t.Union([t.Literal("shared"), t.Literal("single")], {
			default: "shared",
			description:
				"shared: its account serves several tokens, so what a request names there must be its token's own. single: all tokens that reach it are one client's, whose ids are forwarded.",
		}),
	),
	concurrency: t.Integer({ minimum: 1, default: 8, description: "Requests that may be under way at once." }),
	timeoutMinutes: t.Optional(
		t.Number({ minimum: 0.1, description: `After so many minutes a task has failed; ${minutes} unless said.` }),
	),
});

interface UpstreamSetting extends Pick<TaskUpstream, "name" | "models" | "rename" | "concurrency" | "timeoutMinutes"> {
	readonly url: string;
	readonly tenancy?: "shared" | "single";
}

/** What an upstream is by these settings, whatever it does. */
export const bySetting = ({ name, url, models, rename, tenancy, concurrency, timeoutMinutes }: UpstreamSetting) => ({
	name,
	url,
	models,
	concurrency,
	...definedOnly({ rename, timeoutMinutes, tenancy: tenancy === "single" ? tenancy : undefined }),
});
