/** The pages, by their addresses, in the order of the links. */
import type { ComponentType } from "preact";

export interface ConsolePage {
	readonly path: string;
	readonly name: string;
	/** What it needs is loaded when it is first opened. */
	load(): Promise<ComponentType>;
	/** Not for members. */
	readonly adminsOnly?: true;
	/** Belongs to the gateway, not to its calls. */
	readonly gateway?: true;
}

const pages: readonly ConsolePage[] = [
	{ path: "/console/tokens", name: "Tokens", load: async () => (await import("../tokens/tokens-page.tsx")).TokensPage },
	{ path: "/console/usage", name: "Usage", load: async () => (await import("../usage/usage-page.tsx")).UsagePage },
	{ path: "/console/calls", name: "Calls", load: async () => (await import("../calls/calls-page.tsx")).CallsPage },
	{ path: "/console/tasks", name: "Tasks", load: async () => (await import("../tasks/tasks-page.tsx")).TasksPage },
	{
		path: "/console/callbacks",
		name: "Callbacks",
		load: async () => (await import("../callbacks/callbacks-page.tsx")).CallbacksPage,
	},
	{
		path: "/console/playground",
		name: "Playground",
		load: async () => (await import("../playground/playground-page.tsx")).PlaygroundPage,
	},
	{
		path: "/console/models",
		name: "Models",
		load: async () => (await import("../models/models-page.tsx")).ModelsPage,
		adminsOnly: true,
		gateway: true,
	},
	{
		path: "/console/config",
		name: "Config",
		load: async () => (await import("../config/config-page.tsx")).ConfigPage,
		adminsOnly: true,
		gateway: true,
	},
	{
		path: "/console/people",
		name: "People",
		load: async () => (await import("../people/people-page.tsx")).PeoplePage,
		adminsOnly: true,
		gateway: true,
	},
];

export const pagesFor = (admin: boolean): readonly ConsolePage[] => pages.filter((page) => admin || !page.adminsOnly);

/** The page at an address; what comes after its name is the page's own affair. */
export const pageAt = (path: string, admin: boolean): ConsolePage | undefined => {
	const known = pagesFor(admin);
	if (path === "/console") return known[0];
	return known.find((page) => path === page.path || path.startsWith(`${page.path}/`));
};
