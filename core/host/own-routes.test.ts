/** Which probe says what, and why: the address that balancers ask, and those that speak of the whole. */
import { expect, test } from "bun:test";
import { type OwnRouteOptions, ownRoutes } from "./own-routes.ts";

type Reason = ReturnType<OwnRouteOptions["unready"]>;

const told = async (reason: Reason, sharesDatabase: boolean): Promise<readonly unknown[]> => {
	const none = () => [];
	const routes = ownRoutes({
		version: "1",
		unready: () => reason,
		sharesDatabase,
		upstreams: () => ({}),
		plugins: none,
		model: () => undefined,
		config: () => ({ file: "", text: "" }),
		check: async () => [],
		reload: async () => [],
		troubles: async () => ({ data: [], upstreams: [], workers: 1 }),
		audit: { did: async () => undefined },
	});
	const asked = ["/livez", "/acceptz", "/readyz"].map(async (path) => {
		const route = routes.find((one) => one.path === path);
		if (route?.access !== "public") throw new Error(`no public route ${path}`);
		const response = await route.handle({} as never);
		return [response.status, (await response.json())["reason"]];
	});
	return Promise.all(asked);
};

const well = [200, undefined];

test.each<[Reason, boolean, readonly unknown[]]>([
	[undefined, true, [well, well, well]],
	["stopping", false, [well, [503, "stopping"], [503, "stopping"]]],
	["database", true, [well, well, [503, "database"]]],
	["disk", true, [well, [503, "disk"], [503, "disk"]]],
	["disk", false, [well, well, [503, "disk"]]],
])("%s, with a database that others share: %s", async (reason, sharesDatabase, expected) => {
	expect(await told(reason, sharesDatabase)).toEqual(expected);
});
