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

test.each(["guard_failed", "internal"])(
	"what failed within (%s) is to be found in the status and the log",
	(reason) => {
		expect(adviceOn({ ending: "refused", reason, attempts: [] })).toMatch(/portico status names it.* the log has each/);
	},
);

test("a call that went well needs none", () => {
	expect(adviceOn({ ending: "completed", attempts: [{ upstream: "main", status: 200 }] })).toBeUndefined();
});

test("a command on the token has its id, where the call had a token", () => {
	const refused = { ending: "refused", reason: "quota_exhausted", attempts: [] };
	expect(adviceOn({ ...refused, token: "tok_1" })).toContain("portico token update tok_1 --quota DOLLARS");
	expect(adviceOn({ ...refused, token: null })).toContain("portico token update ID --quota DOLLARS");
	const budget = { ...refused, token: "tok_1", message: "This token's budget for the day is used up." };
	expect(adviceOn(budget)).toBe("Raise the token's budget for the time: portico token update tok_1 --budgets 5/day.");
	const owners = { ...refused, token: "tok_1", message: "The budget of this token's owner is used up." };
	expect(adviceOn(owners)).toContain("portico person update ID --ceiling");
});

test("a model that is not found may be one that the token's list lacks, and the command that says which can be pasted", () => {
	const refused = { ending: "refused", reason: "model_not_found", token: "tok_1", attempts: [] };
	const advice = adviceOn({ ...refused, model: "vendor/model-1.5:free" });
	expect(advice).toContain("portico explain --model vendor/model-1.5:free --token tok_1 says which.");
	expect(advice).toContain("portico token update tok_1 --models");
	expect(adviceOn({ ...refused, model: "$(reboot)" })).toContain("portico explain --model NAME --token tok_1");
});

test("of a call that another target answered nobody is told to add one, but what does not pass by itself is told", () => {
	const answered = { upstream: "spare", status: 200 };
	const after = (failed: object) =>
		adviceOn({ ending: "completed", attempts: [{ upstream: "main", ...failed }, answered] });
	for (const failed of [
		{ code: "overloaded", status: 529 },
		{ code: "rate_limited", status: 429 },
	])
		expect(after(failed)).toBe(
			"Another attempt answered after main had failed: nothing need be done unless that lasts.",
		);
	expect(after({ code: "ECONNREFUSED" })).toBe(
		"Another attempt answered. Of main, which failed before: Nothing answers at the upstream's address: correct its url, or start it.",
	);
	expect(after({ code: "invalid_api_key", status: 401 })).toContain("refuses Portico's key");
});

test("an answer that was cut says who set its limit", () => {
	expect(adviceOn({ ending: "cut", token: "tok_1", attempts: [{ upstream: "main", status: 200 }] })).toContain(
		"portico token update tok_1 --quota DOLLARS",
	);
});
