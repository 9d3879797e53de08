/** The settings of the plugin `tasks`. */
import { t } from "#core";

export const settings = t.Object(
	{
		publicUrl: t.Optional(
			t.String({
				description:
					"The address clients reach Portico at, for links to result files; without it the one the client used.",
			}),
		),
		keepDays: t.Number({
			default: 30,
			minimum: 0.01,
			maximum: 100_000,
			description: "How long tasks and their files are kept after submission.",
		}),
		bodyLimitMegabytes: t.Number({
			default: 32,
			minimum: 0.1,
			description: "The largest request body, pictures included.",
		}),
		inputMegabytesPerToken: t.Number({
			default: 256,
			minimum: 0.01,
			description: "What the inputs of one token's open tasks may take in the database.",
		}),
		inputMegabytes: t.Number({
			default: 4096,
			minimum: 0.01,
			description:
				"What the inputs of all open tasks may take in the database; those of all tokens of one person half of it.",
		}),
		filesFolder: t.Optional(
			t.String({
				description:
					"Where result files are kept; several nodes need one that they share. Default: in the data folder.",
			}),
		),
	},
	{ additionalProperties: false },
);
