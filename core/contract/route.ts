/** Routes as data. Plugins offer them; only `core/http` knows the server library. */
import type { TSchema } from "@sinclair/typebox";
import type { Admitted, Identified } from "./call.ts";
import type { RenderDenial } from "./fault.ts";
import type { Operation } from "./model-ask.ts";
import type { Operated } from "./operator.ts";
import { slot } from "./token.ts";

/** Methods of HTTP that routes may have. */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RouteFor<Access extends string, Call> {
	readonly access: Access;
	handle(call: Call): Response | Promise<Response>;
	readonly method: Method;
	/**
	 * `/v1/tasks/:id`, or a trailing `*` that takes the rest (`params["*"]`, not percent-decoded). `*:verb` takes what
	 * ends in `:verb`, which is left out of `params["*"]`; it goes before a plain `*` on the same path.
	 */
	readonly path: string;
	/** One sentence for `portico plugins` and the documentation. */
	readonly summary: string;
	/** The shape of this route's errors; without it Portico's own, which is OpenAI's. */
	readonly renderDenial?: RenderDenial;
	/** The shape of one caller's errors at an address that several protocols have; goes before `renderDenial`. */
	readonly shapeFor?: (request: Request) => RenderDenial;
	/** True where clients may send their key as `?key=` (Gemini's paths); elsewhere such a key is ignored. */
	readonly keyInQuery?: boolean;
	/** `CallRecord.protocol` of a call that is refused before `handle` runs: `tasks`, `models`; the plugin's name unless given. */
	readonly protocol?: string;
	/** Its `CallRecord.operation`; `protocol` unless given. */
	readonly operation?: (call: Admitted) => Operation;
	/** The schema of a JSON body, for documentation only: `readJson` in the handler holds the body to it. */
	readonly body?: TSchema;
}

/** Anyone may call. */
export type PublicRoute = RouteFor<"public", Admitted>;

/** A valid token is needed; every policy's `admit` has passed before `handle` runs. */
export type TokenRoute = RouteFor<"token", Identified>;

/**
 * The whole body, 1 MB at most, is there when `handle` runs. No browser keeps the answer, unless it says `cache-control`
 * itself.
 */
interface OperatorRoute<Access extends string> extends RouteFor<Access, Operated> {
	/** What the query may name. Anything else is refused, for a mistyped filter would show everything; unless given, nothing is. */
	readonly query?: readonly string[];
}

/** For operators who may do everything: a person of role `admin`, or the admin token from an address that `admin.allow` admits. */
export type AdminRoute = OperatorRoute<"admin">;

/**
 * For every operator, members too. The handler narrows what it reads and changes to `call.operator.scope`, and answers
 * another's id as one that does not exist.
 */
export type PersonRoute = OperatorRoute<"person">;

/** A route of any access. */
export type Route = PublicRoute | TokenRoute | AdminRoute | PersonRoute;

/**
 * Two routes on one method and path are refused at start, naming both plugins. A handler may throw `Fault`.
 *
 * @example
 * add(routes, {
 * 	method: "GET",
 * 	path: "/v1/weather/:town",
 * 	access: "token",
 * 	summary: "The weather of a town.",
 * 	handle: ({ params, token }) => Response.json({ town: params["town"], asked: token.name }),
 * });
 * // A body is read by `readJson`, which refuses what is no JSON, too long, or does not fit.
 * const body = t.Object({ town: t.String(), degrees: t.Integer() });
 * add(routes, {
 * 	method: "POST",
 * 	path: "/admin/weather",
 * 	access: "admin",
 * 	summary: "Notes the weather of a town.",
 * 	body,
 * 	async handle({ request }) {
 * 		const { town, degrees } = await readJson(request, body);
 * 		return Response.json({ town, degrees });
 * 	},
 * });
 */
export const routes = slot<Route>("routes");
