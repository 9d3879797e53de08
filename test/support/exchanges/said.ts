/** What is asked and said in each of our own exchanges, and the forms in which they are kept. */
import type { ProtocolName, RecordedAnswer, Recording } from "../recordings.ts";

export const question = "Which town lies at the mouth of the Elbe?";
export const words = ["Cux", "haven", ", where the river", " meets the sea: „Moin“ 🌊."];
export const thoughts = ["The user wants", " the weather."];
export const place = ['{"town":', '"Cuxhaven"}'];
export const schema = { type: "object", properties: { town: { type: "string" } }, required: ["town"] };
export const description = "Tells the weather of a town.";

export const json = (value: unknown): RecordedAnswer => ({ form: "json", value });
export const data = (events: readonly unknown[]): RecordedAnswer => ({
	form: "events",
	text: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""),
});
export const named = (events: readonly { readonly type: string }[]): RecordedAnswer => ({
	form: "events",
	text: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(""),
});

interface Own {
	readonly name: string;
	readonly url: string;
	readonly request: Readonly<Record<string, unknown>>;
	readonly status?: number;
	readonly answer: RecordedAnswer;
}

export const listed = (protocol: ProtocolName, exchanges: readonly Own[]): readonly Recording[] =>
	exchanges.map(({ name, status = 200, ...rest }) => ({
		...rest,
		status,
		protocol,
		name: `own ${protocol}: ${name}`,
		official: true,
		headers: { "content-type": "application/json" },
		truncated: false,
		features: [],
	}));

/** An error as OpenAI tells it. */
export const refused = (message: string, code: string | null) =>
	json({ error: { message, type: "invalid_request_error", param: null, code } });
