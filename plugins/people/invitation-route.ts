/** What the link of an invitation is for: asked before anything is written, so that nobody chooses a password for nothing. */
import { type Admitted, definedOnly, type Route, readJson, t } from "#core";
import type { Directory } from "./directory.ts";
import type { Invitations } from "./invitations.ts";
import { looksLikeSecret } from "./secret.ts";

export const secretSchema = t.String({ maxLength: 64, description: "What follows the # of the link." });
const invitationBody = t.Object({ secret: secretSchema }, { additionalProperties: false });

interface InvitationParts {
	readonly invitations: Invitations;
	readonly directory: Directory;
}

/** The invitation, and the person whose password it sets, where it is for one. Throws `Fault`. */
export const invitedBy = async (secret: string, { invitations, directory }: InvitationParts) => {
	const invitation = await invitations.of(looksLikeSecret(secret) ? secret : "");
	const known = invitation.person === undefined ? undefined : await directory.get(invitation.person);
	return { invitation, known };
};

/** `admit` throws `Fault` for whoever may not sign in from there. */
export const invitationRoute = (admit: (call: Admitted) => void, parts: InvitationParts): Route => ({
	method: "POST",
	path: "/v1/session/invitation",
	access: "public",
	summary: "Tells what the link of an invitation is for, and uses nothing.",
	body: invitationBody,
	async handle(call) {
		admit(call);
		const { secret } = await readJson(call.request, invitationBody);
		const { invitation, known } = await invitedBy(secret, parts);
		const told = { role: known?.role ?? invitation.role, name: known?.name, expiresAt: invitation.expiresAt };
		return Response.json(definedOnly(told), { headers: { "cache-control": "no-store" } });
	},
});
