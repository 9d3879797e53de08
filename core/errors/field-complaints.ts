/** What vendors whose requests a validator reads complain of: a list of fields, each with what is wrong there. */
import { asList, asRecord, asText } from "../neutral/json.ts";

/** So many of them are told: a union that nothing fits fills a page. */
const told = 3;

/** `["body", "messages", 1, "name"]`: the body is what the client has sent, and needs no name. */
const placeOf = (location: unknown): string =>
	asList(location)
		.filter((part, at) => !(at === 0 && part === "body"))
		.join(".");

/** `messages.1.name: Extra inputs are not permitted; …`; undefined for what is no such list. */
export const fieldComplaints = (detail: unknown): string | undefined => {
	const complaints = asList(detail).flatMap((one) => {
		const { loc, msg } = asRecord(one);
		const words = asText(msg);
		if (words === undefined || words === "") return [];
		const place = placeOf(loc);
		return [place === "" ? words : `${place}: ${words}`];
	});
	const more = complaints.length > told ? ` (and ${complaints.length - told} more)` : "";
	return complaints.length === 0 ? undefined : complaints.slice(0, told).join("; ") + more;
};
