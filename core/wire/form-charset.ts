/**
 * Letters of a form. Some readers go by the charset that it tells, for the names of its fields too: in UTF-7 `+AG0-odel` is a
 * second `model`, which would be neither judged nor charged here.
 */
import { invalidForm } from "./endpoint-form.ts";

/** In each of these what is ASCII is read as what it is. */
const usual = /^(?:utf-?8|us-ascii|ascii|iso-8859-1)$/i;

const told = /charset[^=;]*=\s*(?:"([^"]*)"|([^\s;,]*))/gi;

/** `type`: a `content-type`, of a form or of a field in it. Throws `Fault` for one that has other letters. */
export const checkCharset = (type: string): void => {
	for (const [, quoted, plain = ""] of type.matchAll(told)) {
		const charset = (quoted ?? plain).slice(0, 40);
		if (!usual.test(charset))
			throw invalidForm(`The form, or a field of it, is said to be in the charset "${charset}"; send it in UTF-8.`);
	}
};

/** The same of a field, by which some readers let a form say the charset of all others. */
export const checkFieldCharset = (name: string, type: string | undefined): void => {
	if (name === "_charset_")
		throw invalidForm("The form has a field `_charset_`; leave it out, and send the form in UTF-8.");
	checkCharset(type ?? "");
};
