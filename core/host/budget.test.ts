/** What bodies and answers may hold where nothing is said. */
import { expect, test } from "bun:test";
import { budgetFor } from "./build.ts";

const megabyte = 1024 ** 2;

test.each([256, 512, 4096])("a quarter of %i MB, so that the system does not end the process", (memory) => {
	expect(budgetFor({}, memory * megabyte).total).toBe((memory / 4) * megabyte);
});

test("what is set counts", () => {
	expect(budgetFor({ memoryBytes: 7 * megabyte }, 256 * megabyte).total).toBe(7 * megabyte);
});
