/** Persons as commands name and show them: by their names, each of which is one person's. */
import { asList, asRecord, type CallAdmin, isFault, type WireRecord } from "#core";

/** The id of the person whom a command's word names, by it or by their name; another word is left to the server to judge. */
export const personId = async (call: CallAdmin, words: string): Promise<string> => {
	if (words.startsWith("per_")) return words;
	try {
		return String(asRecord(await call("GET", `/admin/people/${encodeURIComponent(words)}`))["id"] ?? words);
	} catch (error) {
		if (isFault(error)) return words;
		throw error;
	}
};

/** All persons by their ids; none where nobody looks after people any more. */
export const personsById = async (call: CallAdmin): Promise<ReadonlyMap<unknown, WireRecord>> => {
	try {
		const persons = asList(asRecord(await call("GET", "/admin/people"))["data"]).map(asRecord);
		return new Map(persons.map((person) => [person["id"], person]));
	} catch (error) {
		if (isFault(error)) return new Map();
		throw error;
	}
};
