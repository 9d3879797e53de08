import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { keyedDigest } from "./digest.ts";

test("a keyed digest is the HMAC-SHA256 that RFC 4231 gives, on whatever runtime", () => {
	expect(keyedDigest("Jefe", "what do ya want for nothing?")).toBe(
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
	);
	for (const secret of ["p", "p".repeat(64), "p".repeat(65), "pfeffer · ü"])
		expect(keyedDigest(secret, "sk-ä")).toBe(createHmac("sha256", secret).update("sk-ä").digest("hex"));
});
