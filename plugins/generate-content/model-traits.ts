/** What is known of a Gemini model by its name, where its capabilities do not say. */
import type { ModelCapabilities } from "#core";

/** 3 for `gemini-3.1-pro`, 2.5 for `gemini-2.5-flash`; undefined for a name that tells nothing. */
export const generationOf = (model: string): number | undefined => {
	const version = /gemini-(\d+(?:\.\d+)?)/i.exec(model)?.[1];
	if (version !== undefined) return Number(version);
	// `gemini-flash-latest` is whatever is newest.
	return /gemini-[\w-]*latest/i.test(model) ? 3 : undefined;
};

/** True from Gemini 3 on, the generation that checks signatures and mixes its own tools with functions. */
export const isThirdGeneration = (model: string): boolean => (generationOf(model) ?? 0) >= 3;

/** True for models that take media inside the result of a function. */
export const takesMediaInResults = (model: string, capabilities: ModelCapabilities): boolean =>
	capabilities.imagesInToolResults ?? isThirdGeneration(model);

/** True for models that take Google's own tools beside functions. */
export const mixesTools = (model: string, capabilities: ModelCapabilities): boolean =>
	capabilities.mixServerAndFunctionTools ?? isThirdGeneration(model);
