/** How much the model is to reason, for an upstream, and what it is to tell of it. */
import { asRecord, definedOnly, fittingEffort, noLevels, type Reasoning, thinksAnyway, type WireRecord } from "#core";
import { ownFields } from "../origin.ts";
import type { Writing } from "./writing.ts";

const says = ({ mode }: Reasoning): boolean => mode === "off" || mode === "on";

const summaryOf = ({ summary, expose }: Reasoning): string | undefined => {
	if (expose === "none") return undefined;
	return summary ?? (expose === undefined ? undefined : "auto");
};

/** The `reasoning` of a request; undefined when nothing is to be said. */
export const encodeReasoning = (writing: Writing): WireRecord | undefined => {
	const { reasoning } = writing.request;
	if (reasoning === undefined) return undefined;
	if (writing.reasons === false) {
		if (reasoning.mode === "on") writing.losses.setting("reasoning", "the model does not reason");
		return undefined;
	}
	const { efforts } = writing.context.capabilities;
	if (reasoning.mode === "off" && efforts?.includes("none") === false)
		writing.losses.setting("reasoning", thinksAnyway);
	if (reasoning.mode === "on" && efforts?.length === 0) writing.losses.setting("reasoning", noLevels);
	const encoded = definedOnly({
		...asRecord(ownFields(writing.request)["reasoning"]),
		effort: says(reasoning) ? fittingEffort(reasoning, efforts) : undefined,
		summary: summaryOf(reasoning),
	});
	return Object.keys(encoded).length > 0 ? encoded : undefined;
};

/** Whether encrypted reasoning is asked for: nothing is kept upstream, so it is the only way to go on from it. */
export const wantsEncrypted = ({ reasons, request }: Writing): boolean =>
	reasons === true || (reasons === undefined && request.reasoning?.returnOpaque === true);
