/** Persons by their ids, and what of them stops their tokens: all of them for administrators, members themselves. */
import { number, text, type Wire, wires } from "./read.ts";
import { isAdmin, isSomebody } from "./session.ts";
import { useAnswer } from "./use-answer.ts";

export interface KnownPerson {
	readonly name: string;
	/** Why none of their tokens is let in. */
	readonly stopped: "disabled" | "spent" | undefined;
}

/** Limits change seldom. */
const everyMs = 60_000;

const stoppedBy = (person: Wire): KnownPerson["stopped"] => {
	if (person["disabled"] === true) return "disabled";
	return number(person, "remaining") === 0 ? "spent" : undefined;
};

/** `again` as an answer has it. */
export const usePersons = (again: false | number = everyMs): ReadonlyMap<string, KnownPerson> => {
	const own = isSomebody() ? "/v1/session" : undefined;
	const { data } = useAnswer(isAdmin() ? "/admin/people" : own, again);
	const persons = data === undefined ? [] : isAdmin() ? wires(data, "data") : [data];
	return new Map(
		persons.map((one) => [text(one, "id") ?? "", { name: text(one, "name") ?? "", stopped: stoppedBy(one) }]),
	);
};

/** Gives the id itself for whoever is not known. */
export const usePersonNames = (): ((id: string) => string) => {
	const persons = usePersons(false);
	return (id) => persons.get(id)?.name ?? id;
};
