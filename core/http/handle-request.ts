/** What every request goes through around its route: admission, access, one rendering of errors, and the usual headers. */
import type { Admitted, Identified } from "../contract/call.ts";
import type { Clock } from "../contract/clock.ts";
import { type Denial, deny, isDenial, isFault, type RenderDenial } from "../contract/fault.ts";
import type { Log } from "../contract/log.ts";
import type { Doorkeeper } from "../contract/operator.ts";
import type { Protocol } from "../contract/protocol.ts";
import type { AdminRoute, PersonRoute, Route, TokenRoute } from "../contract/route.ts";
import { whatFailed } from "../errors/describe.ts";
import { renderOwnDenial } from "../errors/own-errors.ts";
import { StoreFault } from "../errors/store-fault.ts";
import { isRecord } from "../neutral/json.ts";
import { missShape } from "../relay/routes/miss-shape.ts";
import { notServed } from "../relay/routes/not-served.ts";
import type { Connection } from "../runtime/serve.ts";
import type { ByteBudget } from "../wire/byte-budget.ts";
import type { Networks } from "../wire/networks.ts";
import { isPending, type MaybeLater } from "../wire/pending.ts";
import type { AdminRules } from "./admin-access.ts";
import { admit, crooked, meantByBrowser, originHeaders, preflight, requestIdOf } from "./admission.ts";
import { type App, createApp, exactRoutes, type OwnedRoute } from "./app.ts";
import { type Arrival, admitted, newCallId, noParams, type Params, unknownArrival } from "./arrival.ts";
import { denialAt, denialResponse } from "./denial-response.ts";
import { refuseUnknownQuery } from "./known-query.ts";
import { createRecogniseOperator } from "./operator.ts";
import { wholeRequest } from "./own-bodies.ts";

export interface RequestHandlerOptions {
	readonly routes: readonly OwnedRoute[];
	/** Whose clients are known by their headers, wherever they ask. */
	readonly protocols: readonly Protocol[];
	readonly clock: Clock;
	readonly log: Log;
	readonly trustedProxies: Networks;
	/** Origins of web pages that may call; `*` is any. */
	readonly origins: readonly string[];
	readonly admin: AdminRules;
	/** Who else than the holder of the admin token may be an operator. */
	readonly doorkeepers: readonly Doorkeeper[];
	/** Finds and checks the token; the policies' `admit` included. */
	identify(call: Admitted, keyInQuery: boolean): MaybeLater<Identified | Denial>;
	/** True while the process is being stopped: new calls are refused. */
	draining(): boolean;
	/** What bodies and answers of all calls may hold. */
	readonly budget: ByteBudget;
}

const stopping = deny(
	"overloaded",
	"Portico is shutting down; ask again, another node or the next start will answer.",
	{ retryAfterSeconds: 1 },
);

const exposed =
	"x-request-id, request-id, retry-after, retry-after-ms, x-should-retry, x-portico-dropped, x-portico-target, x-portico-attempts, x-portico-cost";

export class RequestHandler {
	/** Requests that have no answer yet; a stream that has begun is not among them. */
	waiting = 0;
	private readonly options: RequestHandlerOptions;
	private readonly recognise: ReturnType<typeof createRecogniseOperator>;
	private readonly exactRoute: ReturnType<typeof exactRoutes>;
	private readonly shapeOf: ReturnType<typeof missShape>;
	private readonly app: App;
	/** Where the app's requests came from, until they are answered. */
	private readonly arrivals = new Map<Request, Arrival>();

	constructor(options: RequestHandlerOptions) {
		this.options = options;
		this.recognise = createRecogniseOperator(options);
		this.exactRoute = exactRoutes(options.routes);
		this.shapeOf = missShape(
			options.protocols.map(({ client }) => client),
			options.routes.map(({ route }) => route),
		);
		this.app = createApp(options.routes, {
			serve: (route, routed, params) => this.serve(route, this.arrivals.get(routed) ?? unknownArrival(routed), params),
			miss: (request, allowed) =>
				this.plain(request, notServed(request, allowed), this.idFor(request), this.shapeOf(request)),
			fail: (request, error) => {
				const id = this.idFor(request);
				return this.plain(request, this.denialOf(error, "", id), id);
			},
		});
	}

	/** `connection` tells where the request came from. */
	handle(request: Request, connection: Connection): MaybeLater<Response> {
		const target = admit(request);
		if (target === crooked || connection.crooked) return this.askedCrookedly(request);
		if (typeof target !== "string") return this.plain(request, target);
		if (request.method === "OPTIONS") return preflight(request, this.options.origins);
		const arrival = { request, target, connection };
		const route = this.exactRoute(request.method, target);
		return route ? this.serve(route, arrival, noParams) : this.handleByPattern(arrival);
	}

	/** Finds the route by its pattern, which takes the library. */
	private async handleByPattern(arrival: Arrival): Promise<Response> {
		const { request, target } = arrival;
		const routed =
			target === request.url ? request : new Request(target, { method: request.method, headers: request.headers });
		this.arrivals.set(routed, arrival);
		try {
			return await this.app.handle(routed);
		} finally {
			this.arrivals.delete(routed);
		}
	}

	/** Answers at a route. */
	private async serve(route: Route, arrival: Arrival, params: Params): Promise<Response> {
		const { request, connection } = arrival;
		const call: Admitted & Pick<Partial<Identified>, "held"> = admitted(arrival, route.path, params, this.options);
		let response: Response;
		this.waiting++;
		try {
			const answered = this.answer(route, call, connection);
			const given = isPending(answered) ? await answered : answered;
			response = given instanceof Response ? given : this.refusal(route, request, given, call.requestId);
			if (response.bodyUsed) throw new TypeError("its handler answered a Response whose body was read already");
		} catch (error) {
			const denial = this.denialOf(error, call.route, call.requestId);
			response = denialAt(route, request, denial, call.requestId, this.options.log);
		} finally {
			this.waiting--;
			// What the call held goes back when its handler has answered, unless it outlives that.
			if (call.held && !call.held.carried) call.held.release();
		}
		response = this.finish(response, call.requestId, route, request);
		connection.answered?.(response);
		return response;
	}

	private answer(route: Route, call: Admitted, connection: Connection): MaybeLater<Response | Denial> {
		if (route.access === "public") return route.handle(call);
		if (route.access !== "token") return this.answerOperator(route, call, connection);
		if (this.options.draining()) return stopping;
		const known = this.options.identify(call, route.keyInQuery === true);
		return isPending(known) ? this.enterLater(route, known, connection) : this.enter(route, known, connection);
	}

	private enter(route: TokenRoute, call: Identified | Denial, connection: Connection): MaybeLater<Response | Denial> {
		if (isDenial(call)) return call;
		const held = this.options.budget.open(call.caller);
		return route.handle(Object.assign(call, { answered: connection.holdOpen(), held }));
	}

	private async enterLater(
		route: TokenRoute,
		call: PromiseLike<Identified | Denial>,
		connection: Connection,
	): Promise<Response | Denial> {
		return await this.enter(route, await call, connection);
	}

	private async answerOperator(
		route: AdminRoute | PersonRoute,
		call: Admitted,
		{ address }: Connection,
	): Promise<Response | Denial> {
		const before = await this.recognise(call, address, route.access);
		if (isDenial(before)) return before;
		const strange = refuseUnknownQuery(call.url, route.query);
		if (strange) return strange;
		const request = await wholeRequest(call.request);
		// Whoever holds their body back may have lost meanwhile what they were let in with.
		const operator = request === call.request ? before : await this.recognise(call, address, route.access);
		return isDenial(operator) ? operator : await route.handle(Object.assign(call, { operator, request }));
	}

	/** Throws for what is no denial either, as a handler in plain JavaScript may answer: the log tells its author. */
	private refusal(route: Route, request: Request, denial: Denial, requestId: string): Response {
		if (!isRecord(denial) || !isDenial(denial)) throw new TypeError("its handler answered no Response");
		return denialAt(route, request, denial, requestId, this.options.log);
	}

	private denialOf(error: unknown, route: string, requestId: string): Denial {
		// The store tells of its outages itself, and of no statement that the database cannot do.
		if (!isFault(error) || (error instanceof StoreFault && !error.isOutage))
			this.options.log.error("a route failed", { route, requestId, ...whatFailed(error) });
		if (isFault(error)) return error.denial;
		return deny("internal", "Something went wrong inside Portico; the log has it under this request's id.");
	}

	private idFor({ headers }: Request): string {
		return requestIdOf(headers) ?? newCallId(this.options.clock.now());
	}

	/** A refusal before any route was found. */
	private plain(
		request: Request,
		denial: Denial,
		id = this.idFor(request),
		render: RenderDenial = renderOwnDenial,
	): Response {
		return this.finish(denialResponse(render, denial, id), id, undefined, request);
	}

	private askedCrookedly(request: Request): Response {
		const meant = meantByBrowser(request);
		if (meant === undefined) return this.plain(request, crooked);
		const led = new Response(null, { status: 308, headers: { location: meant } });
		return this.finish(led, this.idFor(request), undefined, request);
	}

	private finish(response: Response, requestId: string, route: Route | undefined, request: Request): Response {
		try {
			this.mark(response, requestId, route, request);
			return response;
		} catch {
			// The headers of a redirect, or of an answer that was fetched, may be read only.
			const copy = new Response(response.body, response);
			this.mark(copy, requestId, route, request);
			return copy;
		}
	}

	private mark({ headers }: Response, requestId: string, route: Route | undefined, request: Request): void {
		headers.set("x-request-id", requestId);
		headers.set("request-id", requestId);
		if (route?.access === "admin" || route?.access === "person") {
			// Browsers keep what does not forbid it, and whoever uses the machine next can read it.
			if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
			return;
		}
		// Only pages in browsers send an origin, and only they need these.
		if (!request.headers.has("origin")) return;
		for (const [name, value] of Object.entries(originHeaders(request, this.options.origins))) headers.set(name, value);
		headers.set("access-control-expose-headers", exposed);
	}
}
