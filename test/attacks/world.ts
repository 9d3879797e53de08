/** What the attacks are made on: a whole gateway with its quota, ledger and four protocols, before one scripted upstream. */
import {
	type GatewayOptions,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestGateway,
} from "#core/testing";

/** Protocols, each with what stands between the upstream's address and its paths. */
export const roots = {
	"chat-completions": "/v1",
	responses: "/v1",
	messages: "",
	"generate-content": "/v1beta",
} as const;
export type AttackProtocol = keyof typeof roots;
export const attackProtocols = Object.keys(roots) as AttackProtocol[];

/** Dollars a million, so micro-dollars a token; every model of an attack has these prices unless the attack says otherwise. */
export const rates = { input: 1, output: 10 } as const;

export interface AttackWorld {
	readonly gateway: TestGateway;
	/** Speaks all four protocols: a model of any name that begins with a protocol's (`messages-a`) is asked in that protocol. */
	readonly upstream: ScriptedUpstream;
	/** What `GET /v1/me` says that a token has used, in micro-dollars, once nothing of it runs any more. */
	used(key: string): Promise<number>;
	/** Asks once, with a new token of this quota in dollars. `call`: what the ledger has of it. */
	askOnce(
		quota: number,
		path: string,
		body: object,
	): Promise<{ readonly status: number; readonly text: string; readonly call: unknown }>;
	stop(): Promise<void>;
}

export interface AttackWorldOptions {
	/** Plugins besides those of every attack, or instead of one of the same name. */
	readonly plugins?: GatewayOptions["plugins"];
	readonly config?: NonNullable<GatewayOptions["config"]>;
	readonly clock?: NonNullable<GatewayOptions["clock"]>;
	/** What is known of the models, as in `caps` of the router. */
	readonly capabilities?: object;
	/** The settings of the router before an upstream at this address, where it is not to be the usual one. */
	readonly router?: (url: string) => object;
}

/** One upstream and one pattern of models for each protocol. */
const usualRouter = (url: string, capabilities: object | undefined): object => ({
	upstreams: attackProtocols.map((protocol) => ({
		name: protocol,
		protocol,
		url: url + roots[protocol],
		key: "upstream-key",
	})),
	models: attackProtocols.map((protocol) => ({
		name: `${protocol}-*`,
		targets: [{ upstream: protocol }],
		...(capabilities && { caps: capabilities }),
	})),
});

const nameOf = (plugin: GatewayOptions["plugins"][number]): string =>
	typeof plugin === "string" ? plugin : (plugin.as ?? plugin.use);

/** Starts it; `stop` ends the upstream too. */
export const attackWorld = async ({
	plugins = [],
	capabilities,
	router,
	...more
}: AttackWorldOptions = {}): Promise<AttackWorld> => {
	const upstream = startUpstream();
	const usual: GatewayOptions["plugins"] = [
		"tokens",
		...attackProtocols,
		{ use: "router", with: router?.(upstream.url) ?? usualRouter(upstream.url, capabilities) },
		{ use: "prices", with: { models: { "*": rates } } },
		"quota",
		"rate-limit",
		"ledger",
	];
	const own = new Set(plugins.map(nameOf));
	const gateway = await startGateway({
		plugins: [...usual.filter((plugin) => !own.has(nameOf(plugin))), ...plugins],
		...more,
	});
	return {
		gateway,
		upstream,
		async used(key) {
			while (gateway.portico.openCalls() > 0) await new Promise((resolve) => setImmediate(resolve));
			const response = await gateway.ask("/v1/me", undefined, { headers: { authorization: `Bearer ${key}` } });
			const { used } = (await response.json()) as { used: number };
			return Math.round(used * 1_000_000);
		},
		async askOnce(quota, path, body) {
			const { id, key } = await gateway.token({ quota });
			const response = await gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
			const text = await response.text();
			const { data } = (await gateway.admin("GET", `/admin/calls?token=${id}`)) as { data: readonly unknown[] };
			return { status: response.status, text, call: data[0] };
		},
		async stop() {
			await gateway.stop();
			await upstream.stop();
		},
	};
};
