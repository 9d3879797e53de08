/** Thinking, effort, the output limit and sampling: four things that bind each other. */
import {
	definedOnly,
	type Effort,
	fittingBudget,
	fittingEffort,
	type Losses,
	type ModelCapabilities,
	type NeutralRequest,
	nearestEffort,
	noLevels,
	type Reasoning,
	type Setting,
	thinksAnyway,
	type WireRecord,
} from "#core";
import { protocolName } from "../name.ts";

const defaultLimit = 8192;
const leastBudget = 1024;
/** The levels of this protocol: asked of a model of which none are known. */
const levels: readonly Effort[] = ["low", "medium", "high", "xhigh", "max"];

const levelsTaken = ({ efforts = levels }: ModelCapabilities): readonly Effort[] =>
	efforts.filter((effort) => levels.includes(effort));

/** What the request says about thinking, and the limit it must fit in. */
interface EncodedReasoning {
	readonly thinking?: WireRecord;
	readonly effort?: Effort;
	readonly maxTokens: number;
	/** True when thinking has a budget: then nothing may be forced, and no beginning of the answer given. */
	readonly budgeted: boolean;
}

interface ReasoningSetting {
	readonly capabilities: ModelCapabilities;
	readonly losses: Losses;
	/** Why thinking with a budget cannot be had in this request, in words. */
	readonly hindrance: string | undefined;
}

const limitOf = ({ maxOutputTokens }: NeutralRequest, { maxOutput }: ModelCapabilities): number =>
	maxOutputTokens === undefined
		? (maxOutput ?? defaultLimit)
		: Math.min(maxOutputTokens, maxOutput ?? Number.POSITIVE_INFINITY);

const display = ({ expose }: Reasoning): WireRecord => {
	if (expose === "none") return { display: "omitted" };
	return expose === "summary" ? { display: "summarized" } : {};
};

/** A budget that was asked in tokens needs only to be below the limit; one made of a word leaves room for the answer. */
const budgetOf = (reasoning: Reasoning, limit: number, { budget }: ModelCapabilities): number => {
	const room = reasoning.budget === undefined ? limit - Math.min(1024, Math.floor(limit / 4)) : limit - 1;
	const least = Math.max(leastBudget, budget?.min ?? 0);
	const most = Math.min(room, budget?.max ?? Number.POSITIVE_INFINITY);
	return fittingBudget(reasoning, { min: least, max: most });
};

const withBudget = (request: NeutralRequest, reasoning: Reasoning, setting: ReasoningSetting): EncodedReasoning => {
	const { capabilities, losses, hindrance } = setting;
	const { maxOutputTokens } = request;
	// Without a limit of the client's, the default one grows by what thinking may take.
	const free = capabilities.maxOutput ?? defaultLimit + fittingBudget(reasoning, capabilities.budget);
	const limit = maxOutputTokens === undefined ? free : limitOf(request, capabilities);
	const budget = budgetOf(reasoning, limit, capabilities);
	const reason = hindrance ?? (budget < leastBudget ? "the output limit leaves no room for thinking" : undefined);
	if (reason === undefined) {
		const thinking = { type: "enabled", budget_tokens: budget, ...display(reasoning) };
		return { thinking, maxTokens: limit, budgeted: true };
	}
	losses.setting("reasoning", reason);
	return { maxTokens: limitOf(request, capabilities), budgeted: false };
};

/** Effort without a word about thinking is how a client of this protocol asks for just that. */
const onlyEffort = (request: NeutralRequest): boolean =>
	request.protocol === protocolName && request.raw["thinking"] === undefined;

/** The newest models show no thinking unless they are asked to; a client of this protocol says so itself. */
const shown = ({ protocol }: NeutralRequest, reasoning: Reasoning): WireRecord =>
	reasoning.expose === "full" && protocol !== protocolName ? { display: "summarized" } : display(reasoning);

const byEffort = (request: NeutralRequest, reasoning: Reasoning, setting: ReasoningSetting): EncodedReasoning => {
	const { capabilities } = setting;
	return {
		...(!onlyEffort(request) && { thinking: { type: "adaptive", ...shown(request, reasoning) } }),
		...definedOnly({ effort: fittingEffort(reasoning, levelsTaken(capabilities)) }),
		maxTokens: limitOf(request, capabilities),
		budgeted: false,
	};
};

const off = (
	request: NeutralRequest,
	reasoning: Reasoning,
	{ capabilities, losses }: ReasoningSetting,
): EncodedReasoning => {
	const { thinking, betweenTools } = capabilities;
	const efforts = levelsTaken(capabilities);
	const maxTokens = limitOf(request, capabilities);
	if (thinking === "none") return { maxTokens, budgeted: false };
	if (thinking === "always" && betweenTools !== true) {
		losses.setting("reasoning", thinksAnyway);
		return { ...definedOnly({ effort: nearestEffort("none", efforts) }), maxTokens, budgeted: false };
	}
	const takesEffort = thinking !== "budget" || capabilities.efforts !== undefined;
	const effort =
		reasoning.effort !== undefined && reasoning.effort !== "none" && takesEffort ? reasoning.effort : undefined;
	// Without thinking the newest models refuse more than `high`.
	const most = efforts.filter((level) => level !== "xhigh" && level !== "max");
	return {
		thinking: { type: betweenTools === true ? "between_tools" : "disabled" },
		...definedOnly({ effort: effort && nearestEffort(effort, most) }),
		maxTokens,
		budgeted: false,
	};
};

/** `thinking`, `output_config.effort` and `max_tokens`. */
export const encodeReasoning = (request: NeutralRequest, setting: ReasoningSetting): EncodedReasoning => {
	const { capabilities, losses } = setting;
	const reasoning = request.reasoning ?? { mode: "default" };
	const plain = { maxTokens: limitOf(request, capabilities), budgeted: false };
	if (reasoning.mode === "default" && reasoning.effort === undefined) return plain;
	if (reasoning.mode === "off" || reasoning.effort === "none") return off(request, reasoning, setting);
	switch (capabilities.thinking ?? "budget") {
		case "none":
			losses.setting("reasoning", "this model does not think");
			return plain;
		case "budget":
			if (!onlyEffort(request)) return withBudget(request, reasoning, setting);
			if (capabilities.efforts !== undefined) return byEffort(request, reasoning, setting);
			losses.setting("reasoning", noLevels);
			return plain;
		default:
			return byEffort(request, reasoning, setting);
	}
};

const dropped = (
	setting: Setting,
	value: number | undefined,
	harmless: number,
	reason: string,
	losses: Losses,
): undefined => {
	if (value !== undefined && value !== harmless) losses.setting(setting, reason);
	return undefined;
};

interface EncodedSampling {
	readonly temperature?: number | undefined;
	readonly top_p?: number | undefined;
	readonly top_k?: number | undefined;
}

const clamped = (temperature: number | undefined, losses: Losses): number | undefined => {
	if (temperature === undefined || temperature <= 1) return temperature;
	losses.setting("temperature", "the upstream takes at most 1, which it was given");
	return 1;
};

/** Sampling within what the model and its thinking allow; values that change nothing are dropped without a word. */
export const encodeSampling = (
	{ sampling }: NeutralRequest,
	capabilities: ModelCapabilities,
	thinks: boolean,
	losses: Losses,
): EncodedSampling => {
	const { topP, topK } = sampling;
	const takesOne = capabilities.temperatureOrTopP === true;
	// Where the model takes one of the two, a temperature of 1 goes first: it is what the model does anyway.
	const temperature = takesOne && topP !== undefined && sampling.temperature === 1 ? undefined : sampling.temperature;
	if (capabilities.samplingRefused) {
		const reason = "the model refuses sampling settings";
		return {
			temperature: dropped("temperature", temperature, 1, reason, losses),
			top_p: dropped("topP", topP, 1, reason, losses),
			top_k: dropped("topK", topK, Number.NaN, reason, losses),
		};
	}
	if (thinks) {
		const reason = "the model refuses it while it thinks";
		return {
			temperature: temperature === 1 ? 1 : dropped("temperature", temperature, 1, reason, losses),
			top_p: topP !== undefined && topP >= 0.95 ? topP : dropped("topP", topP, 1, reason, losses),
			top_k: dropped("topK", topK, Number.NaN, reason, losses),
		};
	}
	const both = takesOne && temperature !== undefined;
	return {
		temperature: clamped(temperature, losses),
		top_p: both ? dropped("topP", topP, 1, "the model takes only one of temperature and top_p", losses) : topP,
		top_k: topK,
	};
};
