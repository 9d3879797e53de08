/** Finds out who stands before a route of operators: somebody a doorkeeper knows, or the holder of the admin token. */
import type { Admitted } from "../contract/call.ts";
import { type Denial, deny, isDenial } from "../contract/fault.ts";
import type { Doorkeeper, Operator } from "../contract/operator.ts";
import type { Networks } from "../wire/networks.ts";
import { type AdminRules, adminAccess } from "./admin-access.ts";

/** Whoever holds the admin token. */
const tokenOperator: Operator = { id: "admin-token", name: "admin token", role: "admin", scope: "all" };

export interface OperatorOptions {
	readonly admin: AdminRules;
	readonly doorkeepers: readonly Doorkeeper[];
	readonly trustedProxies: Networks;
}

const adminsOnly = deny("permission", "This route is for administrators; ask one of them.", { code: "admins_only" });

export const createRecogniseOperator = ({ admin, doorkeepers, trustedProxies }: OperatorOptions) => {
	const refuseToken = adminAccess(admin, trustedProxies);

	const fromDoorkeepers = async (call: Admitted): Promise<Operator | Denial | undefined> => {
		for (const doorkeeper of doorkeepers) {
			const found = await doorkeeper.admit(call);
			if (found !== undefined) return found;
		}
		return undefined;
	};

	/** A session is never mixed with a script's token: doorkeepers are asked only when there is no `authorization`. */
	return async (call: Admitted, peer: string | undefined, access: "admin" | "person"): Promise<Operator | Denial> => {
		const found = call.request.headers.has("authorization") ? undefined : await fromDoorkeepers(call);
		if (found === undefined) return refuseToken(call, peer) ?? tokenOperator;
		if (isDenial(found) || access === "person" || found.role === "admin") return found;
		return adminsOnly;
	};
};
