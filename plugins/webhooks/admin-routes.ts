/** The routes of operators: deliveries over all tokens. */
import { sql } from "drizzle-orm";
import {
	asText,
	definedOnly,
	Fault,
	invalidParameter,
	type Operated,
	ownerOf,
	type PersonRoute,
	type Route,
	readJson,
	type Store,
	t,
} from "#core";
import type { People } from "../people/service.ts";
import { narrowedTo, type TokenOwnership, tokenAsked } from "../tokens/service.ts";
import { adviceOn } from "./advice.ts";
import type { Archive } from "./archive.ts";
import type { ManualLimit } from "./manual-limit.ts";
import { bodyOf, closed, listQuery, span, timeOf } from "./queries.ts";
import { type RedeliverLimits, underWay } from "./routes.ts";
import type { DeliveryView, Receiver } from "./service.ts";
import type { TestCallback } from "./test-callback.ts";

interface AdminRouteOptions {
	readonly store: Store;
	readonly archive: Archive;
	readonly tokens: TokenOwnership | undefined;
	readonly people: People | undefined;
	readonly receivers: () => readonly Receiver[];
	readonly test: TestCallback;
	/** For members. */
	readonly again: RedeliverLimits;
	now(): number;
	wake(): void;
}

const absent = (id: string): Fault =>
	new Fault({ kind: "not_found", message: `There is no delivery "${id.slice(0, 128)}".` });

const redeliverBody = t.Object(
	{
		token: t.Optional(t.String()),
		...span,
	},
	closed,
);
const testBody = t.Object({ url: t.String(), token: t.Optional(t.String()) });

export const createAdminRoutes = (options: AdminRouteOptions): readonly Route[] => {
	const { store, archive, tokens, people, receivers, test, again, now, wake } = options;
	/** A member sees and changes only callbacks of their own tokens. */
	const whoseOf = ({ operator }: Operated) => narrowedTo(tokens, ownerOf(operator), sql`owner`);

	const limited = ({ operator }: Operated, limit: ManualLimit): void => {
		const member = ownerOf(operator);
		if (member !== undefined) limit.take(member);
	};

	/** What goes to the operator's own receivers is of no token; its owner's word is asked for in place of one. */
	const askedOf = async ({ operator }: Operated, asked: string): Promise<string> =>
		receivers().some(({ owner }) => owner === asked)
			? asked
			: await tokenAsked(
					store,
					tokens,
					asked,
					ownerOf(operator),
					sql`SELECT 1 FROM deliveries WHERE owner = ${asked} LIMIT 1`,
				);

	/** With the names of their tokens, deleted ones excepted. */
	const named = async (found: readonly DeliveryView[]) => {
		const ids = [...new Set(found.map(({ token }) => token))];
		const known = await Promise.all(ids.map(async (id) => await tokens?.find(id)));
		const names = new Map(
			known.flatMap((token) => {
				const who = token && ("refused" in token ? token.refused : token);
				return who ? [[who.id, who.name] as const] : [];
			}),
		);
		return found.map((one) => ({ ...one, ...definedOnly({ tokenName: names.get(one.token) }) }));
	};

	const show: PersonRoute["handle"] = async (call) => {
		const id = call.params["id"] ?? "";
		const found = await archive.find(id, whoseOf(call));
		if (!found) throw absent(id);
		const [shown] = await named([found]);
		return Response.json({ ...shown, ...definedOnly({ advice: adviceOn(found) }) });
	};

	const redeliverOne: PersonRoute["handle"] = async (call) => {
		const id = call.params["id"] ?? "";
		const whose = whoseOf(call);
		const before = await archive.find(id, whose);
		if (!before) throw absent(id);
		if (before.status === "sending") throw underWay();
		limited(call, again.one);
		const beside = people ? [people.audit(call, { verb: "redeliver", kind: "delivery", object: id })] : [];
		if (!(await archive.redeliver(id, now(), { whose, beside }))) throw underWay();
		wake();
		return Response.json(await archive.find(id, whose), { status: 202 });
	};

	const testOne: PersonRoute["handle"] = async (call) => {
		const body = await bodyOf(call.request);
		const token = asText(body["token"]);
		const found = token === undefined ? undefined : await tokens?.find(token);
		const id = found && ("refused" in found ? found.refused.id : found.id);
		if (token !== undefined && (id === undefined || !(await tokens?.has(id, ownerOf(call.operator)))))
			throw invalidParameter("token", `There is no token "${token.slice(0, 64)}" whose secret could sign.`);
		return Response.json(await test(body, id, call.operator.id));
	};

	return [
		{
			method: "GET",
			path: "/admin/deliveries",
			access: "person",
			query: ["status", "token", "task", "limit", "after"],
			summary: "Callbacks of all tokens, newest first: status, token, task, limit, after (an id).",
			async handle(call) {
				const query = call.url.searchParams;
				const asked = query.get("token");
				const token = asked === null ? undefined : await askedOf(call, asked);
				const { data, more } = await archive.list(token, listQuery(query), whoseOf(call));
				return Response.json({ data: await named(data), hasMore: more });
			},
		},
		{
			method: "POST",
			path: "/admin/deliveries/redeliver",
			access: "person",
			summary: "Sends every dead callback again: of all tokens or one (token), made in a span of time (from, to).",
			body: redeliverBody,
			async handle(call) {
				const body = await readJson(call.request, redeliverBody);
				const at = now();
				const to = timeOf(body, "to", at + 1);
				const token = body.token === undefined ? undefined : await askedOf(call, body.token);
				const beside = people
					? [people.audit(call, { verb: "redeliver", kind: "deliveries", object: token ?? "all dead" })]
					: [];
				const more = { whose: whoseOf(call), beside };
				limited(call, again.allDead);
				const count = await archive.redeliverDead(token, timeOf(body, "from", 0), to, at, more);
				wake();
				return Response.json({ count }, { status: 202 });
			},
		},
		{
			method: "GET",
			path: "/admin/deliveries/:id",
			access: "person",
			summary: "Shows one callback with its attempts.",
			handle: show,
		},
		{
			method: "POST",
			path: "/admin/deliveries/:id/redeliver",
			access: "person",
			summary: "Sends one callback again, whatever became of it.",
			handle: redeliverOne,
		},
		{
			method: "POST",
			path: "/admin/webhooks/test",
			access: "person",
			summary: "Sends a test callback to url and says what came of it; signed as those of token, where one is said.",
			body: testBody,
			handle: testOne,
		},
	];
};
