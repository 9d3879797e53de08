/** `data:` addresses, read in one way wherever they stand: what they hold becomes base64 in the usual alphabet. */
import { invalidValue } from "./fields.ts";

const base64Alphabet = /^[A-Za-z0-9+/_-]*={0,2}$/;

const [dash = 0, underscore = 0, plus = 0, slash = 0] = Buffer.from("-_+/");

/** Base64 of addresses (`-`, `_`) in the usual alphabet; byte by byte, for as text a file of nothing else takes a second. */
export const inUsualAlphabet = (base64: string): string => {
	if (!/[-_]/.test(base64)) return base64;
	const bytes = Buffer.from(base64, "latin1");
	for (let at = 0; at < bytes.length; at++)
		if (bytes[at] === dash) bytes[at] = plus;
		else if (bytes[at] === underscore) bytes[at] = slash;
	return bytes.toString("latin1");
};

/** Base64 in the usual alphabet, without the line breaks some encoders add. Throws `Fault` for what is not base64. */
export const cleanBase64 = (text: string, parameter: string): string => {
	const plain = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
	if (plain === "" || !base64Alphabet.test(plain))
		throw invalidValue(parameter, `The field \`${parameter}\` does not hold valid base64 data.`);
	return inUsualAlphabet(plain);
};

/** What a `data:` address says before its data. */
interface DataUrlHead {
	/** In small letters, without parameters; empty where none is told. */
	readonly mime: string;
	readonly isBase64: boolean;
	/** Where the data begins. */
	readonly end: number;
}

const head = /^\s*data:([^;,]*)((?:;[^;,]*)*),/i;

/** Undefined for any other text. */
export const dataUrlHead = (text: string): DataUrlHead | undefined => {
	const found = head.exec(text);
	if (!found) return undefined;
	const [whole, type = "", parameters = ""] = found;
	return {
		mime: type.trim().toLowerCase(),
		isBase64: /;\s*base64\s*(?:;|$)/i.test(parameters),
		end: whole.length,
	};
};

/** What a `data:` address holds; undefined for any other text. Throws `Fault` for one that cannot be read. */
export const readDataUrl = (
	text: string,
	parameter: string,
): { readonly mime: string; readonly base64: string } | undefined => {
	if (!/^\s*data:/i.test(text)) return undefined;
	const told = dataUrlHead(text);
	if (!told) throw invalidValue(parameter, `The field \`${parameter}\` is a data: address without data.`);
	const mime = told.mime || "text/plain";
	const data = text.slice(told.end);
	if (told.isBase64) return { mime, base64: cleanBase64(data, parameter) };
	try {
		return { mime, base64: Buffer.from(decodeURIComponent(data), "utf8").toString("base64") };
	} catch {
		throw invalidValue(parameter, `The field \`${parameter}\` is a data: address whose data cannot be read.`);
	}
};
