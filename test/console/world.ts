/** A gateway as it ships, with people signed in to its console. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type GatewayOptions, startGateway, type TestGateway } from "#core/testing";

const shipped = parse(readFileSync(join(import.meta.dir, "../../config/portico.yaml"), "utf8")) as {
	plugins: { readonly use: string; readonly with?: Record<string, unknown> }[];
};

/** With the settings of some plugins changed, and with those besides that are named here and not in the file. */
export const startShipped = (
	changed: Readonly<Record<string, unknown>> = {},
	options: Partial<GatewayOptions> = {},
): Promise<TestGateway> => {
	const kept = shipped.plugins.filter(({ use }) => use !== "call-log").map(({ use }) => use);
	const named = new Map(shipped.plugins.map((plugin) => [plugin.use, plugin]));
	return startGateway({
		...options,
		plugins: [...new Set([...kept, ...Object.keys(changed)])].map((use) =>
			changed[use] === undefined ? (named.get(use) ?? { use }) : { use, with: changed[use] },
		),
	});
};

/** The link that a first start prints. */
export const printedLink = async (gateway: TestGateway): Promise<string> => {
	const link = await gateway.portico.firstSignIn?.(gateway.url);
	if (link === undefined) throw new Error("no link was printed");
	return link;
};

export const password = "a few words do well";

/** Joins by a new invitation; gives the cookie. */
export const joined = async (gateway: TestGateway, name: string, role: "admin" | "member"): Promise<string> => {
	const { link } = await gateway.admin("POST", "/admin/invitations", { role });
	const answer = await fetch(`${gateway.url}/v1/session/join`, {
		method: "POST",
		headers: { "content-type": "application/json", origin: gateway.url },
		body: JSON.stringify({ secret: String(link).split("#")[1], name, password }),
	});
	if (!answer.ok) throw new Error(await answer.text());
	return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
};
