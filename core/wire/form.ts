/**
 * A `multipart/form-data` body whose parts are found, not copied: RFC 7578 by way of RFC 2046 §5.1. Only the heads of
 * parts are read, so that a file of 25 MB costs no more than its boundary is looked for.
 */
import type { FormBody, FormPart } from "../contract/endpoint.ts";
import type { Fault } from "../contract/fault.ts";
import { invalidForm, quoted } from "./endpoint-form.ts";
import { checkCharset, checkFieldCharset } from "./form-charset.ts";

/** More than any client sends; every part costs more to read than its bytes. */
const mostParts = 64;
/** Bytes of a part's head. */
const longestHead = 4096;
const longestName = 200;
const longestType = 300;

/**
 * Boundaries that readers disagree about, so that each finds other parts: some take a backslash for itself, some for what is
 * behind it; a blank at the end counts or does not; `=?` may begin the encoding of mail; letters beyond ASCII have other bytes.
 */
const ambiguousBoundary = /\\| $|=\?|[^ -~]/;

const boundaryOf = (contentType: string): string => {
	const found = /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s",;]{1,70}))\s*(?:;|$)/i.exec(
		contentType.slice(0, longestType),
	);
	const boundary = found?.[1] ?? found?.[2];
	// Two of them would be read by one as the first and by another as the last.
	if (
		boundary === undefined ||
		ambiguousBoundary.test(boundary) ||
		contentType.length > longestType ||
		contentType.split(/;\s*boundary[^=;]*=/i).length !== 2
	)
		throw invalidForm(
			"The body is no form that can be read: send `multipart/form-data` with a boundary of 1 to 70 characters.",
		);
	checkCharset(contentType);
	return boundary;
};

const ambiguous = (): Fault =>
	invalidForm(
		"The head of a part of the form can be read in more than one way; write each name and header in it once.",
	);

/**
 * `form-data; name="file"; filename="a.wav"` as its parameters. Throws for what two readers would read differently, so that an
 * upstream reads no field that is not counted here: a parameter in pieces or in other letters (`name*0`; `filename*` is
 * taken), and a backslash before a quote, which ends the value for some readers and not for others.
 */
const parametersOf = (disposition: string): ReadonlyMap<string, string> => {
	const found = new Map<string, string>();
	const rest = /^form-data\s*/i.exec(disposition);
	let at = rest?.[0].length ?? disposition.length;
	// Without quotes a value ends where the standard lets it, for some readers end it there and others later.
	const parameter = /;\s*([\w-]+|filename\*)=(?:"([^"]*)"|([\w!#$%&'*+.^`|~-]+))(?=\s*(?:;|$))\s*/iy;
	while (at < disposition.length) {
		parameter.lastIndex = at;
		const one = parameter.exec(disposition);
		const name = one?.[1]?.toLowerCase();
		if (!one || name === undefined || found.has(name) || one[2]?.endsWith("\\")) throw ambiguous();
		found.set(name, one[2]?.replaceAll("\\\\", "\\") ?? one[3] ?? "");
		at = parameter.lastIndex;
	}
	// Some readers take the backslash out, or undo the encoding of mail (`=?utf-8?q?model?=`).
	if (/\\|=\?/.test(found.get("name") ?? "")) throw ambiguous();
	return found;
};

/** Readers differ on what a control character within a line means. */
const control = /(?!\t)\p{Cc}/u;

const headersOf = (text: string): ReadonlyMap<string, string> => {
	const fields = new Map<string, string>();
	for (const line of text.split("\r\n")) {
		const colon = line.indexOf(":");
		const name = line.slice(0, Math.max(0, colon)).toLowerCase();
		if (!/^[\w-]+$/.test(name) || control.test(line) || fields.has(name)) throw ambiguous();
		fields.set(name, line.slice(colon + 1).trim());
	}
	return fields;
};

const headOf = (text: string): Pick<FormPart, "name" | "filename" | "type"> => {
	const fields = headersOf(text);
	const parameters = parametersOf(fields.get("content-disposition") ?? "");
	const name = parameters.get("name");
	if (name === undefined || name.length > longestName)
		throw invalidForm(
			"A part of the form has no name, or one that is too long; give each a `name` of at most 200 characters.",
		);
	const filename = parameters.get("filename") ?? parameters.get("filename*");
	const type = fields.get("content-type");
	if (filename === undefined) checkFieldCharset(name, type);
	// Some readers decode it, most do not.
	if (!/^(?:7bit|8bit|binary)?$/i.test(fields.get("content-transfer-encoding") ?? "")) throw ambiguous();
	// A form within a form could hold a second model that only the upstream reads.
	if (/^multipart\//i.test(type ?? ""))
		throw invalidForm("A part of the form is a form of its own; send each file and each field as a part for itself.");
	return { name, ...(filename !== undefined && { filename }), ...(type !== undefined && { type }) };
};

const doubtfulBoundary = (): Fault =>
	invalidForm(
		"The form has its boundary where not all readers see one, after half a line end, right behind a head, before the first or after the last boundary; choose another boundary.",
	);

type BoundaryAfter = (from: number) => number;

/**
 * Finds the line end before the next boundary, from a place on; -1 where there is none. Throws where some readers see one and
 * others do not, for they take half a line end for a whole one.
 */
const boundariesIn = (whole: Buffer, dashes: string): BoundaryAfter => {
	if (whole.includes(`\r${dashes}`)) throw doubtfulBoundary();
	return (from) => {
		const newline = whole.indexOf(`\n${dashes}`, from);
		if (newline !== -1 && whole[newline - 1] !== 0x0d) throw doubtfulBoundary();
		return newline === -1 ? -1 : newline - 1;
	};
};

/** The line end before the first of all, which may be missing. What stands before it may not hold one: some readers find it amid a line. */
const firstBoundary = (whole: Buffer, dashes: string, boundaryAfter: BoundaryAfter): number => {
	const at = whole.indexOf(dashes);
	const first = at === 0 ? -2 : boundaryAfter(0);
	if (first === -1)
		throw invalidForm(
			"The form does not hold the boundary that its `content-type` names; send both as they were made.",
		);
	if (first + 2 !== at) throw doubtfulBoundary();
	return first;
};

/** Right behind a head no boundary may stand: some readers want a line end of its own before it, and take it for the value. */
const endOfValue = (start: number, boundaryAfter: BoundaryAfter): number => {
	const end = boundaryAfter(start - 2);
	if (end === -1) throw invalidForm("The form has no last boundary: it was cut off. Send it whole.");
	if (end < start) throw doubtfulBoundary();
	return end;
};

/** Throws `Fault` (`invalid_request`, `invalid_form`) for what is none, or has no end. */
export const readForm = (bytes: Uint8Array, contentType: string): FormBody => {
	const boundary = boundaryOf(contentType);
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const dashes = `--${boundary}`;
	const boundaryAfter = boundariesIn(whole, dashes);
	const parts: FormPart[] = [];
	const length = dashes.length + 2;
	let at = firstBoundary(whole, dashes, boundaryAfter) + length;
	for (;;) {
		const after = whole.toString("latin1", at, at + 2);
		if (after === "--") {
			if (boundaryAfter(at) !== -1) throw doubtfulBoundary();
			return { bytes, contentType, parts };
		}
		if (after !== "\r\n") throw invalidForm("The form breaks off, or its parts are not told apart; send it whole.");
		if (parts.length === mostParts) throw invalidForm(`The form has more than ${mostParts} parts; send fewer.`);
		const headEnd = whole.indexOf("\r\n\r\n", at);
		if (headEnd === -1 || headEnd - at > longestHead)
			throw invalidForm("The head of a part of the form is too long, or has no end.");
		const start = headEnd + 4;
		const end = endOfValue(start, boundaryAfter);
		parts.push({ ...headOf(whole.toString("utf8", at + 2, headEnd)), start, end });
		at = end + length;
	}
};

/**
 * The value of the only part of that name, as text; undefined when there is none. Throws `Fault` where there are several,
 * of which another reader might take another, or where it is a file.
 */
export const formText = ({ bytes, parts }: FormBody, name: string): string | undefined => {
	const [part, ...more] = parts.filter((one) => one.name === name);
	if (more.length > 0 || part?.filename !== undefined)
		throw invalidForm(`The form has "${name}" as a file or more than once; send it once, as a text.`, name);
	return part && new TextDecoder().decode(bytes.subarray(part.start, part.end));
};

const filenames = /;[ \t]*filename\*?[ \t]*=[ \t]*(?:"(?:\\.|[^"\\])*"|[^;\r\n]*)/gi;
const disposition = /^content-disposition:[^\r\n]*/im;

/** The head of a file's part with another name for the file. */
const renamed = (head: Uint8Array, name: string): Uint8Array => {
	const named = (line: string) => `${line.replace(filenames, "")}; filename=${quoted(name)}`;
	return Buffer.from(Buffer.from(head).toString("utf8").replace(disposition, named));
};

/** The same bytes with what `given` has for a part: another name for a file, another value for any other. */
export const replaceParts = ({ bytes, parts }: FormBody, given: (part: FormPart) => string | undefined): Uint8Array => {
	const pieces: Uint8Array[] = [];
	let from = 0;
	for (const part of parts) {
		const [head, value] = [bytes.subarray(from, part.start), bytes.subarray(part.start, part.end)];
		const other = given(part);
		if (other === undefined) pieces.push(head, value);
		else if (part.filename === undefined) pieces.push(head, Buffer.from(other));
		else pieces.push(renamed(head, other), value);
		from = part.end;
	}
	return Buffer.concat([...pieces, bytes.subarray(from)]);
};

/** The same bytes with another value for the part of that name. */
export const replacePart = (form: FormBody, name: string, value: string): Uint8Array =>
	replaceParts(form, (part) => (part.name === name ? value : undefined));

/** The same form with that text under that name: in the place of the one that has it, or before all others. */
export const withText = (form: FormBody, name: string, value: string): FormBody => {
	const { bytes, contentType, parts } = form;
	if (parts.some((one) => one.name === name)) return readForm(replacePart(form, name, value), contentType);
	const delimiter = `--${boundaryOf(contentType)}`;
	const first = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(delimiter);
	const part = Buffer.from(`${delimiter}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
	return readForm(Buffer.concat([bytes.subarray(0, first), part, bytes.subarray(first)]), contentType);
};

/** The same form without the parts of such names, which are named in `removed`; itself where it has none. */
export const withoutParts = (
	form: FormBody,
	isUnwanted: (name: string) => boolean,
): { readonly form: FormBody; readonly removed: readonly string[] } => {
	const { bytes, contentType, parts } = form;
	const removed = parts.map(({ name }) => name).filter(isUnwanted);
	if (removed.length === 0) return { form, removed };
	const line = `\r\n--${boundaryOf(contentType)}\r\n`;
	const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	/** No line of a part's head can be a boundary: the last one before the head's last line is its own. */
	const withHead = ({ start, end }: FormPart): Buffer => {
		const before = whole.lastIndexOf(line, Math.max(0, start - line.length - "x\r\n\r\n".length));
		return whole.subarray(before === -1 ? 0 : before + 2, end);
	};
	const kept = parts.filter(({ name }) => !isUnwanted(name)).flatMap((part) => [withHead(part), Buffer.from("\r\n")]);
	const last = Buffer.from(`${line.trim()}--\r\n`);
	return { form: readForm(Buffer.concat([...kept, last]), contentType), removed };
};
