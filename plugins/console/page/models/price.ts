/** What a target costs, in a few words. */
import { dollars } from "../data/format.ts";
import type { Target } from "./model.ts";

/** `name`: what clients ask for. A pattern passes it on, and each name of it has a price of its own. */
export const priceOf = (name: string, { model = name, price }: Target): string => {
	if (price?.input !== undefined || price?.output !== undefined)
		return `${dollars(price.input ?? 0)} in, ${dollars(price.output ?? price.input ?? 0)} out`;
	if (price) return "by other units";
	return model.includes("*") ? "as of each name" : "no price known";
};
