/** How much a model is to think: tokens for models up to Gemini 2.5, a level for later ones. */
import {
	definedOnly,
	type Effort,
	type EncodeContext,
	fittingBudget,
	fittingEffort,
	type Losses,
	type ModelCapabilities,
	noLevels,
	type Reasoning,
	thinksAnyway,
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

/**
 * Google's words, weakest first; XHIGH came with Gemini 4, and no model of another maker is known to take it here. Asked of a
 * model of which nothing is known: those of which every one takes one or the other.
 */
const levels: Partial<Record<Effort, string>> = {
	minimal: "MINIMAL",
	low: "LOW",
	medium: "MEDIUM",
	high: "HIGH",
	xhigh: "XHIGH",
};
const usual: readonly Effort[] = ["low", "medium", "high"];

const levelsTaken = ({ capabilities: { efforts = usual }, family }: EncodeContext): readonly Effort[] =>
	efforts.filter((effort) => levels[effort] !== undefined && (effort !== "xhigh" || family === "gemini"));

const anyBudget: NonNullable<ModelCapabilities["budget"]> = { min: 1, max: 24_576 };

const isOff = ({ mode, effort }: Reasoning): boolean => mode === "off" || effort === "none";

const budgetFor = (reasoning: Reasoning, { capabilities }: EncodeContext): number => {
	if (reasoning.mode === "auto") return -1;
	const bounds = capabilities.budget ?? anyBudget;
	// Where thinking cannot be switched off, the least is the nearest.
	if (isOff(reasoning)) return bounds.off === false ? bounds.min : 0;
	return fittingBudget(reasoning, bounds);
};

const levelOf = (reasoning: Reasoning, context: EncodeContext): string | undefined => {
	const level = reasoning.mode === "auto" ? undefined : fittingEffort(reasoning, levelsTaken(context));
	return level && levels[level];
};

const reportLosses = (reasoning: Reasoning, style: Style, context: EncodeContext, losses: Losses): void => {
	const { budget } = context.capabilities;
	if (isOff(reasoning) && (style === "level" || budget?.off === false)) losses.setting("reasoning", thinksAnyway);
	else if (style === "level" && reasoning.mode === "on" && levelsTaken(context).length === 0)
		losses.setting("reasoning", noLevels);
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
	reportLosses(reasoning, style, context, losses);
	const asked = reasoning.mode === "on" || reasoning.mode === "auto";
	const shown = reasoning.expose === undefined ? asked : reasoning.expose !== "none";
	const config = definedOnly({
		includeThoughts: shown || undefined,
		thinkingBudget: style === "budget" && reasoning.mode !== "default" ? budgetFor(reasoning, context) : undefined,
		thinkingLevel: style === "level" && reasoning.mode !== "default" ? levelOf(reasoning, context) : undefined,
	});
	return Object.keys(config).length > 0 ? config : undefined;
};
