/** The last results, kept beside the bench, and what has moved since. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asList, asNumber, asRecord, asText, parseJson } from "#core";
import { isOver, judged, type Row } from "./table.ts";

const file = join(import.meta.dir, "results.json");
/** A round breathes by this much; less is no movement. */
const breath = 0.15;

interface Kept {
	readonly what: string;
	readonly judged: number;
}

const keptRows = (): readonly Kept[] => {
	if (!existsSync(file)) return [];
	return asList(asRecord(parseJson(readFileSync(file, "utf8")))["rows"]).flatMap((row) => {
		const { what, judged: figure } = asRecord(row);
		const [name, value] = [asText(what), asNumber(figure)];
		return name === undefined || value === undefined ? [] : [{ what: name, judged: value }];
	});
};

/** A line for every figure that is another one than in the results kept before. */
export const movedSince = (rows: readonly Row[]): readonly string[] => {
	const before = new Map(keptRows().map((row) => [row.what, row.judged]));
	return rows.flatMap((row) => {
		const [was, is] = [before.get(row.what), judged(row)];
		if (was === undefined || !Number.isFinite(is) || Math.abs(is - was) <= Math.abs(was) * breath) return [];
		return [`moved: ${row.what}: ${was.toFixed(2)} before, ${is.toFixed(2)} now`];
	});
};

const rounded = (value: number | undefined): number | undefined =>
	value === undefined || !Number.isFinite(value) ? undefined : Number(value.toPrecision(4));

/** A row as machines read it: figures of four digits, what is judged, and whether it holds. */
export const rowForMachines = (row: Row) => ({
	what: row.what,
	unit: row.unit,
	portico: rounded(row.portico),
	beside: rounded(row.beside),
	ratio: rounded(row.ratio),
	judged: rounded(judged(row)),
	most: row.most,
	least: row.least,
	holds: !isOver(row),
});

/** Keeps the rows in place of those of the same name; others stay as they were. */
export const keep = (rows: readonly Row[]): void => {
	const names = new Set(rows.map(({ what }) => what));
	const stay = existsSync(file)
		? asList(asRecord(parseJson(readFileSync(file, "utf8")))["rows"]).filter(
				(row) => !names.has(asText(asRecord(row)["what"]) ?? ""),
			)
		: [];
	const at = new Date().toISOString().slice(0, 10);
	const fresh = rows.map((row) => ({ ...rowForMachines(row), at }));
	writeFileSync(file, `${JSON.stringify({ rows: [...fresh, ...stay] }, undefined, "\t")}\n`);
};
