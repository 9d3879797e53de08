import { expect, test } from "bun:test";
import { stateOf, tokenOf } from "./token.ts";

test("a token that is refused for a setting nobody enforces is not said to work", () => {
	expect(stateOf(tokenOf({ unenforced: ["quota"] }), 0)).toEqual({ word: "Refused", tone: "stop", group: "stopped" });
	expect(stateOf(tokenOf({ unenforced: ["quota"], disabled: true }), 0).word).toBe("Disabled");
	expect(stateOf(tokenOf({}), 0).word).toBe("Working");
});
