/** How an error is told at an address that no route has: as the caller's own client reads it. */

import type { ClientSide } from "../../contract/client-side.ts";
import type { RenderDenial } from "../../contract/fault.ts";
import type { Route } from "../../contract/route.ts";
import { renderOwnDenial } from "../../errors/own-errors.ts";

/** How many segments two paths have in common at their beginnings. */
const shared = (a: readonly string[], b: readonly string[]): number => {
	const differs = a.findIndex((segment, index) => segment !== b[index]);
	return differs === -1 ? a.length : differs;
};

interface Nearest {
	readonly shape: RenderDenial;
	/** How many segments its routes have in common with the path; the first is the empty one before the first `/`. */
	readonly segments: number;
}

/**
 * The shape of the routes that share the most leading segments with a path, so that `/v1/messages/drafts` answers as
 * `/v1/messages` does. Where any of them uses Portico's own shape, that.
 */
const nearestShape = (routes: readonly Route[]): ((pathname: string) => Nearest) => {
	const known = routes.map(({ path, renderDenial }) => ({ segments: path.split("/"), renderDenial }));
	return (pathname) => {
		const asked = pathname.split("/");
		let most = 0;
		let shapes = new Set<RenderDenial>();
		for (const { segments, renderDenial = renderOwnDenial } of known) {
			const count = shared(segments, asked);
			if (count < most) continue;
			if (count > most) shapes = new Set();
			most = count;
			shapes.add(renderDenial);
		}
		const [first = renderOwnDenial] = shapes;
		return { shape: shapes.has(renderOwnDenial) ? renderOwnDenial : first, segments: most };
	};
};

/**
 * Headers go first: a protocol whose client shows itself is answered in its shape. A caller with no more than a bearer is
 * none of those that may send a key in the query: their routes count only where no other begins like the path.
 */
export const missShape = (
	clients: readonly Pick<ClientSide, "claims" | "renderDenial">[],
	routes: readonly Route[],
): ((request: Request) => RenderDenial) => {
	// Under which other names OpenAI's routes may be called says nothing of the addresses beside them.
	const ofAll = nearestShape(routes.filter(({ path }) => !path.includes("/openai/")));
	const ofBearers = nearestShape(routes.filter(({ keyInQuery }) => keyInQuery !== true));
	return ({ headers, url }) => {
		const asked = new URL(url);
		const claimed = clients.find((client) => client.claims?.(headers, asked));
		if (claimed) return claimed.renderDenial;
		if (headers.has("authorization")) {
			const { shape, segments } = ofBearers(asked.pathname);
			// Other versions than the one that all share are begun by aliases too, which alone do not make an address theirs.
			if (segments > (asked.pathname.startsWith("/v1/") ? 1 : 2)) return shape;
		}
		return ofAll(asked.pathname).shape;
	};
};
