/** Files and containers that a request names by an id of the upstream's account. Nothing of that kind is kept here. */
import {
	asList,
	asRecord,
	asText,
	type Denial,
	findReference,
	leadsInside,
	type ReferenceFields,
	referenceDenial,
	type WireRecord,
} from "#core";

const fields: ReferenceFields = {
	ids: new Set(["file_id", "file_ids", "container_id"]),
	addresses: new Set(["url"]),
	leads: leadsInside,
	// A tool's arguments are the model's own words, a citation repeats where a text came from, and a browser's tabs and
	// downloads are told, not read.
	opaque: new Set(["input", "citations", "cache_control", "tabs", "state_changes"]),
};

/** A container is made anew unless it is named; skills of Anthropic's own are everybody's. */
const containerIn = ({ container }: WireRecord) => {
	const { id, skills } = asRecord(container);
	if (asText(container) || asText(id)) return { at: "container", field: "container" };
	const custom = asList(skills).findIndex((skill) => asRecord(skill)["type"] !== "anthropic");
	return custom === -1 ? undefined : { at: `container.skills[${custom}]`, field: "skill_id" };
};

/** Why a request goes to no upstream whose account serves others too; undefined when it names nothing of an account. */
export const foreignReference = (body: WireRecord): Denial | undefined => {
	const found =
		containerIn(body) ??
		findReference(body["messages"], fields, "messages") ??
		findReference(body["system"], fields, "system");
	return found && referenceDenial(found);
};
