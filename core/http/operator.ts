/** Finds out who stands before a route of operators: somebody a doorkeeper knows, or the holder of the admin token. */
import type { Admitted } from "../contract/call.ts";
import { type Denial, deny, Fault, isDenial } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import { adminTokenOperator, type Doorkeeper, type Operator } from "../contract/operator.ts";
import { whatFailed } from "../errors/describe.ts";
import { operatorIn, refusalIn } from "../relay/policies/plugin-answers.ts";
import type { Networks } from "../wire/networks.ts";
import { type AdminRules, adminAccess } from "./admin-access.ts";

interface OperatorOptions {
	readonly admin: AdminRules;
	readonly doorkeepers: readonly Doorkeeper[];
	readonly trustedProxies: Networks;
	readonly log: Log;
}

const adminsOnly = deny("permission", "This route is for administrators; ask one of them.", { code: "admins_only" });

const foreignPage = deny("permission", "This request did not come from a page of this server.", {
	code: "origin_not_allowed",
});

/** What a browser sends by itself (a cookie, a certificate) it sends for pages of others too; then it says so. */
const isForeignPage = ({ request }: Admitted): boolean => {
	const site = request.headers.get("sec-fetch-site");
	return site !== null && site !== "same-origin" && site !== "none";
};

const unknownOperator = deny(
	"internal",
	"Who stands before this route could not be found out, so the request is refused. The log says why.",
);

export const createRecogniseOperator = ({ admin, doorkeepers, trustedProxies, log }: OperatorOptions) => {
	const refuseToken = adminAccess(admin, trustedProxies);

	/** Nobody comes in by a doorkeeper that failed; the log says which. */
	const ask = async (doorkeeper: Doorkeeper, call: Admitted): Promise<Operator | Denial | undefined> => {
		try {
			const found = await doorkeeper.admit(call);
			return found === undefined ? undefined : operatorIn(found);
		} catch (error) {
			const refusal = refusalIn(error);
			if (refusal) return refusal;
			log.error("a doorkeeper failed; the request is refused", { doorkeeper: doorkeeper.name, ...whatFailed(error) });
			throw new Fault(unknownOperator);
		}
	};

	/** Who is not recognised by one (the cookie of a session that has ended) may be by another; who is refused is refused. */
	const fromDoorkeepers = async (call: Admitted): Promise<Operator | Denial | undefined> => {
		let unrecognised: Denial | undefined;
		for (const doorkeeper of doorkeepers) {
			const found = await ask(doorkeeper, call);
			if (found === undefined) continue;
			if (!isDenial(found) || found.kind !== "authentication") return found;
			unrecognised ??= found;
		}
		return unrecognised;
	};

	/** A session is never mixed with a script's token: doorkeepers are asked only when there is no `authorization`. */
	return async (call: Admitted, peer: string | undefined, access: "admin" | "person"): Promise<Operator | Denial> => {
		const found = call.request.headers.has("authorization") ? undefined : await fromDoorkeepers(call);
		if (found === undefined) return refuseToken(call, peer) ?? adminTokenOperator;
		if (!isDenial(found) && isForeignPage(call)) return foreignPage;
		if (isDenial(found) || access === "person" || found.role === "admin") return found;
		return adminsOnly;
	};
};
