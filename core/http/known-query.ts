/** Refuses what a route's query does not take: a filter that is not understood would show everything. */
import { didYouMean } from "../config/complaint.ts";
import { type Denial, deny } from "../contract/fault.ts";

const longest = 64;

/** `known`: all names that the route takes; undefined where it takes any. */
export const refuseUnknownQuery = (url: URL, known: readonly string[] | undefined): Denial | undefined => {
	const strange = known && [...url.searchParams.keys()].find((name) => !known.includes(name));
	if (known === undefined || strange === undefined) return undefined;
	const parameter = strange.slice(0, longest);
	const names = known.length === 0 ? "no parameters" : known.join(", ");
	const message = `This route has no parameter "${parameter}"${didYouMean(parameter, known)}; it takes ${names}.`;
	return deny("invalid_request", message, { parameter });
};
