/** Digests of API keys, which every call needs one of. */
import { createHmac } from "node:crypto";

/** HMAC-SHA256 of a text under a secret, in hexadecimal. Bun's own hasher takes a third of the time of the portable one. */
export const keyedDigest = (secret: string, text: string): string =>
	typeof Bun === "undefined"
		? createHmac("sha256", secret).update(text).digest("hex")
		: new Bun.CryptoHasher("sha256", secret).update(text).digest("hex");
