/**
 * What guards are shown cannot be changed in place: the change would reach an upstream to which the call is translated, and none
 * that gets the client's own bytes. A guard that tries throws, and so refuses; what it wants changed is its `replace`.
 */
import type { NeutralRequest } from "../../neutral/request.ts";

const freeze = (value: unknown): void => {
	if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return;
	Object.freeze(value);
	for (const inner of Object.values(value)) freeze(inner);
};

/** The request itself. What it was read from (`raw`) says nothing to anybody by then. */
export const unchangeable = (request: NeutralRequest): NeutralRequest => {
	if (Object.isFrozen(request)) return request;
	const { raw: _, ...shown } = request;
	freeze(shown);
	return Object.freeze(request);
};
