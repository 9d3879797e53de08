/** An upstream's whole answer as the neutral form. */
import { asList, asNumber, asRecord, asText, type Candidate, definedOnly, type NeutralResponse } from "#core";
import { decodeFinish } from "./finish.ts";
import { decodeUsage } from "./usage.ts";

const candidateOf = (choice: unknown, place: number): Candidate => {
	const { message, finish_reason: reason, index } = asRecord(choice);
	const text = asText(asRecord(message)["content"]);
	return {
		index: asNumber(index) ?? place,
		blocks: text === undefined || text === "" ? [] : [{ type: "text", text }],
		finish: decodeFinish(asText(reason), false),
	};
};

/** Decodes an answer. */
export const decodeResponse = (body: unknown): NeutralResponse => {
	const root = asRecord(body);
	return {
		id: asText(root["id"]) ?? "",
		createdAt: asNumber(root["created"]) ?? 0,
		model: asText(root["model"]) ?? "",
		candidates: asList(root["choices"]).map(candidateOf),
		...definedOnly({ usage: decodeUsage(root["usage"]), tier: asText(root["service_tier"]) }),
	};
};
