/**
 * What a vendor refuses of a request in this protocol though it knows the field: a call that is forced on a model while it
 * thinks, a schema for the answer. A client of this protocol meets it too, wherever a name leads to several vendors.
 */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	type ModelCapabilities,
	type Setting,
	unforced,
	type WireRecord,
} from "#core";
import { thinksNot } from "./history.ts";
import { spokenJson, spokenSchema } from "./openai.ts";

/** One thing that the model does not get, and why. */
interface Lost {
	readonly setting: Setting & ("toolChoice" | "reasoning" | "formatStrict");
	readonly reason: string;
}

interface FittedRequest {
	/** The fields of the body's root that change. */
	readonly edits: Record<string, unknown>;
	/** What must be said to the model in words. */
	readonly instruction?: string;
	readonly lost: readonly Lost[];
}

const nothing: FittedRequest = { edits: {}, lost: [] };

const isNamed = (choice: unknown): boolean => typeof choice === "object" && choice !== null;

/** Whether the client said itself that the model is to think. */
const asksToThink = ({ thinking, reasoning_effort: effort }: WireRecord): boolean =>
	asRecord(thinking)["type"] === "enabled" || (typeof effort === "string" && effort !== "none");

const fitChoice = (body: WireRecord, { forcedCalls, thinkingSwitch }: ModelCapabilities): FittedRequest => {
	const { tool_choice: choice } = body;
	if (forcedCalls === undefined || forcedCalls === true || (choice !== "required" && !isNamed(choice))) return nothing;
	if (forcedCalls === "unnamed")
		return choice === "required"
			? nothing
			: {
					edits: { tool_choice: "required" },
					lost: [{ setting: "toolChoice", reason: "the model can be made to call a tool, but not a certain one" }],
				};
	if (forcedCalls === "unthinking" && thinksNot(body)) return nothing;
	if (forcedCalls === "unthinking" && thinkingSwitch !== undefined) {
		const reason = "the model does not think when a tool call is forced";
		return {
			edits: {
				[thinkingSwitch]: { type: "disabled" },
				...("reasoning_effort" in body && { reasoning_effort: undefined }),
			},
			lost: asksToThink(body) ? [{ setting: "reasoning", reason }] : [],
		};
	}
	return { edits: { tool_choice: "auto" }, lost: [{ setting: "toolChoice", reason: unforced }] };
};

const formats: readonly unknown[] = ["json_schema", "json_object"];

const fitFormat = (body: WireRecord, { nativeSchema, schemaBesideTools }: ModelCapabilities): FittedRequest => {
	const format = asRecord(body["response_format"]);
	const isAlone = asList(body["tools"]).length === 0 || schemaBesideTools !== false;
	const isEnforced = isAlone && (format["type"] !== "json_schema" || nativeSchema !== false);
	if (isEnforced || !formats.includes(format["type"])) return nothing;
	const { schema, strict, description } = asRecord(format["json_schema"]);
	const reason = "the upstream is asked for the schema, and not held to it";
	return {
		edits: { response_format: isAlone ? { type: "json_object" } : undefined },
		instruction:
			format["type"] === "json_object"
				? spokenJson
				: spokenSchema({ schema, ...definedOnly({ description: asText(description) }) }),
		lost: strict === true ? [{ setting: "formatStrict", reason }] : [],
	};
};

/** Whether anything may have to: a cheap look before the body is copied. */
export const mayNeedFitting = ({ forcedCalls, nativeSchema, schemaBesideTools }: ModelCapabilities): boolean =>
	forcedCalls !== undefined || nativeSchema === false || schemaBesideTools === false;

/** What must change of the body for a model of these capabilities. */
export const fitRequest = (body: WireRecord, capabilities: ModelCapabilities): FittedRequest => {
	const choice = fitChoice(body, capabilities);
	const format = fitFormat(body, capabilities);
	return { ...format, edits: { ...choice.edits, ...format.edits }, lost: [...choice.lost, ...format.lost] };
};

const speaksFirst = (message: unknown): boolean => !["system", "developer"].includes(String(asRecord(message)["role"]));

/** The messages with an instruction behind what the system says first. */
export const instructed = (messages: readonly unknown[], instruction: string): readonly unknown[] => {
	const at = messages.findIndex(speaksFirst);
	return messages.toSpliced(at === -1 ? messages.length : at, 0, { role: "system", content: instruction });
};
