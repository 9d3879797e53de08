/** Request bodies of tasks: JSON, or a form with files, as some SDKs always send. */
import {
	Fault,
	type Identified,
	invalidParameter,
	readBody,
	readBytes,
	readJsonBody,
	refuseCostlyTexts,
	type WireRecord,
} from "#core";

const badForm = (): Fault =>
	new Fault({
		kind: "invalid_request",
		message: "The form could not be read; send multipart/form-data with a boundary of at most 70 characters, or JSON.",
	});

/** `a[b]` names the member `b` of `a`, `a[]` an item of the list `a`, as SDKs flatten what they send as a form. */
const put = (fields: Record<string, unknown>, name: string, value: unknown): void => {
	const nested = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name);
	const key = nested?.[1] ?? name;
	if (!nested) {
		fields[key] = key in fields ? [fields[key], value].flat() : value;
		return;
	}
	const inner = nested[2] ?? "";
	if (inner === "" || /^\d+$/.test(inner)) {
		const list: unknown = fields[key];
		fields[key] = Array.isArray(list) ? [...list, value] : [value];
		return;
	}
	const record: unknown = fields[key];
	fields[key] = { ...(typeof record === "object" && record !== null ? record : {}), [inner]: value };
};

/** More than any client sends; every part costs more to read than its bytes. */
const mostParts = 1000;

const countOf = (bytes: Uint8Array, text: string): number => {
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	let count = 0;
	for (let at = whole.indexOf(text); at !== -1 && count <= mostParts; at = whole.indexOf(text, at + 1)) count++;
	return count;
};

/**
 * Counted before the form is taken apart: what stands between its fields comes at least once for each. Deno takes one apart that
 * was cut off, too, and of half a picture a whole task would be made.
 */
const checkParts = (bytes: Uint8Array, type: string): void => {
	const boundary = /boundary="?([^";]*)/i.exec(type)?.[1]?.trim() ?? "";
	if (/^multipart/i.test(type) && (!/^.{1,70}$/.test(boundary) || countOf(bytes, `--${boundary}--`) === 0))
		throw badForm();
	if (countOf(bytes, boundary === "" ? "&" : `--${boundary}`) > mostParts)
		throw new Fault({ kind: "invalid_request", message: `The form has more than ${mostParts} fields; send fewer.` });
};

const formOf = async (bytes: Uint8Array, type: string): Promise<WireRecord> => {
	checkParts(bytes, type);
	const form = await new Response(bytes as BodyInit, { headers: { "content-type": type } }).formData().catch(() => {
		throw badForm();
	});
	const fields: Record<string, unknown> = Object.create(null);
	for (const [name, value] of form) put(fields, name, value);
	return fields;
};

/** Values of a body, and of JSON in its texts: far more than any client sends, and each is looked at several times. */
const limits = { depth: 64, nodes: 50_000, fields: 1_000 } as const;
/** Texts of fewer bytes hold less than that. */
const cheapBytes = 64 * 1024;

const openingBrace = "{".charCodeAt(0);

/** Fields that name something: read as something else, another thing would be made than the client meant, and be paid for. */
const names = ["kind", "action", "model", "model_name", "mv"];

const checkNames = (fields: WireRecord): WireRecord => {
	for (const name of names) {
		const value = fields[name];
		if (value !== undefined && value !== null && typeof value !== "string")
			throw invalidParameter(name, `"${name}" must be one text; leave it out for the usual one.`);
	}
	return fields;
};

const fieldsOf = async (call: Identified, limit: number): Promise<WireRecord> => {
	const type = call.request.headers.get("content-type") ?? "";
	const [, media] = /^(multipart\/form-data|application\/x-www-form-urlencoded)\b/i.exec(type) ?? [];
	if (media !== undefined && type.length > 200) throw badForm();
	const bytes = await (media === undefined ? readBody : readBytes)(call.request, limit, call.held);
	// The fields and files of a form are copies of its bytes.
	const denial = media === undefined ? undefined : call.held?.hold(bytes.length);
	if (denial) throw new Fault(denial);
	// `curl -d '{…}'` calls JSON a form.
	const isForm = media !== undefined && (media.startsWith("m") || bytes[0] !== openingBrace);
	const fields = isForm ? await formOf(bytes, type) : readJsonBody(bytes, limits).value;
	if (bytes.length > cheapBytes) refuseCostlyTexts(fields, limits.nodes);
	return fields;
};

/** The fields of a body of at most `limit` bytes. Files stay `File`s. */
export const readFields = async (call: Identified, limit: number): Promise<WireRecord> =>
	checkNames(await fieldsOf(call, limit));
