/** Signing in and out, joining by an invitation, and who is signed in. */
import {
	type Admitted,
	adminTokenOperator,
	type Denial,
	type Doorkeeper,
	definedOnly,
	deny,
	Fault,
	isDenial,
	isFault,
	notServed,
	type Operator,
	type Route,
	readJson,
	type Statement,
	type Store,
	t,
} from "#core";
import { auditEntry } from "./audit.ts";
import { endedCookies, sessionCookie } from "./cookie.ts";
import type { Directory } from "./directory.ts";
import { type FindSession, isSession, type SessionRules } from "./doorkeeper.ts";
import { invitationRoute, invitedBy, secretSchema } from "./invitation-route.ts";
import type { Invitations } from "./invitations.ts";
import { keptOf } from "./keeping.ts";
import { inDollars } from "./money.ts";
import { checkName, checkPassword, nameSchema, operatorOf, passwordSchema } from "./person.ts";
import { refuseSignIn } from "./same-origin.ts";
import type { PersonFollower } from "./service.ts";
import type { Entering, NewSession, Session, Sessions } from "./sessions.ts";
import { type SignIn, signInRefused } from "./sign-in.ts";

const closed = { additionalProperties: false } as const;
const signInBody = t.Object({ name: nameSchema, password: passwordSchema }, closed);
const joinBody = t.Object({ secret: secretSchema, name: nameSchema, password: passwordSchema }, closed);
const passwordBody = t.Object({ password: passwordSchema, newPassword: passwordSchema }, closed);

interface SessionRouteParts {
	readonly store: Store;
	readonly directory: Directory;
	readonly sessions: Sessions;
	readonly invitations: Invitations;
	readonly signIn: SignIn;
	readonly find: FindSession;
	/** The other ways to be an operator. */
	others(): readonly Doorkeeper[];
	readonly rules: SessionRules;
	now(): number;
	followers(): readonly PersonFollower[];
}

const secret = { "cache-control": "no-store" };

/** A page that took them for signed out would show them signed in at its next look. */
const letInElsewhere = deny(
	"conflict",
	"Something else than a name and a password here lets you in, such as your company's sign-in: sign out there, and change a password there.",
	{ code: "let_in_elsewhere" },
);

/** Without an end where another doorkeeper knows them. */
const view = ({ operator, expiresAt }: Pick<Session, "operator"> & Partial<Session>) => {
	const { id, name, role } = operator;
	return { signedIn: true, id, name, role, expiresAt };
};

export const sessionRoutes = (parts: SessionRouteParts): readonly Route[] => {
	const { store, directory, sessions, invitations, signIn, find, rules, now } = parts;

	/** Throws `Fault` for whoever may not sign in from there. */
	const admit = (call: Admitted): void => {
		const denial = rules.allow.has(call.address)
			? refuseSignIn(call, rules.url, rules.insecure)
			: notServed(call.request);
		if (denial) throw new Fault(denial);
	};

	const begin = (call: Admitted, entering: Entering | undefined): NewSession =>
		sessions.begin(entering, call.address, call.request.headers.get("user-agent"));

	const entered = (call: Admitted, operator: Operator, { secret: value, seconds }: NewSession): Response =>
		Response.json(view({ operator, expiresAt: now() + seconds * 1000 }), {
			status: 201,
			headers: { ...secret, "set-cookie": sessionCookie(call, value, seconds, rules.insecure) },
		});

	/** Whoever another doorkeeper knows: signed in elsewhere, by a company's door. Whom it refuses may sign in here. */
	const knownElsewhere = async (call: Admitted): Promise<Operator | undefined> => {
		try {
			for (const doorkeeper of parts.others()) {
				const found = await doorkeeper.admit(call);
				if (found !== undefined) return isDenial(found) ? undefined : found;
			}
		} catch (error) {
			if (!isFault(error)) throw error;
		}
		return undefined;
	};

	/** Who is known without a session. One that has ended leaves the others to be asked, as at every route; a refused page does not. */
	const withoutSession = async (call: Admitted, refused: Denial | undefined): Promise<Operator | undefined> =>
		refused === undefined || refused.kind === "authentication" ? await knownElsewhere(call) : undefined;

	const audited = (call: Admitted, operator: Operator, verb: string): Statement =>
		auditEntry({ id: call.id, address: call.address, operator }, now(), {
			verb,
			kind: "person",
			object: operator.id,
			name: operator.name,
		});

	/** The session of whoever asks. Throws `Fault`. */
	const current = async (call: Admitted): Promise<Session> => {
		const found = await find(call);
		if (isSession(found)) return found;
		if (await withoutSession(call, found)) throw new Fault(letInElsewhere);
		throw new Fault(found ?? deny("authentication", "Nobody is signed in here.", { code: "session_ended" }));
	};

	return [
		{
			method: "POST",
			path: "/v1/session",
			access: "public",
			summary: "Signs a person in by name and password; the session is in the answer's cookie.",
			body: signInBody,
			async handle(call) {
				admit(call);
				const { name, password } = await readJson(call.request, signInBody);
				const { person, password: stored } = await signIn.check(call, name, password);
				const operator = operatorOf(person);
				const session = begin(call, { person: person.id, password: stored });
				await store.write([session.statement]);
				if (!(await sessions.find(session.secret))) throw new Fault(signInRefused);
				return entered(call, operator, session);
			},
		},
		invitationRoute(admit, parts),
		{
			method: "POST",
			path: "/v1/session/join",
			access: "public",
			summary: "Uses an invitation: a name and a password are chosen, and the person is signed in.",
			body: joinBody,
			async handle(call) {
				admit(call);
				const body = await readJson(call.request, joinBody);
				const { invitation, known } = await invitedBy(body.secret, parts);
				const name = known?.name ?? checkName(body.name);
				checkPassword(body.password, name);
				const id = known?.id ?? `per_${crypto.randomUUID().replaceAll("-", "")}`;
				const operator = operatorOf({ id, name, role: known?.role ?? invitation.role });
				const password = await signIn.hash(body.password);
				const session = begin(call, { person: id, password });
				await invitations.use(invitation, { id, name, password }, [
					sessions.endAll(id),
					session.statement,
					audited(call, operator, known ? "set password" : "join"),
				]);
				return entered(call, operator, session);
			},
		},
		{
			method: "GET",
			path: "/v1/session",
			access: "public",
			summary: "Who is signed in.",
			async handle(call) {
				const found = await find(call);
				const session = isSession(found) ? found : { operator: await withoutSession(call, found) };
				const { operator } = session;
				if (!operator) return Response.json({ signedIn: false }, { headers: secret });
				const person = await directory.find(operator.id);
				return Response.json(
					{
						...view({ ...session, operator }),
						...(person && definedOnly({ ceiling: inDollars(person).ceiling, limits: person.limits })),
						...(person && (await keptOf(parts.followers(), person))),
					},
					{ headers: secret },
				);
			},
		},
		{
			method: "DELETE",
			path: "/v1/session",
			access: "public",
			summary: "Signs out; `?everywhere=true` ends all sessions of the person.",
			async handle(call) {
				const { digest, operator } = await current(call);
				const everywhere = call.url.searchParams.get("everywhere") === "true";
				await store.write([sessions.end(digest), ...(everywhere ? [sessions.endAll(operator.id)] : [])]);
				if (await knownElsewhere(call)) throw new Fault(letInElsewhere);
				const headers = new Headers(secret);
				for (const cookie of endedCookies) headers.append("set-cookie", cookie);
				return Response.json({ signedIn: false }, { headers });
			},
		},
		{
			method: "POST",
			path: "/v1/session/password",
			access: "public",
			summary: "Sets another password; all other sessions of the person end.",
			body: passwordBody,
			async handle(call) {
				const { digest, operator } = await current(call);
				const body = await readJson(call.request, passwordBody);
				checkPassword(body.newPassword, operator.name);
				const { person, password } = await signIn.check(call, operator.name, body.password);
				const hash = await signIn.hash(body.newPassword);
				await directory.write([
					directory.setPassword(person.id, password, hash),
					sessions.endAll(person.id, digest),
					audited(call, operator, "set password"),
				]);
				return Response.json({ changed: true }, { headers: secret });
			},
		},
		{
			method: "POST",
			path: "/admin/session",
			access: "admin",
			summary: "Signs the holder of the admin token in, for an hour; the session is in the answer's cookie.",
			async handle(call) {
				const denial = refuseSignIn(call, rules.url, rules.insecure);
				if (denial) throw new Fault(denial);
				if (call.operator.id !== adminTokenOperator.id)
					throw new Fault(deny("invalid_request", "You are signed in already; this route is for the admin token."));
				const session = begin(call, undefined);
				await store.write([session.statement, audited(call, call.operator, "sign in")]);
				return entered(call, call.operator, session);
			},
		},
	];
};
