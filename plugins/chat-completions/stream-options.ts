/** Whether a client asks for the usage of its stream. */
import { asRecord, type WireRecord } from "#core";

/** The name as careless upstreams read it, in any case: they would take what it says for the member itself. */
const otherSpelling = /^include[_-]?usage$/iu;

/** What else a stream is asked for. */
export const otherStreamOptions = (body: WireRecord): WireRecord =>
	Object.fromEntries(Object.entries(asRecord(body["stream_options"])).filter(([name]) => !otherSpelling.test(name)));

/** Whether the client asks for usage, in a way that every upstream understands. */
export const asksForUsage = ({ stream_options: options }: WireRecord): boolean =>
	asRecord(options)["include_usage"] === true &&
	Object.keys(asRecord(options)).filter((name) => otherSpelling.test(name)).length === 1;
