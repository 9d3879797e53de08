/** What is wrong with what a plugin offers beside functions: tables, a warning. */
import { asList, asRecord, type WireRecord } from "../neutral/json.ts";

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const migrationFaults = (migration: unknown, place: number): readonly string[] => {
	const { name, statements } = asRecord(migration);
	return isText(name) && areTexts(statements)
		? []
		: [`its migrations[${place}] is not { name, statements: ["CREATE TABLE …"] }, one statement in each text`];
};

export const tablesFaults = ({ plugin, migrations, restored = [] }: WireRecord): readonly string[] => [
	...(isText(plugin) ? [] : [`its tables have no "plugin": give them the name that setup is given`]),
	...(Array.isArray(migrations) ? [] : [`its tables have no list of "migrations"`]),
	...asList(migrations).flatMap(migrationFaults),
	...(areTexts(restored) ? [] : [`the "restored" of its tables is no list of statements`]),
];

export const warningFaults = (warning: unknown): readonly string[] =>
	isText(warning) ? [] : [`what it offers to the slot "warnings" is no sentence`];
