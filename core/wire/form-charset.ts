/**
 * Letters of a form. Some readers go by the charset that it tells, for the names of its fields too: in UTF-7 `+AG0-odel` is a
 * second `model`, which would be neither judged nor charged here.
 */
import { Fault } from "../contract/fault.ts";

/** In each of these what is ASCII is read as what it is. */
const usual = /^(?:utf-?8|us-ascii|ascii|iso-8859-1)$/i;

const told = /charset[^=;]*=\s*(?:"([^"]*)"|([^\s;,]*))/gi;

/** `type`: a `content-type`, of a form or of a field in it. Throws `Fault` for one that has other letters. */
export const checkCharset = (type: string): void => {
	for (const [, quoted, plain = ""] of type.matchAll(told)) {
		const charset = quoted ?? plain;
		if (usual.test(charset)) continue;
		throw new Fault({
			kind: "invalid_request",
			code: "invalid_form",
			message: `The form, or a field of it, is said to be in the charset "${charset.slice(0, 40)}"; send it in UTF-8.`,
		});
	}
};
