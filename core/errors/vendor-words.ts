/** What a vendor itself said of a failure, for the operator: whatever shape it has, short, and without secrets. */
import { asRecord, asText, isRecord, parseJson } from "../neutral/json.ts";
import { fieldComplaints } from "./field-complaints.ts";
import { scrub, scrubMessage, withoutKeys } from "./redact.ts";

interface VendorWords {
	readonly code?: string;
	readonly message?: string;
}

const longest = 500;

/** The first text there is. */
const firstText = (...values: readonly unknown[]): string | undefined =>
	values.map(asText).find((text) => text !== undefined && text !== "");

const told = (body: unknown): VendorWords => {
	const root = asRecord(Array.isArray(body) ? body[0] : body);
	const listed: unknown = Array.isArray(root["errors"]) ? root["errors"][0] : undefined;
	const error = [root["error"], listed, root["detail"]].find(isRecord) ?? root;
	const message = firstText(
		error["message"],
		error["msg"],
		root["error"],
		root["message"],
		root["detail"],
		fieldComplaints(root["detail"]) ?? fieldComplaints(asRecord(root["message"])["detail"]),
		root["error_description"],
		listed,
	);
	const code = firstText(error["code"], error["status"], error["type"]);
	return { ...(message !== undefined && { message }), ...(code !== undefined && { code }) };
};

/** A page of a proxy in between, without its markup. */
const plain = (text: string): string =>
	text
		.replace(/<(script|style)[\s\S]*?<\/\1>/gi, " ")
		.replace(/<[^>]*>/g, " ")
		.replace(/\s+/g, " ")
		.trim();

/** A key that stands where a code should is none. */
const isWord = (code: string): boolean => /^[\w.-]{1,64}$/.test(code) && withoutKeys(scrub(code)) === code;

const shown = ({ message = "", code }: VendorWords): VendorWords => {
	const words = scrubMessage(message).slice(0, longest);
	return {
		...(words !== "" && { message: words }),
		...(code !== undefined && isWord(code) && { code }),
	};
};

/** `text`: the body of an answer that is not 2xx. */
export const vendorWords = (text: string): VendorWords => {
	const { message = plain(text.slice(0, 4 * longest)), ...rest } = told(parseJson(text));
	return shown({ message, ...rest });
};

/** `text`: an answer, or an event of one, that tells a failure within itself. Nothing of it but its error is taken. */
export const vendorWordsWithin = (text: string): VendorWords => {
	const body = asRecord(parseJson(text));
	const error = body["error"] ?? asRecord(body["response"])["error"];
	return error === undefined || error === null ? {} : shown(told({ error }));
};
