/** The frames of a stream of server-sent events as it goes to a client, read strictly. */
import { isRecord } from "#core";

export interface Frame {
	readonly name?: string;
	readonly data: string;
	/** The data as JSON; undefined when it is not. */
	readonly json: unknown;
}

/** Gathers what is wrong with a stream, each with the place. */
export class Faults {
	readonly list: string[] = [];
	place = "";

	/** Notes `otherwise` unless `holds`; returns `holds`. */
	expect(holds: boolean, otherwise: string): boolean {
		if (!holds) this.list.push(this.place === "" ? otherwise : `${this.place}: ${otherwise}`);
		return holds;
	}
}

/** Which of the things that server-sent events allow a client of the protocol can bear. */
export interface Framing {
	readonly names: boolean;
	readonly comments: boolean;
}

/**
 * Splits into frames. Faults: a stream that does not end with a blank line, `id:` and `retry:` lines, data over several
 * lines, `data:` without its space, a carriage return, comments and event names where the protocol has none.
 */
export const readFrames = (text: string, framing: Framing, faults: Faults): Frame[] => {
	faults.place = "framing";
	faults.expect(text === "" || text.endsWith("\n\n"), "the last event is not ended by a blank line");
	faults.expect(!text.includes("\r"), "there is a carriage return");
	return text
		.split("\n\n")
		.filter((part) => part !== "")
		.flatMap((part, at) => {
			faults.place = `frame ${at}`;
			return readFrame(part, framing, faults);
		});
};

const readFrame = (part: string, framing: Framing, faults: Faults): Frame[] => {
	const lines = part.split("\n");
	const comments = lines.filter((line) => line.startsWith(":"));
	const data = lines.filter((line) => line.startsWith("data: "));
	const names = lines.filter((line) => line.startsWith("event: "));
	faults.expect(comments.length === 0 || framing.comments, "a comment, which clients of this protocol cannot bear");
	faults.expect(names.length === 0 || framing.names, "an event name, which this protocol has not");
	faults.expect(comments.length + data.length + names.length === lines.length, `an odd line in ${part.slice(0, 80)}`);
	if (data.length === 0) {
		faults.expect(names.length === 0, "an event without data");
		return [];
	}
	faults.expect(data.length === 1 && names.length <= 1, "data or name over several lines");
	const [body = ""] = data.map((line) => line.slice(6));
	const [name] = names.map((line) => line.slice(7));
	return [{ data: body, json: parse(body), ...(name !== undefined && { name }) }];
};

const parse = (data: string): unknown => {
	try {
		return JSON.parse(data);
	} catch {
		return undefined;
	}
};

/** The object, or an empty one and a fault. */
export const expectRecord = (value: unknown, what: string, faults: Faults): Readonly<Record<string, unknown>> => {
	faults.expect(isRecord(value), `${what} is not an object`);
	return isRecord(value) ? value : {};
};
