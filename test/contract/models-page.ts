/** Writes `docs/models.md` from the table of models. Run it with `npm run models`. */
import { writeFileSync } from "node:fs";
import type { KnownModels, ModelCapabilities } from "#core";
import { builtIn } from "../../plugins/router/known-models.ts";

const titles: Readonly<Record<keyof typeof builtIn, string>> = {
	claude: "Claude",
	gpt: "OpenAI",
	gemini: "Gemini",
	"chat-models": "DeepSeek, Kimi, Mistral and others",
	embedding: "Models that make vectors",
	vendors: "Who serves them: `upstreams[].vendor`",
};

const code = (words: readonly string[] = []): string => words.map((word) => `\`${word}\``).join(" ");

/** A number of tokens as people write it. */
const tokens = (count: number | undefined): string => (count === undefined ? "" : count.toLocaleString("en-US"));

const thinkingOf = ({ thinking, budget }: ModelCapabilities): string => {
	if (budget === undefined) return thinking ?? "";
	const range = `${tokens(budget.min)} to ${tokens(budget.max)}`;
	return `budget of ${range}${budget.off === true ? ", 0 for none" : ""}`;
};

const levelsOf = ({ thinking, efforts }: ModelCapabilities): string => {
	if (thinking === "none" || efforts?.length === 0) return "none";
	return code(efforts);
};

const demands: readonly (readonly [fact: keyof ModelCapabilities, told: string])[] = [
	["signedCalls", "calls in the history must be signed"],
	["reasoningWithCalls", "calls in the history need reasoning beside them"],
	["strictFields", "no field that it does not know"],
	["nineCharacterCallIds", "ids of calls are nine letters and digits"],
	["answerAfterResults", "no user directly behind results"],
	["samplingRefused", "no sampling"],
	["stopRefused", "no stop sequences"],
	["temperatureOrTopP", "temperature or top_p"],
];

const demandsOf = (capabilities: ModelCapabilities): string =>
	demands.flatMap(([fact, told]) => (capabilities[fact] === true ? told : [])).join("; ");

const cell = (text: string): string => text.replaceAll("|", "\\|");

const row = ({ names, vendors, capabilities, sources, note }: KnownModels): string => {
	const links = sources.map((source, at) => `[${at + 1}](${source.replace(/, .*$/, "")})`).join(" ");
	const cells = [
		code(names ?? vendors),
		tokens(capabilities.contextWindow),
		tokens(capabilities.maxOutput),
		thinkingOf(capabilities),
		levelsOf(capabilities),
		demandsOf(capabilities),
		note ?? "",
		links,
	];
	return `| ${cells.map(cell).join(" | ")} |`;
};

const head = [
	"| names | window | most output | thinking | levels | demands | note | sources |",
	"| --- | --- | --- | --- | --- | --- | --- | --- |",
];

/** The page as it must be. */
export const modelsPage = (): string => {
	const parts = (Object.keys(titles) as (keyof typeof builtIn)[]).map((key) =>
		[`## ${titles[key]}`, "", ...head, ...builtIn[key].map(row)].join("\n"),
	);
	return `# What is known of models

Written from \`plugins/router/known/\` by \`npm run models\`; a test fails when it is stale.

Of several patterns that fit a name (in lower case, without what a path, Bedrock or Databricks puts before it) the one that fixes the most characters counts.
A newer name of a known family gets the levels that all of its family take, and the largest window, so that enough is held for it.
Plugins add entries to the slot \`models\`; \`models[].caps\` in the config has the last word. An empty cell means: nothing is known, so nothing is held back.

A level that a model does not take becomes the nearest that it takes, rather less than more, whichever protocol it came by and
goes by; \`none\` becomes the least there is and is told as lost where thinking cannot be switched off, and so is a level for a model
that has none. Where a model is asked in tokens, and the reverse, \`minimal\` stands for 512 tokens, \`low\` for 1,024, \`medium\` for
8,192, \`high\` for 24,576, \`xhigh\` for 32,768 and \`max\` for 65,536, within the bounds of the model.

${parts.join("\n\n")}
`;
};

if (import.meta.main) writeFileSync(new URL("../../docs/models.md", import.meta.url), modelsPage());
