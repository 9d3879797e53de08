/** The settings of `router`: upstreams and the models that lead to them. */
import { type Static, t } from "#core";
import { capabilitySetting } from "./capability-setting.ts";
import { tlsSetting } from "./tls.ts";

const closed = { additionalProperties: false } as const;

const protocolName = t.String({ minLength: 1 });

const upstreamSetting = t.Object(
	{
		name: t.String({ minLength: 1, description: "What targets call it." }),
		protocol: t.Union([protocolName, t.Array(protocolName, { minItems: 1 })], {
			description:
				"The protocol it speaks, or several, preferred first: a call in one of them passes through as bytes.",
		}),
		url: t.String({
			pattern: "^https?://",
			description: "Its base address, to which the protocol's own path is added.",
		}),
		key: t.Optional(t.String({ secret: true, description: "Its API key." })),
		keys: t.Optional(
			t.Array(t.String({ minLength: 1 }), {
				minItems: 1,
				secret: true,
				description: "Several keys, used in turn; one that is refused or limited rests for a while.",
			}),
		),
		headers: t.Optional(
			t.Record(t.String(), t.String(), { secret: true, description: "Headers added to every request." }),
		),
		tls: t.Optional(tlsSetting),
		vendor: t.Optional(
			t.String({
				minLength: 1,
				description:
					"Who serves its models, where their names do not tell: `mistral`, `groq` and `cerebras` refuse fields that others take. `dashscope` and `volcengine` are known by their addresses.",
			}),
		),
		threads: t.Optional(
			t.Boolean({
				default: true,
				description:
					"Whether it holds conversations, as Anthropic's threads. false: a request that begins or continues one, or names what only it could hold, is refused in the way that makes clients send the whole conversation.",
			}),
		),
		tenancy: t.Optional(
			t.Union([t.Literal("shared"), t.Literal("single")], {
				default: "shared",
				description:
					"shared: its account serves several tokens, so ids of answers, files and containers kept there go nowhere. single: all tokens that reach it are one client's, whose ids are forwarded.",
			}),
		),
		endpoints: t.Optional(
			t.Array(t.Union([t.String({ minLength: 1 }), t.Record(t.String(), t.String())]), {
				description:
					"Endpoints it serves beyond what its protocol brings: `rerank`, or `embeddings: voyage` for a vendor's own dialect.",
			}),
		),
		trace: t.Optional(
			t.Boolean({
				default: false,
				description: "Whether it is told which trace a request belongs to, where calls are traced (`otel`).",
			}),
		),
		firstByteSeconds: t.Optional(
			t.Number({ exclusiveMinimum: 0, default: 600, description: "How long it may take to begin an answer." }),
		),
	},
	closed,
);

const modelSetting = t.Object(
	{
		name: t.String({ minLength: 1, description: "The name clients ask for; `*` stands for anything." }),
		targets: t.Array(
			t.Object(
				{
					upstream: t.String({ minLength: 1, description: "The name of an upstream." }),
					model: t.Optional(
						t.String({ minLength: 1, description: "The name it knows the model by. Default: the name asked for." }),
					),
					weight: t.Optional(
						t.Number({
							minimum: 0,
							description:
								"Its share of the calls among targets that have a weight. Targets without come after, in their order.",
						}),
					),
				},
				closed,
			),
			{ minItems: 1, description: "Where its calls go; each further one is tried when those before it failed." },
		),
		caps: t.Optional(capabilitySetting),
		translation: t.Optional(
			t.Union([t.Literal("lossy"), t.Literal("strict")], {
				default: "lossy",
				description: "strict: answer 400 rather than leave something behind in translation.",
			}),
		),
	},
	closed,
);

export const routerSettings = t.Object(
	{
		upstreams: t.Array(upstreamSetting, { default: [], description: "Providers over HTTP." }),
		models: t.Array(modelSetting, {
			default: [],
			description:
				"Models clients may ask for. An exact name goes before a pattern, a longer pattern before a shorter.",
		}),
	},
	closed,
);

export type UpstreamSetting = Static<typeof upstreamSetting>;
export type ModelSetting = Static<typeof modelSetting>;
export type RouterSettings = Static<typeof routerSettings>;

/** `[rerank, { embeddings: "voyage" }]` as endpoints with their dialects. */
export const namedEndpoints = (named: NonNullable<UpstreamSetting["endpoints"]>): Readonly<Record<string, string>> =>
	Object.assign({}, ...named.map((one) => (typeof one === "string" ? { [one]: "usual" } : one)));
