/**
 * The names of OpenTelemetry's conventions that spans carry, as constants of our own: they move, and nobody's dashboard
 * should with a dependency. `1.36` has the names of the conventions of that version, `latest` those of November 2026.
 */

export const semconvs = ["latest", "1.36"] as const;
type Semconv = (typeof semconvs)[number];

export interface Names {
	readonly operation: string;
	readonly provider: string;
	readonly requestModel: string;
	readonly inputTokens: string;
	readonly outputTokens: string;
	/** Absent where the version has no word for it. */
	readonly stream?: string;
	readonly firstChunk?: string;
	readonly cacheRead?: string;
	readonly cacheWrite?: string;
	readonly reasoning?: string;
}

const shared = {
	operation: "gen_ai.operation.name",
	requestModel: "gen_ai.request.model",
	inputTokens: "gen_ai.usage.input_tokens",
	outputTokens: "gen_ai.usage.output_tokens",
};

export const namesOf: Readonly<Record<Semconv, Names>> = {
	latest: {
		...shared,
		provider: "gen_ai.provider.name",
		stream: "gen_ai.request.stream",
		firstChunk: "gen_ai.response.time_to_first_chunk",
		cacheRead: "gen_ai.usage.cache_read.input_tokens",
		cacheWrite: "gen_ai.usage.cache_creation.input_tokens",
		reasoning: "gen_ai.usage.reasoning.output_tokens",
	},
	"1.36": { ...shared, provider: "gen_ai.system" },
};

export const http = {
	method: "http.request.method",
	route: "http.route",
	status: "http.response.status_code",
	serverAddress: "server.address",
	serverPort: "server.port",
	errorType: "error.type",
	userAgent: "user_agent.original",
} as const;

export const portico = {
	call: "portico.call.id",
	request: "portico.request_id",
	protocol: "portico.protocol",
	token: "portico.token.id",
	ending: "portico.ending",
	dropped: "portico.dropped",
	upstream: "portico.upstream",
	why: "portico.attempt.why",
	attempts: "portico.attempts",
	repeats: "portico.repeats",
	code: "portico.code",
} as const;

/** What is done, in the conventions' words; those they have none for keep ours. */
export const operationOf = (operation: string, protocol: string): string => {
	if (operation === "generate") return protocol === "generate-content" ? "generate_content" : "chat";
	if (operation === "completions") return "text_completion";
	return operation;
};

const providers: readonly (readonly [host: RegExp, provider: string])[] = [
	[/(?:^|\.)openai\.azure\.com$/, "azure.ai.openai"],
	[/(?:^|\.)services\.ai\.azure\.com$/, "azure.ai.inference"],
	[/(?:^|\.)openai\.com$/, "openai"],
	[/(?:^|\.)anthropic\.com$/, "anthropic"],
	[/^generativelanguage\.googleapis\.com$/, "gcp.gemini"],
	[/aiplatform\.googleapis\.com$/, "gcp.vertex_ai"],
	[/^bedrock.*\.amazonaws\.com$/, "aws.bedrock"],
	[/(?:^|\.)cohere\.(?:ai|com)$/, "cohere"],
	[/(?:^|\.)deepseek\.com$/, "deepseek"],
	[/(?:^|\.)groq\.com$/, "groq"],
	[/(?:^|\.)mistral\.ai$/, "mistral_ai"],
	[/(?:^|\.)moonshot\.(?:ai|cn)$/, "moonshot_ai"],
	[/(?:^|\.)perplexity\.ai$/, "perplexity"],
	[/(?:^|\.)x\.ai$/, "x_ai"],
];

/** Who serves a host; an upstream nobody knows goes by its own name. */
export const providerAt = (host: string | undefined, upstream: string): string => {
	const name = host?.replace(/:\d+$/, "") ?? "";
	return providers.find(([pattern]) => pattern.test(name))?.[1] ?? upstream;
};
