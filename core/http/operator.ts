/** Finds out who stands before a route of operators: somebody a doorkeeper knows, or the holder of the admin token. */
import type { Admitted } from "../contract/call.ts";
import { type Denial, deny, Fault, isDenial } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import type { Doorkeeper, Operator } from "../contract/operator.ts";
import { whatFailed } from "../errors/what-failed.ts";
import { operatorIn, refusalIn } from "../relay/plugin-answers.ts";
import type { Networks } from "../wire/networks.ts";
import { type AdminRules, adminAccess } from "./admin-access.ts";

/** Whoever holds the admin token. */
const tokenOperator: Operator = { id: "admin-token", name: "admin token", role: "admin", scope: "all" };

export interface OperatorOptions {
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

	/** What it refused by throwing, or the usual refusal, where the log says who failed: nobody comes in by that. */
	const failed = ({ name }: Doorkeeper, error: unknown): unknown => {
		if (refusalIn(error)) return error;
		log.error("a doorkeeper failed; the request is refused", { doorkeeper: name, ...whatFailed(error) });
		return new Fault(unknownOperator);
	};

	const fromDoorkeepers = async (call: Admitted): Promise<Operator | Denial | undefined> => {
		for (const doorkeeper of doorkeepers) {
			try {
				const found = await doorkeeper.admit(call);
				if (found !== undefined) return operatorIn(found);
			} catch (error) {
				throw failed(doorkeeper, error);
			}
		}
		return undefined;
	};

	/** A session is never mixed with a script's token: doorkeepers are asked only when there is no `authorization`. */
	return async (call: Admitted, peer: string | undefined, access: "admin" | "person"): Promise<Operator | Denial> => {
		const found = call.request.headers.has("authorization") ? undefined : await fromDoorkeepers(call);
		if (found === undefined) return refuseToken(call, peer) ?? tokenOperator;
		if (!isDenial(found) && isForeignPage(call)) return foreignPage;
		if (isDenial(found) || access === "person" || found.role === "admin") return found;
		return adminsOnly;
	};
};
