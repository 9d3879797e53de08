/** Invitations as commands print them. */
import { asList, asNumber, asRecord, asText, tableLines, type WireRecord } from "#core";

const untilOf = ({ expiresAt }: WireRecord): string => new Date(asNumber(expiresAt) ?? 0).toISOString();

const purposeOf = ({ role, person }: WireRecord): string =>
	asText(person) === undefined ? `makes one ${String(role)}` : `sets another password for ${String(person)}`;

/** A link, what it is good for, and what else the server says of it. */
export const linkLines = (made: WireRecord): string => {
	const note = asText(made["note"]);
	const said = `${String(made["link"])}\n(shown this once; it ${purposeOf(made)}, once, until ${untilOf(made)})`;
	return note === undefined ? said : `${said}\n(${note})`;
};

/** Those whose links can still be used. The links themselves are known to nobody but whom they were shown to. */
export const invitationLines = (answer: WireRecord): readonly string[] => {
	const open = asList(answer["data"]).map(asRecord);
	if (open.length === 0) return ["no open invitations"];
	return tableLines(
		["id", "what it does", "until"],
		open.map((one) => [asText(one["id"]) ?? "", purposeOf(one), untilOf(one)]),
	);
};
