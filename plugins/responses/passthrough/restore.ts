/** Puts back what passthrough changed: the model's name under an alias, and the answer that was gone on from. */
import {
	eventText,
	isRecord,
	type ModelAsk,
	type PassthroughChanges,
	parseJson,
	type StreamEditor,
	type StreamEvent,
} from "#core";

/** What the client is to read instead of what the upstream wrote; undefined when there is nothing to put back. */
const replacements = (ask: ModelAsk, changes: PassthroughChanges): Readonly<Record<string, unknown>> | undefined => {
	const alias = changes.model !== ask.call.name;
	if (!alias && ask.continues === undefined) return undefined;
	return {
		...(alias && { model: ask.call.name }),
		...(ask.continues !== undefined && { previous_response_id: ask.continues.id }),
	};
};

/** A whole answer as the client asked for it; what is no answer stays as it is. */
export const restore = (text: string, ask: ModelAsk, changes: PassthroughChanges, body: unknown): string => {
	const put = replacements(ask, changes);
	return put && isRecord(body) && body["object"] === "response" ? JSON.stringify({ ...body, ...put }) : text;
};

/** Absent when the stream may pass as it is. Only the events that hold the whole response are written anew. */
export const editor = (ask: ModelAsk, changes: PassthroughChanges): StreamEditor | undefined => {
	const put = replacements(ask, changes);
	if (put === undefined) return undefined;
	return {
		event: ({ name, data }: StreamEvent): string => {
			if (!data.includes('"response"')) return eventText(data, name);
			const event = parseJson(data);
			if (!isRecord(event) || !isRecord(event["response"])) return eventText(data, name);
			return eventText(JSON.stringify({ ...event, response: { ...event["response"], ...put } }), name);
		},
		end: () => "",
	};
};
