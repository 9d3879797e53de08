/** A denial as a response: in the shape of the route that was called, or in whatever shape is asked for. */
import type { Denial, RenderDenial } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import type { Route } from "../contract/route.ts";
import { whatFailed } from "../errors/describe.ts";
import { renderOwnDenial } from "../errors/own-errors.ts";

export const denialResponse = (render: RenderDenial, denial: Denial, requestId: string): Response => {
	const { status, headers, body } = render(denial, requestId);
	return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
};

/** How a refusal is told at a route. */
const shapeAt = ({ shapeFor, renderDenial = renderOwnDenial }: Route, request: Request): RenderDenial =>
	shapeFor?.(request) ?? renderDenial;

/** The status of that; Portico's own where the route cannot say it. */
export const statusAt = (route: Route | undefined, request: Request, denial: Denial): number => {
	try {
		return (route ? shapeAt(route, request) : renderOwnDenial)(denial, "").status;
	} catch {
		// The answer fails in the same way, and is logged then.
		return renderOwnDenial(denial).status;
	}
};

/** As the route tells a refusal; where that fails, which is its plugin's mistake, in Portico's own shape and without its headers. */
export const denialAt = (route: Route, request: Request, denial: Denial, requestId: string, log: Log): Response => {
	try {
		return denialResponse(shapeAt(route, request), denial, requestId);
	} catch (error) {
		log.error("a route failed", { route: route.path, requestId, ...whatFailed(error) });
		const { headers: _, ...words } = denial;
		return denialResponse(renderOwnDenial, words, requestId);
	}
};
