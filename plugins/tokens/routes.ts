/** The admin routes of tokens, and the one route by which a token's owner sees it. */
import {
	deny,
	describe,
	Fault,
	type Identified,
	type Operated,
	ownerOf,
	type PersonRoute,
	type Route,
	readJson,
	type TSchema,
	t,
} from "#core";
import type { Change } from "../people/service.ts";
import { billingRoutes } from "./billing-routes.ts";
import { changedFields } from "./changed-fields.ts";
import type { By, IssuedToken, Issuer } from "./issuer.ts";
import { listQuery } from "./list-query.ts";
import type { KnownSettings, Settings } from "./settings.ts";
import type { StoredToken } from "./stored-token.ts";
import { createTokenViews, type ShownToken, type TokenViewParts } from "./token-views.ts";

const nameSchema = t.String({
	minLength: 1,
	maxLength: 200,
	// Marks of direction too: they turn round how the name and what stands beside it are read, on any screen.
	pattern: "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]*$",
	description: "A name that can be seen, without control characters and marks of direction.",
});
/** The person a token belongs to; null: nobody. */
const ownerSchema = t.Union([t.String({ minLength: 1, maxLength: 64 }), t.Null()]);
const createBody = t.Object({ name: nameSchema, owner: t.Optional(ownerSchema) }, { additionalProperties: true });
const changeBody = t.Object(
	{ name: t.Optional(nameSchema), disabled: t.Optional(t.Boolean()), owner: t.Optional(ownerSchema) },
	{ additionalProperties: true },
);

/** What a token has of its own, in the same body as its settings: no setting can be called so. */
export const ownFields: readonly string[] = Object.keys(changeBody.properties);

const longestGrace = 30 * 86_400;
const rotateBody = t.Object(
	{
		graceSeconds: t.Optional(
			t.Integer({ minimum: 0, maximum: longestGrace, description: "How long the old key is good too; 0 unless said." }),
		),
	},
	{ additionalProperties: false },
);

/** One schema of all settings, to draw a form from. */
const schemaOf = (known: KnownSettings) =>
	t.Object(
		{ name: nameSchema, ...Object.fromEntries([...known].map(([key, { schema }]) => [key, t.Optional(schema)])) },
		{ additionalProperties: false },
	);

/** Whose a token is to be: a member's own, whatever they ask for; an admin may say. */
const ownerFor = ({ operator }: Operated, asked: string | null | undefined): string | null | undefined => {
	const own = ownerOf(operator);
	if (own === undefined || asked === undefined || asked === own) return own ?? asked;
	throw new Fault(
		deny("permission", "Only an administrator gives tokens to others.", { code: "admins_only", parameter: "owner" }),
	);
};

interface TokenRouteParts extends TokenViewParts {
	readonly issuer: Issuer;
}

export const tokenRoutes = ({ issuer, ...parts }: TokenRouteParts): readonly Route[] => {
	const { known, people, log } = parts;
	const views = createTokenViews(parts);
	const view = async (token: ShownToken): Promise<Record<string, unknown>> => (await views([token]))[0] ?? {};

	/** The one answer that has the key: it is given although what others add to the token cannot be read. */
	const viewWithKey = async ({ token, key }: IssuedToken): Promise<Record<string, unknown>> => {
		const shown = await view(token).catch((error: unknown) => {
			log.error("what is shown of a token beside its key failed", { token: token.id, error: describe(error) });
			return token;
		});
		return { ...shown, key };
	};

	const personRoute = (
		method: PersonRoute["method"],
		path: string,
		summary: string,
		handle: PersonRoute["handle"],
		body?: () => TSchema,
	): PersonRoute => {
		const route: PersonRoute = { method, path, access: "person", summary, handle };
		// Which settings there are is known once every plugin is set up.
		return body === undefined ? route : Object.defineProperty(route, "body", { get: body, enumerable: true });
	};

	/** On behalf of whoever asks, and who that was. */
	const by = (call: Operated, verb: string, { id, name }: StoredToken, changes: Change["changes"] = {}): By => ({
		owner: ownerOf(call.operator),
		beside: people ? [people.audit(call, { verb, kind: "token", object: id, name, changes })] : [],
	});

	/** The token asked for, when it is theirs who ask. Throws `Fault` (`not_found`). */
	const asked = ({ params, operator }: Operated): Promise<StoredToken> =>
		issuer.get(params["id"] ?? "", ownerOf(operator));

	const switchTo = (path: string, disabled: boolean): PersonRoute =>
		personRoute(
			"POST",
			path,
			disabled ? "Refuses a token from now on." : "Lets a disabled token in again.",
			async (call) => {
				const token = await asked(call);
				const change = by(call, disabled ? "disable" : "enable", token);
				return Response.json(await view(await issuer.update(token.id, { disabled }, change)));
			},
		);

	/** Of one that another authenticator knows nothing is stored here: what it says, and what policies add. */
	const own = async ({ token: { id, name, settings, owner } }: Identified) => {
		const stored = await issuer.find(id);
		return await view(stored ?? { id, name, settings, ...(owner && { owner: owner.id }) });
	};

	return [
		personRoute(
			"POST",
			"/admin/tokens",
			"Issues a token; its key is in this answer only.",
			async (call) => {
				const { name, owner, ...rest } = await readJson(call.request, createBody);
				const settings = rest as Settings;
				const belongs = ownerFor(call, owner) ?? undefined;
				const changes = changedFields({}, { ...settings, owner: belongs }, known());
				const issued = await issuer.create(name, settings, {
					owner: belongs,
					beside: (id) =>
						people ? [people.audit(call, { verb: "create", kind: "token", object: id, name, changes })] : [],
				});
				return Response.json(await viewWithKey(issued), { status: 201 });
			},
			() => t.Composite([createBody, schemaOf(known())]),
		),
		{
			method: "GET",
			path: "/admin/tokens",
			access: "person",
			query: ["limit", "after", "name", "owner"],
			summary: "Lists tokens: limit, after (an id), name (its beginning), owner (a person's id).",
			async handle({ url, operator }) {
				const query = listQuery(url);
				const owner = ownerOf(operator) ?? url.searchParams.get("owner") ?? undefined;
				const tokens = await issuer.list({ ...query, owner });
				return Response.json({ data: await views(tokens), hasMore: tokens.length === query.limit });
			},
		},
		personRoute(
			"GET",
			"/admin/tokens/schema",
			"The settings a token may have, as the loaded policies describe them.",
			() => Response.json(schemaOf(known())),
		),
		personRoute("GET", "/admin/tokens/:id", "Shows a token.", async (call) =>
			Response.json(await view(await asked(call))),
		),
		personRoute(
			"PATCH",
			"/admin/tokens/:id",
			"Changes a token; a setting of null is removed.",
			async (call) => {
				const { name, disabled, owner, ...rest } = await readJson(call.request, changeBody);
				const settings = rest as Settings;
				const before = await asked(call);
				const belongs = owner === undefined ? undefined : ownerFor(call, owner);
				const change = {
					settings,
					...(name !== undefined && { name }),
					...(disabled !== undefined && { disabled }),
					...(belongs !== undefined && { owner: belongs }),
				};
				const { settings: had, ...kept } = before;
				const { settings: _, ...fields } = change;
				const changes = changedFields({ ...kept, ...had }, { ...fields, ...settings }, known());
				return Response.json(await view(await issuer.update(before.id, change, by(call, "change", before, changes))));
			},
			() => t.Partial(t.Composite([changeBody, schemaOf(known())])),
		),
		switchTo("/admin/tokens/:id/disable", true),
		switchTo("/admin/tokens/:id/enable", false),
		personRoute(
			"POST",
			"/admin/tokens/:id/rotate",
			"Gives a token another key; the old one is refused from now on, or after graceSeconds.",
			async (call) => {
				const { graceSeconds = 0 } = await readJson(call.request, rotateBody);
				const before = await asked(call);
				const changes = graceSeconds > 0 ? { graceSeconds: { to: graceSeconds } } : {};
				const issued = await issuer.rotate(before.id, {
					...by(call, "rotate", before, changes),
					graceMs: graceSeconds * 1000,
				});
				return Response.json(await viewWithKey(issued));
			},
			() => rotateBody,
		),
		personRoute("DELETE", "/admin/tokens/:id", "Deletes a token; its lines in the ledger stay.", async (call) => {
			const before = await asked(call);
			await issuer.remove(before.id, by(call, "delete", before));
			return Response.json({ id: before.id, deleted: true });
		}),
		{
			method: "GET",
			path: "/v1/me",
			access: "token",
			summary: "What the token's owner may know of it: settings, what is used and what remains.",
			handle: async (call) => Response.json(await own(call), { headers: { "cache-control": "no-store" } }),
		},
		...billingRoutes(own),
	];
};
