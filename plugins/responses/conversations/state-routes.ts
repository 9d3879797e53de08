/** What clients may ask about kept answers, and clear words for what does not exist here. */
import { type Clock, deny, Fault, type Identified, openAiRoots, type Route, type TokenRoute } from "#core";
import { renderDenial } from "../client/errors.ts";
import type { AnswerStore } from "./answer-store.ts";
import { inputOf } from "./conversations.ts";
import type { TellUpstream } from "./delete-upstream.ts";
import { listInput } from "./input-items.ts";

const roots = openAiRoots.map((root) => `${root}/responses`);

const idOf = ({ params }: Identified): string => params["id"] ?? "";

const notFound = (id: string): Fault =>
	new Fault(deny("not_found", `Response with id '${id.slice(0, 80)}' not found.`, { parameter: "response_id" }));

const refuseReplay = (query: URLSearchParams): void => {
	if (query.get("stream") === "true")
		throw new Fault(
			deny("unsupported", "A kept response cannot be streamed again; ask for it without `stream`.", {
				parameter: "stream",
			}),
		);
};

/** What the routes work on. */
interface Kept {
	readonly answers: AnswerStore;
	readonly clock: Clock;
	readonly tellUpstream: TellUpstream;
}

/** Forgets an answer wherever it is kept; false when there is none. */
const forget = async ({ answers, clock, tellUpstream }: Kept, { id: callId, token }: Identified, id: string) => {
	const keptAt = await answers.keptAt(token.id, id);
	if (keptAt) await tellUpstream(id, keptAt, callId);
	return await answers.forget(token.id, id, clock.now());
};

const tokenRoutes = (root: string, kept: Kept | undefined): readonly TokenRoute[] => [
	{
		method: "GET",
		path: `${root}/:id`,
		access: "token",
		summary: "A kept response.",
		renderDenial,
		async handle(call) {
			refuseReplay(call.url.searchParams);
			const found = await kept?.answers.find(call.token.id, idOf(call));
			if (!found) throw notFound(idOf(call));
			return Response.json(found.answer);
		},
	},
	{
		method: "DELETE",
		path: `${root}/:id`,
		access: "token",
		summary: "Forgets a kept response.",
		renderDenial,
		async handle(call) {
			const id = idOf(call);
			if (!kept || !(await forget(kept, call, id))) throw notFound(id);
			return Response.json({ id, object: "response", deleted: true });
		},
	},
	{
		method: "GET",
		path: `${root}/:id/input_items`,
		access: "token",
		summary: "The input of a kept response.",
		renderDenial,
		async handle(call) {
			const conversation = await kept?.answers.conversation(call.token, idOf(call), call.held);
			if (!conversation) throw notFound(idOf(call));
			return Response.json(listInput(inputOf(conversation), idOf(call), call.url.searchParams));
		},
	},
	{
		method: "POST",
		path: `${root}/:id/cancel`,
		access: "token",
		summary: "Says that there is nothing to cancel.",
		renderDenial,
		async handle(call) {
			if (!(await kept?.answers.find(call.token.id, idOf(call)))) throw notFound(idOf(call));
			throw new Fault(deny("invalid_request", "Only background responses can be cancelled, and there are none here."));
		},
	},
];

/** Some clients try a socket first. 426 lets them fall back at once; every other answer makes them try again. */
const socketRoute = (root: string): Route => ({
	method: "GET",
	path: root,
	access: "public",
	summary: "Tells clients that try a socket to use POST.",
	renderDenial,
	handle({ request }) {
		// Proxies such as nginx take Upgrade out, unless they are told to forward it, and leave the rest of the handshake.
		const triesSocket = request.headers.has("upgrade") || request.headers.has("sec-websocket-key");
		if (!triesSocket)
			throw new Fault(
				deny("method_not_allowed", "Responses are asked for with POST; one that is kept is at /v1/responses/{id}.", {
					headers: { allow: "POST" },
				}),
			);
		const message = "Sockets are not supported here; send the request with POST and `stream: true`.";
		const error = { message, type: "invalid_request_error", param: null, code: "upgrade_not_supported" };
		return Response.json({ error }, { status: 426, headers: { upgrade: "HTTP/1.1", connection: "upgrade" } });
	},
});

/** All routes beside the model route itself. `kept` is absent when no answers are: then every id is unknown. */
export const stateRoutes = (kept: Kept | undefined): readonly Route[] =>
	roots.flatMap((root) => [...tokenRoutes(root, kept), socketRoute(root)]);
