/** What admins do about people: list, change, disable, invite. */
import {
	type AdminRoute,
	adminTokenOperator,
	definedOnly,
	deny,
	Fault,
	type Operated,
	type Route,
	readJson,
	type Statement,
	type Store,
	t,
	toMicroDollars,
} from "#core";
import type { Directory, PersonChange } from "./directory.ts";
import type { Invitations } from "./invitations.ts";
import { checkKept, keptOf } from "./keeping.ts";
import { ceilingSchema, inDollars } from "./money.ts";
import { limitsFrom, type Person, roleSchema } from "./person.ts";
import type { Change, People, PersonFollower } from "./service.ts";
import type { Sessions } from "./sessions.ts";

const closed = { additionalProperties: false } as const;
const limitsSchema = t.Record(t.String(), t.Unknown(), {
	description: "Token settings that no token of the person goes beyond, by key, such as models or expiresAt.",
});

const budgetsSchema = t.Union([t.Null(), t.Array(t.Unknown(), { maxItems: 8 })], {
	description: "Dollars that all tokens of the person may spend together in each day, week or month; null: none.",
});

/** What holds for a person's tokens together. */
const bounds = {
	ceiling: t.Optional(ceilingSchema),
	budgets: t.Optional(budgetsSchema),
	limits: t.Optional(limitsSchema),
};

const changeBody = t.Object({ role: t.Optional(roleSchema), disabled: t.Optional(t.Boolean()), ...bounds }, closed);

const inviteBody = t.Object(
	{
		role: t.Optional(roleSchema),
		...bounds,
		person: t.Optional(
			t.String({ maxLength: 64, description: "Somebody's id or name, to let them set another password." }),
		),
		hours: t.Optional(t.Number({ exclusiveMinimum: 0, maximum: 720, description: "How long the link is valid; 72." })),
	},
	closed,
);

/** Where people reach this server, as far as the call tells. */
export type LinkBase = (call: Operated) => string;

export const joinLink = (base: string, secret: string): string => `${base}/console/join#${secret}`;

interface PeopleRouteParts {
	readonly store: Store;
	readonly directory: Directory;
	readonly sessions: Sessions;
	readonly invitations: Invitations;
	readonly people: People;
	followers(): readonly PersonFollower[];
	readonly base: LinkBase;
	/** What is to be said beside a link. */
	note(): string | undefined;
}

/** Each field that is another now. */
const changesOf = (before: Person, after: Person): NonNullable<Change["changes"]> => {
	const [was, is] = [inDollars(before), inDollars(after)] as const;
	const changes: Record<string, { from?: unknown; to?: unknown }> = {};
	for (const key of ["role", "disabled", "ceiling", "budgets", "limits"] as const)
		if (JSON.stringify(was[key]) !== JSON.stringify(is[key])) changes[key] = { from: was[key], to: is[key] };
	return changes;
};

const withChange = (before: Person, { ceiling, budgets, ...rest }: PersonChange): Person => {
	const { ceiling: oldCeiling, budgets: oldBudgets, ...kept } = before;
	const next = {
		ceiling: (ceiling === undefined ? oldCeiling : ceiling) ?? undefined,
		budgets: (budgets === undefined ? oldBudgets : budgets) ?? undefined,
	};
	return { ...kept, ...rest, ...definedOnly(next) };
};

export const peopleRoutes = (parts: PeopleRouteParts): readonly Route[] => {
	const { store, directory, sessions, invitations, people, followers, base, note } = parts;

	const shown = async (person: Person): Promise<Readonly<Record<string, unknown>>> => ({
		...inDollars(person),
		...(await keptOf(followers(), person)),
	});

	const route = (
		method: AdminRoute["method"],
		path: string,
		summary: string,
		handle: AdminRoute["handle"],
	): AdminRoute => ({
		method,
		path,
		access: "admin",
		summary,
		handle,
	});

	const change = async (call: Operated, { role, ...rest }: PersonChange, verb: string): Promise<Response> => {
		const before = await directory.get(call.params["id"] ?? "");
		// A form sends the role along whatever is changed; the same role is no reason to sign in again.
		const wanted: PersonChange = { ...rest, ...(role !== undefined && role !== before.role && { role }) };
		const after = withChange(before, wanted);
		const followed = followers();
		const statements: readonly Statement[] = [
			...directory.change(before.id, wanted),
			...(call.operator.id === adminTokenOperator.id ? [] : directory.keepAnAdmin(before, after)),
			...followed.flatMap((follower) => follower.statements(after)),
			people.audit(call, {
				verb,
				kind: "person",
				object: before.id,
				name: before.name,
				changes: changesOf(before, after),
			}),
		];
		await directory.write(statements);
		for (const follower of followed) follower.changed?.(after);
		return Response.json(await shown(after));
	};

	return [
		{
			...route("GET", "/admin/people", "Lists persons.", async () =>
				Response.json({ data: await Promise.all((await directory.list()).map(shown)) }),
			),
			query: [],
		},
		route("GET", "/admin/people/:id", "Shows a person, by id or name.", async ({ params }) =>
			Response.json(await shown(await directory.get(params["id"] ?? ""))),
		),
		route("PATCH", "/admin/people/:id", "Changes a person's role, ceiling, budgets or limits.", async (call) => {
			const asked = await readJson(call.request, changeBody);
			checkKept(followers(), asked);
			const { ceiling, role, disabled, budgets, limits } = asked;
			const amount = typeof ceiling === "number" ? toMicroDollars(ceiling) : ceiling;
			const wanted: PersonChange = {
				...(role !== undefined && { role }),
				...(disabled !== undefined && { disabled }),
				...(limits !== undefined && { limits: limitsFrom(limits) }),
				...(budgets !== undefined && { budgets }),
				...(amount !== undefined && { ceiling: amount }),
			};
			return await change(call, wanted, "change");
		}),
		route(
			"POST",
			"/admin/people/:id/disable",
			"Signs a person out for good; their tokens are refused from now on.",
			(call) => change(call, { disabled: true }, "disable"),
		),
		route("POST", "/admin/people/:id/enable", "Lets a disabled person in again, and their tokens.", (call) =>
			change(call, { disabled: false }, "enable"),
		),
		route("POST", "/admin/people/:id/sign-out", "Ends all sessions of a person.", async (call) => {
			const { id, name } = await directory.get(call.params["id"] ?? "");
			await store.write([
				sessions.endAll(id),
				people.audit(call, { verb: "sign out", kind: "person", object: id, name }),
			]);
			return Response.json({ id, signedOut: true });
		}),
		{
			...route("GET", "/admin/invitations", "Lists invitations that can still be used.", async () =>
				Response.json({ data: (await invitations.open()).map(inDollars) }),
			),
			query: [],
		},
		route(
			"POST",
			"/admin/invitations",
			"Makes a link by which somebody joins; it is in this answer only.",
			async (call) => {
				const asked = await readJson(call.request, inviteBody);
				const { role = "member", ceiling, budgets, limits, person: who, hours = 72 } = asked;
				checkKept(followers(), asked);
				const known = who === undefined ? undefined : await directory.get(who);
				const made = invitations.make({
					role: known?.role ?? role,
					...(typeof ceiling === "number" && { ceiling: toMicroDollars(ceiling) }),
					...(budgets && { budgets }),
					...(limits && { limits: limitsFrom(limits) }),
					...(known && { person: known.id }),
					hours,
					by: call.operator.id,
				});
				const shown = inDollars(made.invitation);
				const changes = {
					role: { to: shown.role },
					ceiling: { to: shown.ceiling },
					budgets: { to: shown.budgets },
					limits: { to: limits },
				};
				await store.write([
					made.statement,
					people.audit(call, {
						verb: "invite",
						kind: "invitation",
						object: shown.id,
						...(known && { name: known.name }),
						changes,
					}),
				]);
				const link = joinLink(base(call), made.secret);
				return Response.json({ ...shown, link, ...definedOnly({ note: note() }) }, { status: 201 });
			},
		),
		route("DELETE", "/admin/invitations/:id", "Withdraws an invitation.", async (call) => {
			const id = call.params["id"] ?? "";
			if (!(await invitations.open()).some((one) => one.id === id))
				throw new Fault(deny("not_found", `There is no open invitation "${id.slice(0, 64)}".`));
			await store.write([
				invitations.withdraw(id),
				people.audit(call, { verb: "withdraw", kind: "invitation", object: id }),
			]);
			return Response.json({ id, deleted: true });
		}),
	];
};
