/** A stranger's plugin, named by its path in the soak's config: tells what the process keeps in memory. */
import { heapSize } from "bun:jsc";
import { add, definePlugin, routes, t } from "#core";

export default definePlugin({
	name: "memory-route",
	summary: "Tells how much the heap holds.",
	config: t.Object({}, { additionalProperties: false }),
	gives: [routes],
	setup: () => ({
		offers: [
			add(routes, {
				method: "GET",
				path: "/admin/memory",
				access: "admin",
				summary: "Bytes on the heap; with ?collect=1 after everything that can be freed was.",
				handle({ url }) {
					if (url.searchParams.has("collect")) Bun.gc(true);
					// Not `heapStats`, which walks the whole heap and would be the longest halt that calls meet.
					return Response.json({ heapBytes: heapSize() });
				},
			}),
		],
	}),
});
