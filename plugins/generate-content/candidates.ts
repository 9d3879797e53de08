/** The candidates of a chunk with their numbers. */
import { asCount, asList, isRecord, type WireRecord } from "#core";

export const candidatesOf = (chunk: WireRecord): readonly { index: number; candidate: WireRecord }[] =>
	asList(chunk["candidates"]).flatMap((entry, at) =>
		isRecord(entry) ? [{ index: asCount(entry["index"]) ?? at, candidate: entry }] : [],
	);
