/** A person, an open invitation, and a line of the audit, as the server shows them. */
import { asWire, number, text, time, type Wire, wires } from "../data/read.ts";

export interface PersonRow {
	readonly id: string;
	readonly name: string;
	readonly role: string;
	readonly disabled: boolean;
	/** Dollars. */
	readonly ceiling: number | undefined;
	readonly used: number;
	/** Each as it was set, with what is left of it. */
	readonly budgets: readonly Wire[];
	readonly seenAt: number | undefined;
}

/** A budget without what is told of it beside. */
export const asSet = ({ used: _, remaining: __, resetsAt: ___, ...budget }: Wire): Wire => budget;

export const personRowOf = (wire: Wire): PersonRow => ({
	id: text(wire, "id") ?? "",
	name: text(wire, "name") ?? "",
	role: text(wire, "role") ?? "",
	disabled: wire["disabled"] === true,
	ceiling: number(wire, "ceiling"),
	used: number(wire, "used") ?? 0,
	budgets: wires(wire, "budgets"),
	seenAt: time(wire, "seenAt"),
});

export interface Invitation {
	readonly id: string;
	readonly role: string;
	readonly expiresAt: number | undefined;
	readonly forPerson: boolean;
}

export const invitationOf = (wire: Wire): Invitation => ({
	id: text(wire, "id") ?? "",
	role: text(wire, "role") ?? "",
	expiresAt: time(wire, "expiresAt"),
	forPerson: text(wire, "person") !== undefined,
});

export interface AuditLine {
	readonly id: string;
	readonly at: number | undefined;
	readonly who: string;
	readonly verb: string;
	readonly what: string;
	/** The id of what has no name. */
	readonly object: string | undefined;
	readonly address: string | undefined;
	readonly changes: readonly string[];
}

/** In words, as far as that goes: nobody reads brackets and quotes at night. */
const said = (value: unknown): string => {
	if (value === undefined) return "nothing";
	if (value === null) return "none";
	if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(said).join(", ");
	if (typeof value !== "object") return String(value);
	return Object.entries(value)
		.map(([name, part]) => `${name} ${said(part)}`)
		.join(" ");
};

const changeOf = (field: string, change: Wire, personName: (id: string) => string): string => {
	const [from, to] = ["from", "to"].map((end) => {
		const value = change[end];
		return said(field === "owner" && typeof value === "string" ? personName(value) : value);
	});
	return change["from"] === undefined ? `${field}: ${to}` : `${field}: ${from} → ${to}`;
};

const named = (wire: Wire): boolean => ![undefined, text(wire, "object")].includes(text(wire, "name"));

/** `personName`: of an id. */
export const auditLineOf = (wire: Wire, personName: (id: string) => string): AuditLine => ({
	id: text(wire, "id") ?? "",
	at: time(wire, "at"),
	who: text(asWire(wire["operator"]), "name") ?? "",
	verb: text(wire, "verb") ?? "",
	// Nobody else is invited than whom an invitation is for.
	what: [text(wire, "verb") !== "invite" && text(wire, "kind"), named(wire) && text(wire, "name")]
		.filter(Boolean)
		.join(" "),
	object: named(wire) ? undefined : text(wire, "object"),
	address: text(wire, "address"),
	changes: Object.entries(asWire(wire["changes"]))
		.filter(([, value]) => Object.keys(asWire(value)).length > 0)
		.map(([field, value]) => changeOf(field, asWire(value), personName)),
});
