/** Why Portico and others translate a thing differently: each place that was looked at, with the reason for ours. */
import { isRecord, parseJson } from "#core";
import type { Contrast } from "./contrast.ts";
import type { Opinion, Refusal } from "./opinions.ts";

interface Rule {
	readonly reason: string;
	/** `request messages→responses`, or a part of it. */
	readonly of?: RegExp;
	readonly path: RegExp;
	readonly sort?: Contrast["sort"];
	/** Only where ours says every word that theirs says. */
	readonly keepsWords?: boolean;
}

const theirs = "the other";

/** The first that fits is the reason. */
const rules: readonly Rule[] = [
	{
		path: /^content\[\]\.text$/,
		of: /^answer chat-completions→messages/,
		reason: "a message holds one answer: the first of several",
	},
	{ path: /^input\[\]\.name$/, sort: "only theirs", reason: "results in Responses have no name" },
	// choices where both are right
	{
		path: /^max_tokens$/,
		of: /→messages/,
		reason: "the limit that Messages demands: ours is the model's own, so that no answer is cut",
	},
	{
		path: /(\.|^)(id|call_id|tool_call_id|tool_use_id)$/,
		reason:
			"ids that a protocol lacks or cannot hold are derived from the conversation, so that two turns never share one",
	},
	{
		path: /effort|thinking|reasoning\b/i,
		of: /^request/,
		reason: "efforts and budgets have no agreed exchange rate, and foreign or unsigned thinking is not replayed",
	},
	{ path: /thinkingConfig/, reason: "efforts and budgets have no agreed exchange rate" },
	{
		path: /schema\.title$|\.name$/,
		of: /^request/,
		sort: "other",
		reason: "a format or file without a name gets one of ours",
	},
	{ path: /schema\.title$/, reason: "the format's name is not part of its schema" },
	{ path: /(schema|format|json_schema)\.description$/, reason: "a schema keeps its own description where it stands" },
	{ path: /\.detail$/, reason: "the field that Responses demands of a picture" },
	{
		path: /^(user|safety_identifier|metadata)$/,
		reason: "who the user is goes where clients of that protocol say it; free metadata is not sent to other makers",
	},
	{
		path: /^(store|include|verbosity|prompt_cache_key|serviceTier|service_tier|seed|cache marks|top_p)$/,
		reason:
			"carried where the protocol has the field and the model takes it; what is kept upstream is decided by Portico",
	},
	{
		path: /^stop$/,
		of: /^request .*chat-completions$/,
		sort: "only theirs",
		reason: "models before GPT-5.5 that reason answer 400 to it; it is left out and told",
	},
	{
		path: /generationConfig\.(seed|candidateCount|presencePenalty|frequencyPenalty|responseLogprobs|logprobs|imageConfig|responseModalities)/,
		sort: "only ours",
		reason: `Gemini has the field; ${theirs} drops it`,
	},
	{
		path: /responseMimeType$|^text$|^response_format$/,
		sort: "only theirs",
		reason: "plain text is what is given when nothing is said",
	},
	{
		path: /toolConfig/,
		reason:
			"strict functions are validated, `auto` is what is done when nothing is said, and a choice without functions is none",
	},
	{
		path: /tool_choice/,
		reason:
			"a choice that the model or the history allows: a list of tools, or none for tools that only the history needs",
	},
	{
		path: /(^|\.)strict$/,
		reason: "Messages enforces its formats, so they go on as strict where OpenAI can enforce them",
	},
	{ path: /^max$/, reason: "the client's limit is kept as it was asked" },
	{ path: /is_error$/, reason: `a failed result is said to have failed; ${theirs} forgets` },
	{
		path: /\.(filename|title|mimeType|file_data|image_url|url)$|image_url\.url$|source\.(type|data)$/,
		reason:
			"names and data of files: ours have a data address with the type, a document keeps its title, text is no base64",
	},
	{
		path: /additionalProperties|exclusiveMinimum|\.enum$|\.type$|\.const$|required\[\]|properties/,
		of: /^request/,
		reason: "schemas are brought within what the target's documentation lists, and no further",
	},
	{
		path: /^(functions|tools)\[\]|tools\[\]\.schema$|^functions$/,
		reason: `tools: ${theirs} forgets schemas under other spellings, custom tools, strictness and hosted ones, and writes empty descriptions`,
	},
	{
		path: /^tools$/,
		sort: "only ours",
		reason: "a history with calls demands tools, old function lists are tools, and custom tools go as functions",
	},
	{
		path: /^tools$|^tool_choice$/,
		sort: "only theirs",
		reason: `JSON without a schema is asked for in words; ${theirs} forces a tool`,
	},
	{ path: /^hosted/, reason: `search and code execution that Gemini has; ${theirs} drops them` },
	{
		path: /^system(Instruction)?(\[\]|$)|^system\[\]/,
		reason: "a system message stays where it was said, and JSON without a schema is asked for in words",
	},
	{
		path: /response\.output$|functionResponse|content\[\]\.content|output\[\]|messages\[\]\.content\[\]\.text|contents\[\]\.parts\[\]\.text|input\[\]\.content\[\]\.text/,
		of: /^request/,
		reason: "a result is told as the text or object it is; what is left out, or said between turns, is marked in words",
	},
	{
		path: /^(messages|input|contents)(\[\]|$)/,
		of: /^request/,
		reason: `turns: ${theirs} loses results beside text, signed thinking's place, system messages in snake case, and keeps empty turns that targets refuse`,
		keepsWords: true,
	},
	{
		path: /output_config|^text$|^response_format/,
		of: /^request/,
		reason: `a format under another spelling; ${theirs} forgets it`,
	},
	{ path: /^generationConfig/, of: /^request/, reason: `a setting under another spelling; ${theirs} forgets it` },
	// answers
	{
		path: /usage|usageMetadata/,
		of: /^answer/,
		reason: `counts hold cached, tool and reasoning tokens as each protocol counts them; ${theirs} passes numbers on`,
	},
	{
		path: /finish|stop_reason|status|incomplete/i,
		of: /^answer/,
		reason: `an end in the protocol's own word; ${theirs} passes on foreign words, and forgets what was incomplete`,
	},
	{ path: /functionCall\.name$/, of: /^answer/, reason: "a tool of a namespace goes by its flat name" },
	{
		path: /^(choices|candidates|output|content)/,
		of: /^answer/,
		reason: `blocks: ${theirs} makes a choice of each item, calls of the provider's own searches, and loses refusals, pictures, old function calls and what follows a search`,
		keepsWords: true,
	},
];

const letters = (text: string): string => text.replaceAll(/\\+[nt]|[^\p{L}\p{N}]/gu, "");

/** The letters of every text in a JSON value. */
const leavesOf = (value: unknown): readonly string[] => {
	if (typeof value === "string") return [letters(value)];
	if (Array.isArray(value)) return value.flatMap(leavesOf);
	return isRecord(value) ? Object.values(value).flatMap(leavesOf) : [];
};

/** The letters of everything that is said in words; in words that are JSON, those of its texts. */
const lettersOf = (value: unknown): readonly string[] => {
	if (Array.isArray(value)) return value.flatMap(lettersOf);
	if (!isRecord(value) || value["thought"] === true || "summary" in value) return [];
	return Object.entries(value).flatMap(([name, item]) => {
		if (typeof item !== "string") return lettersOf(item);
		if (name !== "text" && name !== "refusal") return [];
		const inner = parseJson(item);
		return isRecord(inner) || Array.isArray(inner) ? leavesOf(inner) : [letters(item)];
	});
};

/** The provider's own tools worked, or the conversation is kept there. */
const searched = /file_search|web_search|code_execution|executableCode|"previous_response_id":"|"conversation":/;

const keepsWords = ({ ours, theirs }: Opinion): boolean => {
	const said = letters(JSON.stringify(ours));
	return lettersOf(theirs).every((words) => said.includes(words));
};

/** The reason for one difference; undefined when nobody has looked at it. */
export const reasonFor = (opinion: Opinion, { path, sort }: Contrast): string | undefined => {
	const { what, from, to } = opinion;
	const place = `${what} ${from}→${to}`;
	const rule = rules.find((one) => one.path.test(path) && (one.of?.test(place) ?? true) && (one.sort ?? sort) === sort);
	if (!rule?.keepsWords || keepsWords(opinion)) return rule?.reason;
	return searched.test(JSON.stringify(opinion.source))
		? "what the provider's own tools found, and results whose calls it keeps, are its own"
		: undefined;
};

/** Why one of the two refuses a thing. */
export const refusalReason = ({ by, message }: Refusal): string | undefined => {
	if (by === "theirs") return "the other library cannot read it";
	if (/valid base64/.test(message)) return "the recording's data was cut";
	return undefined;
};
