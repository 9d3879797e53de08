import { expect, test } from "bun:test";
import { scrubMessage } from "./redact.ts";

test.each([
	["boom at http://10.0.0.5:8080/v1, again", "boom at [address] again"],
	["boom at http://[fd00::12]:8080/v1 (twice)", "boom at [address] (twice)"],
	["boom at http://[removed]", "boom at [address]"],
	["boom at http://[removed]/v1/chat]", "boom at [address]]"],
	["[see https://vendor.example/docs]", "[see [address]]"],
	["a list http://[open", "a list [address]"],
])("of %j is left %j", (message, left) => expect(scrubMessage(message)).toBe(left));
