/** Reads a passing stream of OpenAI's sound or words: its last event tells what was used. */
import { asRecord, type EndpointObserver, parseJson, type Usage, type WireRecord } from "#core";

/** `last`: the type of the event that ends it; `usageOf`: what that event tells. */
export const endObserver = (last: string, usageOf: (event: WireRecord) => Usage | undefined): EndpointObserver => {
	let usage: Usage | undefined;
	let finished = false;
	return {
		event({ data }) {
			if (!data.includes(last)) return;
			const event = asRecord(parseJson(data));
			if (event["type"] !== last) return;
			finished = true;
			usage = usageOf(event);
		},
		get finished() {
			return finished;
		},
		get usage() {
			return usage;
		},
	};
};
