/** What Portico must know of a request of telegraph: its words are all there is to it. */
import { BoundReader, type RequestFacts, steeringFinder } from "#core";

const finder = steeringFinder(["station", "lines", "most"]);

export const facts: RequestFacts = {
	bound: (body) => new BoundReader(body).result(),
	tiers: () => [],
	steering: finder.find,
};
