/** What is said of a call goes by how it ended, where its attempts would mislead. */
import { expect, test } from "bun:test";
import { adviceOn } from "./advice.ts";

test("a call that ended because Portico was stopped does not blame its upstream", () => {
	const attempts = [{ upstream: "main", code: "overloaded", message: "Portico is being stopped" }];
	const advice = adviceOn({ ending: "shut_down", reason: "overloaded", attempts });
	expect(advice).toContain("Portico was stopped while the call ran");
	expect(adviceOn({ ending: "upstream_failed", attempts })).toContain("The upstream itself fails");
});

test.each(["crash", "lease_lost"])("what was charged without a call's end (%s) is told as such", (ending) => {
	expect(adviceOn({ ending, attempts: [] })).toContain("charged");
});

test("a call that went well needs none", () => {
	expect(adviceOn({ ending: "completed", attempts: [{ upstream: "main", status: 200 }] })).toBeUndefined();
});
