/** A person as they are stored, and what their name and password must be like. */
import { asList, asNumber, asText, type Fault, invalidParameter, isRecord, type Operator, parseJson, t } from "#core";
import type { Owner } from "./service.ts";

export type Role = "admin" | "member";

export interface Person extends Owner {
	readonly role: Role;
	/** Milliseconds since 1970. */
	readonly createdAt: number;
}

export const roleSchema = t.Union([t.Literal("admin"), t.Literal("member")], {
	description: "admin may do everything; member sees and changes only what is their own.",
});

export const nameSchema = t.String({ minLength: 1, maxLength: 64, description: "The person's name, as it is shown." });

const most = 256;
const least = 12;

export const passwordSchema = t.String({ maxLength: most, description: `${least} characters or more.` });

/** The columns that `personOf` reads. */
export const personColumns = "id, name, role, ceiling, budgets, limits, disabled, created_at";

/** Limits as they are given: null is none, as everywhere. */
export const limitsFrom = (given: Person["limits"]): Person["limits"] =>
	Object.fromEntries(Object.entries(given).filter(([, limit]) => limit !== null));

export const limitsOf = (text: unknown): Person["limits"] => {
	const limits = parseJson(asText(text) ?? "");
	return isRecord(limits) ? limitsFrom(limits) : {};
};

/** As they are stored; an empty list is none. */
export const storedBudgets = (budgets: readonly unknown[] | null | undefined): string | null =>
	budgets && budgets.length > 0 ? JSON.stringify(budgets) : null;

/** Where there are any. */
export const budgetsOf = (text: unknown): Pick<Person, "budgets"> => {
	const budgets = asList(parseJson(asText(text) ?? ""));
	return budgets.length > 0 ? { budgets } : {};
};

export const roleOf = (value: unknown): Role => (value === "admin" ? "admin" : "member");

/** A row of the table, or undefined for none. */
export const personOf = (row: Readonly<Record<string, unknown>> | undefined): Person | undefined => {
	const id = asText(row?.["id"]);
	if (row === undefined || id === undefined) return undefined;
	const ceiling = asNumber(row["ceiling"]);
	return {
		id,
		name: asText(row["name"]) ?? "",
		role: roleOf(row["role"]),
		...(ceiling !== undefined && { ceiling }),
		...budgetsOf(row["budgets"]),
		limits: limitsOf(row["limits"]),
		disabled: row["disabled"] !== 0,
		createdAt: asNumber(row["created_at"]) ?? 0,
	};
};

/** Two names that people take for the same are the same. */
export const nameKey = (name: string): string => name.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();

/** Whoever holds the admin token is written down under this name: nobody else is. */
const isAdminToken = (name: string): boolean => /^admin[\s_-]*token$/.test(nameKey(name));

/** The name as it is kept. Throws `Fault` for one that cannot be. */
export const checkName = (name: string): string => {
	const kept = name.trim().replace(/\s+/g, " ");
	if (kept === "" || /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(kept))
		throw invalidParameter(
			"name",
			"A name has at least one letter, no control characters and none that cannot be seen.",
		);
	if (isAdminToken(kept))
		throw invalidParameter("name", "Whoever holds the admin token is called so; choose another name.");
	return kept;
};

/** Length is what counts; rules about digits and signs make passwords worse. */
export const checkPassword = (password: string, name: string): void => {
	const wrong = (message: string): Fault => invalidParameter("password", message);
	if ([...password].length < least) throw wrong(`A password has at least ${least} characters; a few words do well.`);
	if (nameKey(password) === nameKey(name)) throw wrong("The password is the name itself; choose another.");
};

/** A person as who stands before an admin route. */
export const operatorOf = ({ id, name, role }: Pick<Person, "id" | "name" | "role">): Operator => ({
	id,
	name,
	role,
	scope: role === "admin" ? "all" : { owner: id },
});

/** The same of somebody who may come in; undefined for nobody and for whoever may not. */
export const operatorWhoMay = (person: Person | undefined): Operator | undefined =>
	person && !person.disabled ? operatorOf(person) : undefined;
