/** Who stands before an admin route: a person who signed in, or the holder of the admin token. */
import type { Admitted } from "./call.ts";
import type { Denial } from "./fault.ts";
import { slot } from "./token.ts";

/**
 * Whoever asks an admin route, as its handler gets them.
 *
 * @example
 * // A list shows a member only what is their own; another's id is answered as one that does not exist.
 * const owner = ownerOf(call.operator);
 * const rows = await tokens.list({ owner });
 */
export interface Operator {
	/** `per_…` for a person; that of `adminTokenOperator` for the holder of the admin token. */
	readonly id: string;
	/** What is shown and written into the audit. */
	readonly name: string;
	/** `admin` may do everything; `member` only what routes of access `person` allow, and only with what is their own. */
	readonly role: "admin" | "member";
	/** What may be seen and changed: everything, or what this person (by id) owns. */
	readonly scope: "all" | { readonly owner: string };
}

/** The holder of the admin token, who may do everything. */
export const adminTokenOperator: Operator = { id: "admin-token", name: "admin token", role: "admin", scope: "all" };

/** The id of the person whose things alone this operator may see; undefined when they may see all. */
export const ownerOf = ({ scope }: Operator): string | undefined => (scope === "all" ? undefined : scope.owner);

/**
 * Knows who stands before a route of access `admin` or `person` when the request carries no `authorization`. Members see what is
 * kept under their id, so give that of a person (`named` of `#core/plugins/people`). A browser sends its cookie or certificate for
 * other sites' pages too. Portico refuses those that `sec-fetch-site` tells of; over plain http, where browsers leave it out,
 * look at `origin` (`isOwnOrigin`).
 *
 * @example
 * add(doorkeepers, {
 * 	name: "certificates",
 * 	admit: ({ request }) => personOf(request.headers.get("x-client-certificate")),
 * });
 */
export interface Doorkeeper {
	readonly name: string;
	/**
	 * The operator; a denial when the request claims to be one and is not; undefined when this doorkeeper does not know. After a
	 * denial of the kind `authentication` the next doorkeepers are asked too, and it is the answer when none of them knows.
	 */
	admit(call: Admitted): Operator | Denial | undefined | Promise<Operator | Denial | undefined>;
}

/** Ways to be an operator. The first doorkeeper that knows the request decides; none: the admin token is asked for. */
export const doorkeepers = slot<Doorkeeper>("doorkeepers");

/** Something an operator did, as it is written down. */
export interface Deed {
	/** `reload`, `back up` … */
	readonly verb: string;
	/** What it was done to: `config`, `database`, and which. */
	readonly kind: string;
	readonly object: string;
}

/** Writes down what operators do that no batch of the database holds. */
export interface Auditor {
	did(call: Operated, deed: Deed): Promise<void>;
}

/**
 * Whoever keeps an account of what operators did. Told once it is done.
 *
 * @example
 * add(auditors, { did: async ({ operator }, { verb, object }) => log.info("done", { by: operator.name, verb, object }) });
 */
export const auditors = slot<Auditor>("auditors");

/** A call of an operator. */
export interface Operated extends Admitted {
	readonly operator: Operator;
}
