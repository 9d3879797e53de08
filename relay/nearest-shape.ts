/** How an error is told at an address that no route has: as the routes nearest to it tell theirs. */
import { renderOwnDenial } from "./own-errors.ts";
import type { RenderDenial, Route } from "./route.ts";

/** How many segments two paths have in common at their beginnings. */
const shared = (a: readonly string[], b: readonly string[]): number => {
	const differs = a.findIndex((segment, index) => segment !== b[index]);
	return differs === -1 ? a.length : differs;
};

/**
 * The shape of the routes that share the most leading segments with a path, so that `/v1/messages/drafts` answers as
 * `/v1/messages` does. Where any of them uses Portico's own shape, that.
 */
export const nearestShape = (routes: readonly Route[]): ((pathname: string) => RenderDenial) => {
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
		return shapes.has(renderOwnDenial) ? renderOwnDenial : first;
	};
};
