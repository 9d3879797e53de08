/** What config may say of a model, where it differs from what is known of its name. */
import { t } from "#core";

const closed = { additionalProperties: false } as const;

export const capabilitySetting = t.Object(
	{
		contextWindow: t.Optional(t.Integer({ minimum: 1, description: "The most tokens of prompt and answer together." })),
		maxOutput: t.Optional(t.Integer({ minimum: 1, description: "The most output tokens it gives." })),
		thinksBeside: t.Optional(
			t.Integer({
				minimum: 0,
				description:
					"The most output tokens it thinks before an answer, where its limit of output does not count them.",
			}),
		),
		imageTokens: t.Optional(t.Integer({ minimum: 1, description: "The most tokens it counts one picture as." })),
		tokensPerSecond: t.Optional(
			t.Integer({
				minimum: 1,
				default: 500,
				description: "The most output tokens it generates in a second: what a call that ends early is charged by.",
			}),
		),
		embeds: t.Optional(t.Boolean({ description: "It turns what it is given into vectors, and writes nothing." })),
		thinking: t.Optional(
			t.Union(
				[t.Literal("none"), t.Literal("budget"), t.Literal("effort"), t.Literal("adaptive"), t.Literal("always")],
				{
					description: "How its thinking is asked for.",
				},
			),
		),
		budget: t.Optional(
			t.Object(
				{
					min: t.Integer({ minimum: 0, description: "The smallest it takes." }),
					max: t.Integer({ minimum: 0, description: "The largest it takes." }),
					off: t.Optional(t.Boolean({ description: "Whether a budget of 0 switches thinking off." })),
				},
				{ ...closed, description: "Bounds of a thinking budget, in tokens." },
			),
		),
		efforts: t.Optional(
			t.Array(
				t.Union([
					t.Literal("none"),
					t.Literal("minimal"),
					t.Literal("low"),
					t.Literal("medium"),
					t.Literal("high"),
					t.Literal("xhigh"),
					t.Literal("max"),
				]),
				{ description: "Efforts it knows." },
			),
		),
		thinkingSwitch: t.Optional(
			t.Literal("thinking", {
				description: "The field of Chat Completions that switches its thinking off; `reasoning_effort` unless said.",
			}),
		),
		betweenTools: t.Optional(
			t.Boolean({ description: "Anthropic's `between_tools` is its least thinking: none before its first tool call." }),
		),
		effortsAssumed: t.Optional(
			t.Boolean({ description: "It may take more efforts: what clients of its own protocol ask goes as it is." }),
		),
		samplingRefused: t.Optional(
			t.Union([t.Boolean(), t.Literal("thinking"), t.Literal("asked")], {
				description:
					"It refuses temperature, top_p and the like; `thinking`: unless its thinking is switched off; `asked`: only when it is asked to think.",
			}),
		),
		stopRefused: t.Optional(t.Boolean({ description: "It refuses stop sequences in Chat Completions." })),
		temperatureOrTopP: t.Optional(t.Boolean({ description: "It refuses temperature and top_p together." })),
		nativeSchema: t.Optional(t.Boolean({ description: "It takes a JSON Schema for its answer." })),
		schemaBesideTools: t.Optional(
			t.Boolean({ description: "It takes a schema for its answer and functions in one request." }),
		),
		forcedCalls: t.Optional(
			t.Union([t.Boolean(), t.Literal("unthinking"), t.Literal("unnamed")], {
				description:
					"Whether it can be made to call a tool; `unthinking`: only while it does not think; `unnamed`: any, but not a certain one.",
			}),
		),
		boundThinking: t.Optional(
			t.Boolean({ description: "It refuses its own thinking once the conversation before it was changed." }),
		),
		customTools: t.Optional(t.Boolean({ description: "It takes custom tools in Chat Completions." })),
		searches: t.Optional(
			t.Union([t.Boolean(), t.Literal("always")], {
				description: "It takes `web_search_options`; `always`: it searches, and is billed for that, at each call.",
			}),
		),
		films: t.Optional(t.Boolean({ description: "It takes films in Chat Completions." })),
		documentAddresses: t.Optional(t.Boolean({ description: "It takes addresses of documents in Chat Completions." })),
		typedUnions: t.Optional(
			t.Boolean({ description: "A tool's schema may say a type beside `anyOf`, and a list of schemas as `items`." }),
		),
		rootUnions: t.Optional(t.Boolean({ description: "A tool's schema may have alternatives at its root." })),
		strictTools: t.Optional(t.Boolean({ description: "It takes strict tools." })),
		imagesInToolResults: t.Optional(t.Boolean({ description: "It takes images in tool results." })),
		developerRole: t.Optional(t.Boolean({ description: "It takes messages of the role developer." })),
		maxTokensField: t.Optional(
			t.Union([t.Literal("max_tokens"), t.Literal("max_completion_tokens"), t.Literal("either")], {
				description: "The field of Chat Completions that its output limit goes into.",
			}),
		),
		streamUsage: t.Optional(t.Boolean({ description: "It takes `stream_options` in Chat Completions." })),
		mixServerAndFunctionTools: t.Optional(t.Boolean({ description: "It takes hosted tools and functions together." })),
		prefill: t.Optional(t.Boolean({ description: "Its answer may be begun by the last message." })),
		midSystem: t.Optional(t.Boolean({ description: "It takes system messages in mid-conversation." })),
		vendor: t.Optional(t.String({ description: "Who serves it, where that differs from its upstream's `vendor`." })),
		strictFields: t.Optional(t.Boolean({ description: "It refuses fields of a request that it does not know." })),
		signedCalls: t.Optional(t.Boolean({ description: "It refuses tool calls in the history without a signature." })),
		reasoningWithCalls: t.Optional(
			t.Boolean({ description: "It refuses tool calls in the history that have no reasoning beside them." }),
		),
		nineCharacterCallIds: t.Optional(t.Boolean({ description: "Ids of tool calls must be nine letters and digits." })),
		answerAfterResults: t.Optional(
			t.Boolean({ description: "It refuses a user's message directly behind the results of tools." }),
		),
	},
	{ ...closed, description: "What the model can take, where it differs from what is known of its name." },
);
