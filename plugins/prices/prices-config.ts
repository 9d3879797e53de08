/** The settings of the plugin: prices as operators write them. */
import { type Static, t } from "#core";

const dollars = (description: string) => t.Optional(t.Number({ minimum: 0, maximum: 1_000_000, description }));

const word = t.Union([t.String({ maxLength: 64 }), t.Number(), t.Boolean(), t.Null()]);

const variantSchema = t.Object(
	{
		when: t.Record(t.String({ minLength: 1, maxLength: 64 }), t.Union([word, t.Array(word, { minItems: 1 })]), {
			minProperties: 1,
			description:
				"By a field's name as the upstream is sent it the word that it must have, or a list of words: `null` for a field that is not sent, `*` for whatever it says.",
		}),
		perImage: dollars("Dollars for each image of such a task; the plain `perImage` when absent."),
		perSecond: dollars("Dollars for each second of video of such a task; the plain `perSecond` when absent."),
		perSong: dollars("Dollars for each song of such a task; the plain `perSong` when absent."),
	},
	{ additionalProperties: false, minProperties: 2 },
);

const longInputSchema = t.Object(
	{
		above: t.Integer({
			minimum: 1,
			description: "Input tokens that a call has to exceed, those of caches among them.",
		}),
		input: dollars(
			"Dollars per million input tokens of such a call; the plain `input` when absent, and so with all that follow.",
		),
		output: dollars("Dollars per million output tokens of such a call."),
		cacheRead: dollars("Dollars per million input tokens of such a call read from the provider's cache."),
		cacheWrite: dollars("Dollars per million input tokens of such a call written to it."),
		cacheWriteLong: dollars("The same for what the cache keeps for an hour or longer."),
		reasoning: dollars("Dollars per million reasoning tokens of such a call."),
	},
	{ additionalProperties: false, minProperties: 2 },
);

const priceSchema = (description: string) =>
	t.Object(
		{
			input: dollars("Dollars per million input tokens."),
			output: dollars("Dollars per million output tokens."),
			cacheRead: dollars("Dollars per million input tokens read from the provider's cache; `input` when absent."),
			cacheReadAudio: dollars("Dollars per million input tokens of sound read from it; `cacheRead` when absent."),
			cacheWrite: dollars("Dollars per million input tokens written to the provider's cache; `input` when absent."),
			cacheWriteLong: dollars("The same for what the cache keeps for an hour or longer; `cacheWrite` when absent."),
			reasoning: dollars("Dollars per million reasoning tokens; `output` when absent."),
			inputAudio: dollars("Dollars per million input tokens of sound; `input` when absent."),
			inputImage: dollars("Dollars per million input tokens of pictures; `input` when absent."),
			inputVideo: dollars("Dollars per million input tokens of films; `input` when absent."),
			outputAudio: dollars("Dollars per million output tokens of sound; `output` when absent."),
			outputImage: dollars("Dollars per million output tokens of pictures; `output` when absent."),
			outputVideo: dollars("Dollars per million output tokens of films; `output` when absent."),
			perRequest: dollars("Dollars for each call, besides its tokens."),
			perWebSearch: dollars("Dollars for each web search of the model; 0.035 when absent."),
			perWebSearchPreview: dollars(
				"Dollars for each web search where a request gives the model OpenAI's older tool, `web_search_preview`; `perWebSearch` when absent.",
			),
			perFileSearch: dollars("Dollars for each search in stored files; 0.0025 when absent."),
			perCodeSession: dollars("Dollars for each container in which a tool of the model runs code; 0.03 when absent."),
			perImage: dollars(
				"Dollars for each image of a task, or of a tool of the model; 0.25 for the latter when absent.",
			),
			perInputImage: dollars(
				"Dollars for each image that a task of images is sent to change, a mask among them, besides `perImage`; nothing when absent.",
			),
			perPartialImage: dollars(
				"Dollars for each unfinished image (`partial_images`) that a task shows before its image; 0.004 when absent, or what the image costs where that is less.",
			),
			perSecond: dollars("Dollars for each second of video of a task."),
			perSong: dollars("Dollars for each song of a task."),
			perMinuteAudioIn: dollars("Dollars for each minute of sound that is heard (transcription)."),
			leastSecondsAudioIn: t.Optional(
				t.Number({
					minimum: 0,
					maximum: 3600,
					description: "Seconds of sound that each call is billed at least; for what is heard.",
				}),
			),
			perMinuteAudioOut: dollars("Dollars for each minute of sound that is made (speech)."),
			perMillionCharacters: dollars("Dollars for each million characters that are spoken."),
			perThousandSearches: dollars("Dollars for each thousand searches of a reranker."),
			perPage: dollars("Dollars for each page of a document that an endpoint reads."),
			variants: t.Optional(
				t.Array(variantSchema, {
					description:
						"What tasks cost otherwise by what their requests say; the first that fits counts, and where that is not certain the dearest that may fit.",
				}),
			),
			longInput: t.Optional(
				t.Array(longInputSchema, {
					description:
						"What tokens cost otherwise in a call with a longer input; of several the longest that it exceeds counts.",
				}),
			),
			tiers: t.Optional(
				t.Record(t.String({ minLength: 1, maxLength: 64 }), t.Number({ minimum: 0, maximum: 1_000 }), {
					description:
						"How many times the plain rates a tier costs, by the request's word in lower case (`priority`, `ultrafast`, the speed `fast`, `inference_geo:us`); 2, 6, 6 and 1.1 for these when absent.",
				}),
			),
			contextWindow: t.Optional(t.Integer({ minimum: 1, description: "The most input tokens the model takes." })),
		},
		{ additionalProperties: false, minProperties: 1, description },
	);

export const pricesConfig = t.Object(
	{
		models: t.Optional(
			t.Record(t.String({ minLength: 1, maxLength: 256 }), priceSchema("The price of the models of that name."), {
				description: "Prices by model name, or by pattern with `*`; exact names first, then patterns as written.",
			}),
		),
		upstreams: t.Optional(
			t.Record(
				t.String({ minLength: 1, maxLength: 256 }),
				t.Record(
					t.String({ minLength: 1, maxLength: 256 }),
					priceSchema("The price of the models of that name at this upstream."),
				),
				{
					description:
						"What models cost at one upstream, by its name, and in it as `models` has them; goes before `models`. For what the same model costs elsewhere.",
				},
			),
		),
		default: t.Optional(
			priceSchema("The price of models that nothing else knows. Without it such a model is refused under a quota."),
		),
	},
	{ additionalProperties: false },
);

export type PricesConfig = Static<typeof pricesConfig>;

/** A price as the config has it. */
export type ConfiguredPrice = Static<ReturnType<typeof priceSchema>>;
