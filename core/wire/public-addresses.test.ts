import { describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { isPublicAddress } from "./public-addresses.ts";

describe("a resolved address", () => {
	test("is not public when it is this machine's own", () => {
		expect(isPublicAddress("8.8.4.4", () => new Set(["8.8.4.4"]))).toBe(false);
		expect(isPublicAddress("8.8.4.4", () => new Set())).toBe(true);
		for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? []))
			expect(isPublicAddress(address)).toBe(false);
	});

	test("is not public when it cannot be read", () => {
		for (const text of ["", "localhost", "1.2.3", "::gg", "8.8.8.8.8"]) expect(isPublicAddress(text)).toBe(false);
	});

	test("is read without its zone", () => expect(isPublicAddress("fe80::1%eth0")).toBe(false));
});
