/** Refusals that tell what the model cannot do for this request. */
import { asRecord, asText, type ModelCapabilities, parseJson } from "#core";

/**
 * Anthropic makes one grammar of all that it enforces, and refuses the request where that grows too large. How large is
 * published nowhere and differs between models: its word is believed.
 */
export const unable = (status: number, text: string): ModelCapabilities | undefined => {
	if (status !== 400) return undefined;
	const message = asText(asRecord(asRecord(parseJson(text))["error"])["message"]) ?? "";
	if (!/\bgrammar\b|too complex for compilation/i.test(message)) return undefined;
	return { strictTools: false, ...(message.includes("output_config") && { nativeSchema: false }) };
};
