/** The routes of deliveries, signing secrets and the test callback. What belongs to another token does not exist. */
import { Fault, type Identified, type Route, readJson, type Statement, t } from "#core";
import { type Archive, ownedBy } from "./archive.ts";
import type { ManualLimit } from "./manual-limit.ts";
import { bodyOf, closed, listQuery, span, timeOf } from "./queries.ts";
import type { SecretBook } from "./secrets.ts";
import type { TestCallback } from "./test-callback.ts";

/** How often callbacks may be sent again. */
export interface RedeliverLimits {
	readonly one: ManualLimit;
	readonly allDead: ManualLimit;
}

interface RouteOptions {
	readonly archive: Archive;
	readonly secrets: SecretBook;
	readonly test: TestCallback;
	readonly again: RedeliverLimits;
	readonly rotationOverlapMs: number;
	/** What is written beside a change of a token's secret. */
	audited(call: Identified, verb: string): readonly Statement[];
	now(): number;
	wake(): void;
}

/** A span that is not understood would send again what nobody meant. */
const redeliverBody = t.Object(span, closed);

const absent = (): Fault =>
	new Fault({ kind: "not_found", message: "There is no delivery of that id under this token." });

const conflict = (message: string): Fault => new Fault({ kind: "conflict", message });

export const underWay = (): Fault => conflict("An attempt of this delivery is under way; ask again when it has ended.");

const secretAnswer = (secret: string): Response =>
	Response.json({ object: "webhook.secret", secret }, { status: 201, headers: { "cache-control": "no-store" } });

export const createRoutes = (options: RouteOptions): readonly Route[] => {
	const { archive, secrets } = options;

	const show = async (call: Identified): Promise<Response> => {
		const found = await archive.find(call.params.id ?? "", ownedBy(call.token.id));
		if (!found) throw absent();
		return Response.json(found);
	};

	const redeliver = async (call: Identified): Promise<Response> => {
		const id = call.params.id ?? "";
		const whose = ownedBy(call.token.id);
		options.again.one.take(call.caller);
		const changed = await archive.redeliver(id, options.now(), { whose, beside: [] });
		const found = await archive.find(id, whose);
		if (!found) throw absent();
		if (!changed) throw underWay();
		options.wake();
		return Response.json(found, { status: 202 });
	};

	const redeliverDead = async (call: Identified): Promise<Response> => {
		const body = await readJson(call.request, redeliverBody);
		const now = options.now();
		const to = timeOf(body, "to", now + 1);
		options.again.allDead.take(call.caller);
		const count = await archive.redeliverDead(call.token.id, timeOf(body, "from", 0), to, now);
		options.wake();
		return Response.json({ object: "redelivery", count }, { status: 202 });
	};

	const test = async (call: Identified): Promise<Response> =>
		Response.json(await options.test(await bodyOf(call.request), call.token.id, call.caller));

	const list = async (call: Identified): Promise<Response> => {
		const { data, more } = await archive.list(call.token.id, listQuery(call.url.searchParams));
		return Response.json({
			object: "list",
			data,
			first_id: data[0]?.id ?? null,
			last_id: data.at(-1)?.id ?? null,
			has_more: more,
		});
	};

	const create = async (call: Identified): Promise<Response> => {
		const secret = await secrets.create(call.token.id, options.audited(call, "create"));
		if (secret === undefined)
			throw conflict(
				"This token has a signing secret already; it was shown once. Replace it with POST /v1/webhooks/secret/rotate.",
			);
		return secretAnswer(secret);
	};

	const rotate = async (call: Identified): Promise<Response> => {
		const secret = await secrets.rotate(call.token.id, options.rotationOverlapMs, options.audited(call, "rotate"));
		if (secret === undefined)
			throw conflict("This token has no signing secret yet; make one with POST /v1/webhooks/secret.");
		return secretAnswer(secret);
	};

	const state = async (call: Identified): Promise<Response> => {
		const found = await secrets.state(call.token.id);
		if (!found)
			throw new Fault({
				kind: "not_found",
				message: "This token has no signing secret; its callbacks are not signed.",
			});
		return Response.json({
			object: "webhook.secret",
			created_at: found.createdAt / 1000,
			previous_until: found.previousUntil === null ? null : found.previousUntil / 1000,
		});
	};

	const token = { access: "token" } as const;
	return [
		{
			...token,
			method: "GET",
			path: "/v1/deliveries",
			summary: "Lists callbacks and what became of them.",
			handle: list,
		},
		{
			...token,
			method: "GET",
			path: "/v1/deliveries/:id",
			summary: "Shows one callback with its attempts.",
			handle: show,
		},
		{
			...token,
			method: "POST",
			path: "/v1/deliveries/:id/redeliver",
			summary: "Sends one callback again.",
			handle: redeliver,
		},
		{
			...token,
			method: "POST",
			path: "/v1/deliveries/redeliver",
			summary: "Sends every dead callback again, or those of a span of time.",
			body: redeliverBody,
			handle: redeliverDead,
		},
		{
			...token,
			method: "POST",
			path: "/v1/webhooks/test",
			summary: "Sends a test callback and says what came of it.",
			body: t.Object({ url: t.String() }),
			handle: test,
		},
		{
			...token,
			method: "GET",
			path: "/v1/webhooks/secret",
			summary: "Says whether callbacks are signed.",
			handle: state,
		},
		{
			...token,
			method: "POST",
			path: "/v1/webhooks/secret",
			summary: "Makes the signing secret and shows it once.",
			handle: create,
		},
		{
			...token,
			method: "POST",
			path: "/v1/webhooks/secret/rotate",
			summary: "Replaces the signing secret.",
			handle: rotate,
		},
	];
};
