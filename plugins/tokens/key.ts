/** API keys: `sk-`, 43 base62 characters from the system's random source, 6 of checksum. */
import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { keyedDigest } from "#core";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const randomLength = 43;
const checksumLength = 6;
/** Characters of a key. */
export const keyLength = 3 + randomLength + checksumLength;
const shape = new RegExp(`^sk-[0-9A-Za-z]{${randomLength + checksumLength}}$`);

/** Base62 characters without bias: bytes beyond the largest multiple of 62 are thrown away. */
const randomText = (length: number): string => {
	let text = "";
	while (text.length < length)
		for (const byte of randomBytes(length * 2)) if (byte < 248 && text.length < length) text += alphabet[byte % 62];
	return text;
};

const checksum = (body: string): string => {
	let rest = crc32(body);
	let text = "";
	for (let index = 0; index < checksumLength; index++) {
		text = alphabet[rest % 62] + text;
		rest = Math.floor(rest / 62);
	}
	return text;
};

/** A new key. */
export const makeKey = (): string => {
	const body = `sk-${randomText(randomLength)}`;
	return body + checksum(body);
};

/** Whether a string could be a key at all: garbage is refused without asking the database. */
export const looksLikeKey = (text: string): boolean =>
	shape.test(text) && checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength);

/** What is stored instead of the key: 64 hexadecimal characters. */
export const digestOf = keyedDigest;

/** How a key is shown after its creation. */
export const previewOf = (key: string): string => `${key.slice(0, 6)}…${key.slice(-4)}`;
