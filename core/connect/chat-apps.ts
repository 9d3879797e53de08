/** Chat applications and workflow tools that people host or install. */
import type { Client } from "./client.ts";

export const chatApps: readonly Client[] = [
	{
		name: "open-webui",
		title: "Open WebUI",
		note: "It asks GET /models for the list of models. From a container this machine is http://host.docker.internal.",
		protocol: "chat-completions",
		settings: ({ address, key }) => [
			{
				kind: "environment",
				file: ".env",
				variables: { OPENAI_API_BASE_URL: `${address}/v1`, OPENAI_API_KEY: key },
			},
		],
	},
	{
		name: "librechat",
		title: "LibreChat",
		protocol: "chat-completions",
		settings: ({ address, key, model }) => [
			{
				kind: "yaml",
				file: "librechat.yaml",
				once: { version: "1.2.1", cache: true },
				content: {
					endpoints: {
						custom: [
							{
								name: "Portico",
								apiKey: ["$", "{PORTICO_KEY}"].join(""),
								baseURL: `${address}/v1`,
								models: { default: [model], fetch: true },
								titleConvo: true,
								titleModel: "current_model",
							},
						],
					},
				},
			},
			{ kind: "environment", file: ".env", variables: { PORTICO_KEY: key } },
		],
	},
	{
		name: "lobechat",
		title: "LobeChat",
		settings: ({ address, key }) => [
			{ kind: "environment", file: ".env", variables: { OPENAI_PROXY_URL: `${address}/v1`, OPENAI_API_KEY: key } },
		],
	},
	{
		name: "cherry-studio",
		title: "Cherry Studio",
		settings: ({ address, key, model }) => [
			{
				kind: "steps",
				steps: [
					"Open Settings, then Model Provider, and add a provider of type OpenAI.",
					`Set API Host to ${address} and API Key to ${key}`,
					`Add the model ${model}, or fetch the list.`,
				],
			},
		],
	},
	{
		name: "n8n",
		title: "n8n",
		settings: ({ address, key }) => [
			{
				kind: "steps",
				steps: [
					"Add a credential of type OpenAI.",
					`Set API Key to ${key} and Base URL to ${address}/v1`,
					"Save: n8n tests it by asking for the list of models.",
				],
			},
		],
	},
];
