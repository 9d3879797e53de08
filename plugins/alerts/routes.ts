/** `GET /admin/alerts` and `POST /admin/alerts/test`. */
import { sql } from "drizzle-orm";
import { asNumber, asRecord, asText, pageLimit, parseJson, type Route, type Store } from "#core";
import type { Alerts } from "./service.ts";

const most = 500;

export const alertRoutes = (store: Store, raise: Alerts["raise"]): readonly Route[] => [
	{
		method: "GET",
		path: "/admin/alerts",
		access: "admin",
		query: ["limit"],
		summary: "What the operator was told, newest first: limit. Whether it arrived: /admin/deliveries?token=alerts.",
		async handle({ url }) {
			const limit = pageLimit(url.searchParams, 50, most);
			const rows = await store.all(
				sql`SELECT id, event, body, at FROM alerts ORDER BY at DESC, rowid DESC LIMIT ${limit}`,
			);
			const data = rows.map(({ id, event, body, at }) => ({
				id,
				event,
				at: new Date(asNumber(at) ?? 0).toISOString(),
				data: asRecord(parseJson(asText(body) ?? "{}"))["data"],
			}));
			return Response.json({ data });
		},
	},
	{
		method: "POST",
		path: "/admin/alerts/test",
		access: "admin",
		summary: "Sends an alert that says it is a test.",
		handle() {
			const message = "This is a test: alerts of this gateway arrive here.";
			raise({ event: "alert.test", about: "test", quietMs: 0, data: { message } });
			return Response.json({ event: "alert.test" }, { status: 202 });
		},
	},
];
