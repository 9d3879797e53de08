/**
 * What a protocol reads nothing from, in the body of a call that may go on as its own bytes: parts and fields that it does
 * not know, and turns that no model is shown any more. Guards see it beside what was read, for the upstream gets it all.
 */

import { Fault } from "../../contract/fault.ts";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import { isRecord } from "../../neutral/json.ts";
import { namesThings } from "../../neutral/map-texts.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { inUsualAlphabet } from "../../wire/data-url.ts";
import { isText } from "./edit-words.ts";

/** Every text, number and name of a field in a value. */
const gather = (value: unknown, into: Set<string>): Set<string> => {
	if (isText(value)) into.add(String(value));
	else if (Array.isArray(value)) for (const one of value) gather(one, into);
	else if (isRecord(value))
		for (const [name, inner] of Object.entries(value)) {
			into.add(name);
			gather(inner, into);
		}
	return into;
};

/** As names of fields are in every protocol. Another may hold what somebody wrote. */
const plainName = /^[A-Za-z_$][\w$.-]*$/;

/** More than any client has; guards go through them one by one. */
const most = 10_000;

const tooMany = (): Fault =>
	new Fault({
		kind: "invalid_request",
		message: `The request has more than ${most} values in fields that its protocol does not know, more than a guard looks through; leave them out.`,
	});

const base64 = /^[\w+/=-]*$/;

/** Whether it is bytes that were read: they are kept without a `data:` before them, in the alphabet that is usual. */
const areRead = (text: string, known: ReadonlySet<string>): boolean => {
	const bytes = text.startsWith("data:") ? text.slice(text.indexOf(",") + 1) : text;
	return known.has(bytes) || (base64.test(bytes) && known.has(inUsualAlphabet(bytes)));
};

/** Gathers what may hold words and is not known, in its order: nothing that names something, or that its maker alone can read. */
class Looker {
	readonly found: string[] = [];
	private readonly known: ReadonlySet<string>;

	constructor(known: ReadonlySet<string>) {
		this.known = known;
	}

	look(value: unknown, field: string): void {
		if (Array.isArray(value)) for (const one of value) this.look(one, field);
		else if (isRecord(value))
			for (const [name, inner] of Object.entries(value)) {
				if (!plainName.test(name)) this.note(name, "");
				this.look(inner, name);
			}
		else if (isText(value) && !namesThings(field)) this.note(String(value), field);
	}

	private note(text: string, field: string): void {
		if (text === "" || this.known.has(text)) return;
		// Only where bytes are told: any other text is what it is.
		if ((field === "data" || text.startsWith("data:")) && areRead(text, this.known)) return;
		if (this.found.push(text) > most) throw tooMany();
	}
}

/** The request with the texts and numbers of its body that nothing was read from, in their order. Throws `Fault` for too many. */
export const withLeftAside = (ask: ProtocolAsk, { raw, ...read }: NeutralRequest): NeutralRequest => {
	const { model: _, ...fields } = ask.body.value;
	const looker = new Looker(gather(read, new Set()));
	looker.look(fields, "");
	return { ...read, raw, ...(looker.found.length > 0 && { leftAside: looker.found }) };
};
