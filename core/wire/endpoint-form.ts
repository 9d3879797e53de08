/** What dialects that speak forms have in common: the form of a request, a file in it, the message of one. */
import type { EndpointRequest, FormBody, FormPart } from "../contract/endpoint.ts";
import { Fault } from "../contract/fault.ts";
import type { UpstreamMessage } from "../contract/upstream-side.ts";

/** The refusal of a form; `parameter`: of one of its parts. */
export const invalidForm = (message: string, parameter?: string): Fault =>
	new Fault({ kind: "invalid_request", code: "invalid_form", message, ...(parameter !== undefined && { parameter }) });

/** The body of a dialect that speaks forms. Throws `Fault` for JSON. */
export const formOf = ({ body }: Pick<EndpointRequest, "body">): FormBody => {
	if (body.type === "form") return body.form;
	throw invalidForm("Send the request as multipart/form-data.");
};

/** The one file of that name, its bytes not copied. Throws `Fault` where there is none, or several. */
export const formFile = (
	{ bytes, parts }: FormBody,
	name: string,
): Pick<FormPart, "filename" | "type"> & { readonly bytes: Uint8Array } => {
	const [file, ...others] = parts.filter((part) => part.name === name);
	if (!file) throw invalidForm(`The form has no "${name}"; send the file as a part of this name.`, name);
	if (others.length > 0)
		throw invalidForm(`The form has more than one "${name}"; send each file in a request of its own.`, name);
	const { start, end, name: _, ...more } = file;
	return { ...more, bytes: bytes.subarray(start, end) };
};

/** A field of a form that is written, or a file where it has bytes. */
export type FormField =
	| { readonly name: string; readonly text: string }
	| { readonly name: string; readonly bytes: Uint8Array; readonly filename: string; readonly type?: string };

/** As browsers write a name: what would end it is escaped, and what no line may hold. */
export const quoted = (name: string): string =>
	`"${name.replace(/["\\\p{Cc}]/gu, (character) => encodeURIComponent(character))}"`;

const headOf = (field: FormField): string => {
	const name = `Content-Disposition: form-data; name=${quoted(field.name)}`;
	if ("text" in field) return `${name}\r\n\r\n`;
	const type = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/.test(field.type ?? "")
		? field.type
		: "application/octet-stream";
	return `${name}; filename=${quoted(field.filename)}\r\nContent-Type: ${type}\r\n\r\n`;
};

/**
 * A form for an upstream.
 *
 * @example
 * formMessage("/parse", [{ name: "model", text: model }, { name: "document", ...formFile(form, "file"), filename: "a.pdf" }])
 */
export const formMessage = (path: string, fields: readonly FormField[]): UpstreamMessage => {
	const boundary = `portico-${crypto.randomUUID()}`;
	const pieces = fields.flatMap((field) => [
		Buffer.from(`--${boundary}\r\n${headOf(field)}`),
		"text" in field ? Buffer.from(field.text) : field.bytes,
		Buffer.from("\r\n"),
	]);
	return {
		path,
		headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
		body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
	};
};
