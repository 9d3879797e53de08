/** The router of a test's gateway, before upstreams of chat-completions at some addresses: `up0`, `up1` … in their order. */

/** `models`: to how many of the first upstreams each leads; `m` leads to all unless said. */
export const routerTo = (urls: readonly string[], models: Readonly<Record<string, number>> = { m: urls.length }) => {
	const upstreams = urls.map((url, index) => ({ name: `up${index}`, protocol: "chat-completions", url: `${url}/v1` }));
	const targets = upstreams.map(({ name }) => ({ upstream: name }));
	const named = Object.entries(models).map(([name, count]) => ({ name, targets: targets.slice(0, count) }));
	return { use: "router", with: { upstreams, models: named } };
};
