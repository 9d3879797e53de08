/** Asks a model with a token and gives the events as they come. */
import { Refusal, refusalOf } from "../data/call.ts";
import { asWire, type Wire } from "../data/read.ts";

interface StreamEvent {
	/** As it came over the wire. */
	readonly raw: string;
	readonly event: Wire;
}

const parsed = (raw: string): Wire => {
	const data = raw
		.split("\n")
		.filter((line) => line.startsWith("data:"))
		.map((line) => line.slice(5).trim())
		.join("\n");
	try {
		return asWire(JSON.parse(data));
	} catch {
		// `[DONE]` and the like.
		return {};
	}
};

/** Throws `Refusal`. Only this request carries the key; the session's cookie stays out of it. */
export const streamEvents = async (
	path: string,
	key: string,
	body: Wire,
	seen: (event: StreamEvent) => void,
	signal: AbortSignal,
): Promise<string | undefined> => {
	const response = await fetch(path, {
		method: "POST",
		credentials: "omit",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: JSON.stringify(body),
		signal,
	});
	if (!response.ok) throw await refusalOf(response);
	const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
	if (!reader) throw new Refusal("The answer has no body.", response.status);
	let rest = "";
	for (;;) {
		const { value, done } = await reader.read();
		rest += (value ?? "").replaceAll("\r\n", "\n");
		const events = rest.split("\n\n");
		rest = done ? "" : (events.pop() ?? "");
		for (const raw of events) if (raw.trim() !== "") seen({ raw, event: parsed(raw) });
		if (done) return response.headers.get("x-request-id") ?? undefined;
	}
};
