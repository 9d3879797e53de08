/** The number that an upstream writes as one, or as a text that begins with it: `45`, `"45"`, `"45%"`. */
import { asNumber, asText } from "#core";

export const leadingNumber = (value: unknown): number | undefined =>
	asNumber(value) ?? asNumber(Number.parseFloat(asText(value) ?? ""));
