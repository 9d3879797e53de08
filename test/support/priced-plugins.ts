/** A gateway with one model that has a price: an answer of 10 input and 99 output tokens costs 1000 micro-dollars. */
export const pricedPlugins = (upstreamUrl: string) => [
	"tokens",
	"chat-completions",
	{ use: "prices", with: { models: { priced: { input: 1, output: 10 } } } },
	"quota",
	"ledger",
	{
		use: "router",
		with: {
			upstreams: [{ name: "up", protocol: "chat-completions", url: `${upstreamUrl}/v1` }],
			models: [{ name: "priced", targets: [{ upstream: "up" }], caps: { maxOutput: 100, thinking: "none" } }],
		},
	},
];
