/** How much a model is to think: tokens for models up to Gemini 2.5, a level for later ones. */
import {
	definedOnly,
	type Effort,
	type EncodeContext,
	type Losses,
	type ModelCapabilities,
	type Reasoning,
	type WireRecord,
} from "#core";

type Style = "none" | "budget" | "level";

const styleOf = ({ capabilities }: EncodeContext, reasoning: Reasoning): Style => {
	switch (capabilities.thinking) {
		case "none":
		case "budget":
			return capabilities.thinking;
		case "effort":
		case "adaptive":
		case "always":
			return "level";
	}
	return reasoning.budget !== undefined ? "budget" : "level";
};

const order: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Levels of which every model of this protocol takes one or the other; asked of models of which nothing is known. */
const usual: readonly Effort[] = ["low", "medium", "high"];

/** Efforts that a model takes as levels, weakest first. */
const levelsOf = ({ capabilities: { efforts = usual } }: EncodeContext): readonly Effort[] =>
	order.filter((effort) => efforts.includes(effort) && levels[effort] !== undefined);

const levels: Partial<Record<Effort, string>> = { minimal: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH" };

/** The weakest level that is not below what was asked, else the strongest there is. */
const levelFor = (effort: Effort, context: EncodeContext): string | undefined => {
	const taken = levelsOf(context);
	const rank = order.indexOf(effort);
	const found = taken.find((level) => order.indexOf(level) >= rank) ?? taken.at(-1);
	return found && levels[found];
};

const effortOfBudget = (budget: number): Effort => {
	if (budget <= 512) return "minimal";
	if (budget <= 1024) return "low";
	return budget <= 8192 ? "medium" : "high";
};

const budgets: Readonly<Record<Effort, number>> = {
	none: 0,
	minimal: 512,
	low: 1024,
	medium: 8192,
	high: 24_576,
	xhigh: Number.POSITIVE_INFINITY,
	max: Number.POSITIVE_INFINITY,
};

const anyBudget = { min: 1, max: 24_576 };

const budgetFor = (reasoning: Reasoning, { capabilities }: EncodeContext): number => {
	if (reasoning.mode === "auto") return -1;
	const { min, max, off }: NonNullable<ModelCapabilities["budget"]> = capabilities.budget ?? anyBudget;
	// Where thinking cannot be switched off, the least is the nearest.
	if (reasoning.mode === "off" || reasoning.effort === "none") return off === false ? min : 0;
	const wanted = reasoning.budget ?? budgets[reasoning.effort ?? "medium"];
	return Math.min(max, Math.max(min, wanted));
};

const levelOf = (reasoning: Reasoning, context: EncodeContext): string | undefined => {
	if (reasoning.mode === "auto") return undefined;
	if (reasoning.mode === "off") return levelFor("none", context);
	const { budget, effort } = reasoning;
	if (effort === undefined && budget === undefined) return undefined;
	return levelFor(effort ?? effortOfBudget(budget ?? 0), context);
};

/** `thinkingConfig` for the model, never with a budget and a level at once; undefined when there is nothing to say. */
export const encodeThinking = (
	reasoning: Reasoning | undefined,
	context: EncodeContext,
	losses: Losses,
): WireRecord | undefined => {
	if (!reasoning) return undefined;
	const style = styleOf(context, reasoning);
	if (style === "none") {
		if (reasoning.mode === "on") losses.setting("reasoning", "the model does not think");
		return undefined;
	}
	const asked = reasoning.mode === "on" || reasoning.mode === "auto";
	const shown = reasoning.expose === undefined ? asked : reasoning.expose !== "none";
	const config = definedOnly({
		includeThoughts: shown || undefined,
		thinkingBudget: style === "budget" && reasoning.mode !== "default" ? budgetFor(reasoning, context) : undefined,
		thinkingLevel: style === "level" && reasoning.mode !== "default" ? levelOf(reasoning, context) : undefined,
	});
	return Object.keys(config).length > 0 ? config : undefined;
};
