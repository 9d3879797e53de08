/** Refusals of a level of thinking that the model does not take: who serves it decides that, not its name alone. */
import { asEffort } from "../../neutral/effort.ts";
import type { Effort } from "../../neutral/request.ts";

const subject = /reasoning|effort|\bthink/i;
const quote = "\\\\*[\"'`]?";
const level = `${quote}(?:none|minimal|low|medium|high|xhigh|max)\\b${quote}`;

/** What is taken instead, as OpenAI, Anthropic, Ollama, Groq and what checks with Pydantic or Serde list it. */
const listed = new RegExp(
	`(?:supported (?:values|levels)(?: are)?|should be|must be(?: one of)?|expected(?: one of)?|allowed(?: values)?(?: are)?)[\\s:(]*(${level}(?:[\\s,|]+(?:(?:or|and)\\s+)?${level})*)`,
	"i",
);

/** Words of OpenAI, xAI, Groq, Google and Ollama for a model that takes no level at all. */
const untold =
	/(?:does not support|unsupported|unrecognized|unknown)(?: (?:request|parameter|argument|field|name|supplied)s?)*[:\s\\"'`]+(?:reasoning(?![._]?(?:summary|content|details))|effort|think)|(?:reasoning_?effort|\beffort)\W{0,3}(?:is |: extra inputs are )not (?:supported|permitted)/i;

/** The levels that the model takes; empty for none. Undefined for another refusal. */
export const effortsTaken = (status: number, text: string): readonly Effort[] | undefined => {
	if ((status !== 400 && status !== 422) || !subject.test(text)) return undefined;
	const [, list] = listed.exec(text) ?? [];
	if (list === undefined) return untold.test(text) ? [] : undefined;
	const taken = (list.match(/[a-z]+/gi) ?? []).flatMap((word) => asEffort(word.toLowerCase()) ?? []);
	return taken.some((effort) => effort !== "none") ? taken : [];
};
