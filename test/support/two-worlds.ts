/**
 * Two gateways: the far one has the demo model, the near one reaches it through each of the four protocols. So a client
 * of any protocol meets a model of every other, and every byte crosses a real connection.
 */
import { startGateway, type TestGateway } from "#core/testing";

export const protocolNames = ["chat-completions", "responses", "messages", "generate-content"] as const;

/** What the demo model says to these words. */
export const spoken = (words: string): string =>
	`This is the demo model of Portico speaking; no provider was asked. You said: ${words}`;

/** Models of the near gateway: one for each protocol spoken upstream. */
export const modelNames = protocolNames.map((name) => `via-${name}`);

export interface TwoWorlds {
	readonly near: TestGateway;
	stop(): Promise<void>;
}

const base = { "chat-completions": "/v1", responses: "/v1", messages: "", "generate-content": "/v1beta" } as const;

/** Starts both. Models: `demo` within the near one, and `via-…` through the far one. */
export const startTwoWorlds = async (): Promise<TwoWorlds> => {
	const demo = { use: "demo", with: { wordMs: 0 } };
	const far = await startGateway({
		plugins: [
			"tokens",
			...protocolNames,
			demo,
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		],
	});
	const near = await startGateway({
		plugins: [
			"tokens",
			...protocolNames,
			demo,
			"ledger",
			{
				use: "router",
				with: {
					upstreams: protocolNames.map((name) => ({ name, protocol: name, url: far.url + base[name], key: far.key })),
					models: [
						{ name: "demo", targets: [{ upstream: "demo" }] },
						...protocolNames.map((name) => ({ name: `via-${name}`, targets: [{ upstream: name, model: "demo" }] })),
					],
				},
			},
		],
	});
	return {
		near,
		async stop() {
			await near.stop();
			await far.stop();
		},
	};
};
