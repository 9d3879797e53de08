/** Fields of a client's body that nobody reads here and its upstream may. */
import type { WireRecord } from "#core";
import { callbackNames } from "./callback-url.ts";

/** What every order says by itself, and where to call back. */
const always: ReadonlySet<string> = new Set([...callbackNames, "model", "prompt"]);

/** `own`: the names of those that the dialect reads, or that say how to answer. */
export const fieldsBeside = (body: WireRecord, own: ReadonlySet<string>): WireRecord =>
	Object.fromEntries(Object.entries(body).filter(([name]) => !always.has(name) && !own.has(name)));
