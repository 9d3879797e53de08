/** Signing by the Standard Webhooks scheme, 1.0.0: HMAC-SHA256 over `id.timestamp.body`. */
import { createHmac, randomBytes } from "node:crypto";

const prefix = "whsec_";

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const createSecret = (): string => prefix + randomBytes(32).toString("base64");

/** The headers that say which message this is, when this attempt was made (seconds since 1970), and who made it: one signature for each secret that is valid. */
export const signatureHeaders = (
	id: string,
	seconds: number,
	body: Uint8Array,
	secrets: readonly string[],
): Record<string, string> => {
	const headers: Record<string, string> = { "webhook-id": id, "webhook-timestamp": String(seconds) };
	const signatures = secrets.map((secret) => {
		const key = Buffer.from(secret.slice(prefix.length), "base64");
		return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.`).update(body).digest("base64")}`;
	});
	if (signatures.length > 0) headers["webhook-signature"] = signatures.join(" ");
	return headers;
};
