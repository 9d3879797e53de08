/** Whether a client asks for the usage of its stream. */
import { asRecord, type WireRecord } from "#core";

/** The name as careless upstreams read it, in any case: they would take what it says for the member itself. */
const otherSpelling = /^include[_-]?usage$/iu;

/** What else a stream is asked for. */
export const otherStreamOptions = (body: WireRecord): WireRecord =>
	Object.fromEntries(Object.entries(asRecord(body["stream_options"])).filter(([name]) => !otherSpelling.test(name)));

/** Whether the client asks for usage, in a way that every upstream understands. */
export const asksForUsage = ({ stream_options: given }: WireRecord): boolean => {
	const options = asRecord(given);
	if (options["include_usage"] !== true) return false;
	for (const name in options) if (name !== "include_usage" && otherSpelling.test(name)) return false;
	return true;
};
