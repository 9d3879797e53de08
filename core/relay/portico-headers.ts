/** What the headers of an answer tell of how it came about. */
import { withoutKeys } from "../errors/redact.ts";
import type { LiveCall } from "./live-call.ts";

/** Names as a header may hold them. */
const headerText = (text: string): string =>
	text.replace(/[^\x20-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()));

/** For a token that asked for it. The cost of a stream is not known when its headers go. */
const explained = ({ target, attempts, charged }: LiveCall): Record<string, string> | undefined => {
	if (!target) return undefined;
	return {
		"x-portico-target": headerText(`${target.upstream.name}:${withoutKeys(target.model)}`),
		"x-portico-attempts": String(attempts.count),
		...(charged !== undefined && { "x-portico-cost": (charged / 1e6).toFixed(6) }),
	};
};

export const porticoHeaders = (live: LiveCall): Record<string, string> | undefined => {
	const { losses, emulated } = live;
	const more = live.permits.explains ? explained(live) : undefined;
	if (losses.length === 0 && emulated === undefined) return more;
	const paths = new Set(losses.map(({ path }) => path.replace(/[^\w.[\]-]/g, "_")));
	return {
		...(paths.size > 0 && { "x-portico-dropped": [...paths].join(",").slice(0, 2000) }),
		...(emulated !== undefined && { "x-portico-emulated": emulated }),
		...more,
	};
};
