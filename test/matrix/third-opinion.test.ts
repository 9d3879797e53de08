/** A sample of what `npm run third-opinion` compares, in every run of the tests. */
import { expect, test } from "bun:test";
import { withoutShared } from "../support/recordings.ts";
import { compareAll } from "./opinion-groups.ts";
import { acceptedOpinions, libraryOpinions } from "./opinions.ts";
import { loadProtocols } from "./protocols.ts";

const protocols = await loadProtocols();

test.skipIf(withoutShared)("translations that live targets accepted differ from ours only with a reason", () => {
	const { compared, same, unknown } = compareAll(acceptedOpinions(protocols, (at) => at % 4 === 0));
	expect(unknown).toEqual([]);
	expect(same / compared).toBeGreaterThan(0.7);
});

test.skipIf(withoutShared)(
	"another library's translations of recorded exchanges differ from ours only with a reason",
	() => {
		const { compared, unknown } = compareAll(libraryOpinions(protocols, (_, at) => at % 29 === 0));
		expect(unknown).toEqual([]);
		expect(compared).toBeGreaterThan(300);
	},
);
