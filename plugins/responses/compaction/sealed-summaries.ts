/**
 * Summaries as clients carry them: sealed, so that a client replays them unread as it does OpenAI's own, and opened by
 * every node that shares the database. The secret is made once and stands in the database.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { carry, type Store, uncarry } from "#core";

/** The origin of what Portico itself sealed. */
const origin = "portico";
/** What a summary stands for: what its client leaves out because of it, or all that stands before it. */
const marks = { left: "1", all: "1a" } as const;
export type Scope = keyof typeof marks;
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

export interface SealedSummaries {
	/** Resolves when `seal` and `open` may be called. */
	ready(): Promise<void>;
	/** The `encrypted_content` of a summary by a model of that family. */
	seal(summary: string, family: string, scope?: Scope): string;
	/** True for one that this Portico sealed; one of another Portico's is as foreign as any provider's. */
	isOwn(sealed: string): boolean;
	/** The summary; undefined for one that was changed, or that another Portico sealed. */
	open(sealed: string): string | undefined;
}

/** What one of any Portico's says before it is opened. Those of earlier releases do not say which Portico sealed them. */
const readSealed = (sealed: string) => {
	const carried = uncarry(sealed);
	if (carried?.origin.protocol !== origin) return undefined;
	const [mark = "", ...rest] = carried.value.split(".");
	const [cipherText = "", sealer] = rest.toReversed();
	return { mark, sealer, cipherText, family: carried.origin.family };
};

/** True for a summary that stands for all that is before it. */
export const standsForAll = (sealed: string): boolean => readSealed(sealed)?.mark === marks.all;

/** Tells one Portico from another, and nothing of their secrets. */
const sealerOf = (secret: Buffer): string =>
	createHash("sha256").update("portico house ").update(secret).digest("base64url").slice(0, 8);

const bound = (family: string, mark: string): Buffer => Buffer.from(`portico compaction ${mark} ${family}`);

const sealWith = (secret: Buffer, summary: string, family: string, mark: string): string => {
	const nonce = randomBytes(nonceBytes);
	const sealing = createCipheriv(cipher, secret, nonce).setAAD(bound(family, mark));
	const text = Buffer.concat([sealing.update(summary, "utf8"), sealing.final()]);
	const value = Buffer.concat([nonce, sealing.getAuthTag(), text]).toString("base64url");
	return carry({ value: `${mark}.${sealerOf(secret)}.${value}`, origin: { protocol: origin, family } });
};

const isOwn = (secret: Buffer, sealed: string): boolean => {
	const read = readSealed(sealed);
	return read !== undefined && (read.sealer === undefined || read.sealer === sealerOf(secret));
};

const openWith = (secret: Buffer, sealed: string): string | undefined => {
	const read = readSealed(sealed);
	if (!read || !isOwn(secret, sealed) || !Object.values<string>(marks).includes(read.mark)) return undefined;
	const bytes = Buffer.from(read.cipherText, "base64url");
	if (bytes.length < nonceBytes + tagBytes) return undefined;
	const opening = createDecipheriv(cipher, secret, bytes.subarray(0, nonceBytes))
		.setAAD(bound(read.family, read.mark))
		.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
	try {
		const text = opening.update(bytes.subarray(nonceBytes + tagBytes));
		return Buffer.concat([text, opening.final()]).toString("utf8");
	} catch {
		// The tag does not fit: it was changed, or sealed with another secret.
		return undefined;
	}
};

const storedSecret = async (store: Store): Promise<Buffer> => {
	const fresh = randomBytes(32).toString("base64url");
	await store.write([
		sql`INSERT INTO responses_capsule_secret (id, value) VALUES (1, ${fresh}) ON CONFLICT (id) DO NOTHING`,
	]);
	const [row] = await store.all(sql`SELECT value FROM responses_capsule_secret WHERE id = 1`);
	return Buffer.from(String(row?.["value"]), "base64url");
};

/** Without a store the secret is that of this process alone. */
export const createSealedSummaries = (store?: Store): SealedSummaries => {
	let secret: Buffer | undefined = store ? undefined : randomBytes(32);
	let reading: Promise<void> | undefined;
	const known = (): Buffer => {
		if (!secret) throw new TypeError("the secret of summaries was not read yet");
		return secret;
	};
	return {
		async ready() {
			if (secret || !store) return;
			reading ??= storedSecret(store)
				.then((found) => {
					secret = found;
				})
				.finally(() => {
					reading = undefined;
				});
			await reading;
		},
		seal: (summary, family, scope = "left") => sealWith(known(), summary, family, marks[scope]),
		isOwn: (sealed) => isOwn(known(), sealed),
		open: (sealed) => openWith(known(), sealed),
	};
};
