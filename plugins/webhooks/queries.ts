/** What clients and operators may say in the routes of deliveries. */
import {
	asNumber,
	asText,
	instantOf,
	invalidParameter,
	pageLimit,
	readBody,
	readJsonBody,
	t,
	type WireRecord,
} from "#core";
import type { DeliveryFilter } from "./archive.ts";

const bodyLimit = 64 * 1024;
const longestPage = 100;

/** A body may be left out where nothing must be said. */
export const bodyOf = async (request: Request): Promise<WireRecord> => {
	const bytes = await readBody(request, bodyLimit);
	return bytes.length === 0 ? {} : readJsonBody(bytes).value;
};

/** The span of time in which callbacks were made that are sent again, as reports have it: `to` is not included. */
export const span = { from: t.Optional(t.Unknown()), to: t.Optional(t.Unknown()) };

/** Takes no other fields. */
export const closed = { additionalProperties: false };

const states = ["pending", "sending", "delivered", "dead"];

const statusOf = (query: URLSearchParams): string | undefined => {
	const status = query.get("status") ?? undefined;
	if (status !== undefined && !states.includes(status))
		throw invalidParameter(
			"status",
			`The status "${status.slice(0, 32)}" is not known; use one of ${states.join(", ")}.`,
		);
	return status;
};

/** As far as dates go, in milliseconds. */
const latestTime = 8.64e15;

/** Milliseconds since 1970, from seconds (as views show them) or an ISO date. */
export const timeOf = (body: WireRecord, name: string, fallback: number): number => {
	const value = body[name];
	if (value === undefined || value === null) return fallback;
	const given = asNumber(value);
	const time = given === undefined ? (instantOf(asText(value) ?? "") ?? Number.NaN) : given * 1000;
	// Also what is beyond the times there are: a database would not take it.
	if (!(Math.abs(time) <= latestTime))
		throw invalidParameter(name, `"${name}" must be a date (2026-01-31T12:00:00Z) or seconds since 1970.`);
	return time;
};

/** Which deliveries are to be listed. */
export const listQuery = (query: URLSearchParams): DeliveryFilter => {
	const status = statusOf(query);
	const subject = query.get("task") ?? undefined;
	const after = query.get("after") || undefined;
	return {
		limit: pageLimit(query, 20, longestPage),
		...(status !== undefined && { status }),
		...(subject !== undefined && { subject }),
		...(after !== undefined && { after }),
	};
};
