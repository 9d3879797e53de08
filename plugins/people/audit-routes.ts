/** What was changed, by whom: for admins. */
import { pageLimit, type Route, type Store } from "#core";
import { auditLines } from "./audit.ts";

const most = 1000;

export const auditRoutes = (store: Store): readonly Route[] => [
	{
		method: "GET",
		path: "/admin/audit",
		access: "admin",
		query: ["limit", "after", "operator", "object"],
		summary: "Who changed what, newest first: limit, after (an id), operator, object.",
		async handle({ url }) {
			const asked = url.searchParams;
			const limit = pageLimit(asked, 100, most);
			const query = Object.fromEntries(
				(["after", "operator", "object"] as const).flatMap((name) => {
					const value = asked.get(name);
					return value === null ? [] : [[name, value.slice(0, 200)]];
				}),
			);
			const data = await auditLines(store, { limit, ...query });
			return Response.json({ data, hasMore: data.length === limit });
		},
	},
];
