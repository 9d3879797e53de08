/** Single calls that go wrong, each in a way that operators meet, and what is said of them. */
import type { Script, TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import type { Incident } from "./incident.ts";

const answered = (): Response => Response.json(chatAnswer("hi", { input: 10, output: 9 }));
export const refusing =
	(status: number, error: object): Script =>
	() =>
		Response.json({ error }, { status });

type Settings = Readonly<Record<string, unknown>>;

/** A call that goes wrong, and what is said of it. */
export interface WrongCall extends Pick<Incident, "says" | "printed" | "seen"> {
	readonly answer?: Script;
	readonly model?: string;
	readonly settings?: (now: number) => Settings;
	/** Done to the token before it calls. */
	readonly prepare?: (gateway: TestGateway, id: string) => Promise<unknown>;
	readonly key?: string;
}

export const wrongCalls: Readonly<Record<string, WrongCall>> = {
	"a dead key": {
		answer: refusing(401, { message: "Incorrect API key provided", code: "invalid_api_key" }),
		says: [
			"first token",
			"Incorrect API key provided",
			"The upstream refuses Portico's key: set another for it and reload.",
		],
		printed: ["main:up", "status 401"],
		seen: ["main up failed: invalid_api_key (401)"],
	},
	"a country that may not ask": {
		answer: refusing(403, {
			message: "Country, region, or territory not supported",
			code: "unsupported_country_region_territory",
		}),
		says: ["territory not supported", "its message says which"],
		printed: ["status 403"],
		seen: ["main up failed: unsupported_country_region_territory (403)"],
	},
	"an empty account": {
		answer: refusing(400, { message: "Your credit balance is too low" }),
		says: [
			"Your credit balance is too low",
			"The upstream's account has no credit: pay, or send its models elsewhere.",
		],
		printed: ["main:up", "status 400"],
		seen: ["main up failed: upstream (400)"],
	},
	"an overloaded upstream": {
		answer: refusing(529, { message: "Overloaded" }),
		says: ["Overloaded", "The upstream itself fails: try again later, or add a target beside it."],
		printed: ["main:up", "status 529"],
		seen: ["main up failed: overloaded (529)"],
	},
	"an upstream's limit": {
		answer: refusing(429, { message: "Rate limit reached for requests" }),
		says: ["Rate limit reached for requests", "add a key or a target"],
		printed: ["status 429"],
		seen: ["main up failed: rate_limited (429)"],
	},
	"a target's wrong name": {
		answer: refusing(404, { message: "The model `up` does not exist", code: "model_not_found" }),
		says: ["The model `up` does not exist", "correct the target's model in the router"],
		printed: ["status 404"],
		seen: ["main up failed: model_not_found (404)"],
	},
	"an upstream that is not there": {
		model: "gone",
		says: ["ECONNREFUSED", "correct its url"],
		printed: ["nowhere:up"],
		seen: ["nowhere up failed: ECONNREFUSED"],
	},
	"a wrong alias": {
		model: "fasst",
		says: ["model_not_found", "--model fasst --token tok_"],
		printed: ["asked for fasst"],
		seen: ["A call for fasst"],
	},
	"an expired token": {
		settings: (now) => ({ name: "late", expiresAt: new Date(now + 1_000).toISOString() }),
		says: ["late", "token_expired", "--expires-at"],
	},
	"a call from a foreign address": {
		settings: () => ({ name: "office", ips: ["203.0.113.0/24"] }),
		says: ["office", "from 127.0.0.1", "ip_not_allowed", "Add the address", "--ips"],
	},
	"a used-up quota": {
		settings: () => ({ name: "poor", quota: 0 }),
		says: ["poor", "quota_exhausted", "--quota"],
	},
	"a model without a price under a quota": {
		model: "unpriced",
		settings: () => ({ name: "careful", quota: 1 }),
		says: ["careful", "model_not_priced", "prices"],
	},
	"a disabled token": {
		settings: () => ({ name: "gone-home" }),
		prepare: (gateway, id) => gateway.admin("PATCH", `/admin/tokens/${id}`, { disabled: true }),
		says: ["gone-home", "token_disabled", "portico token enable"],
	},
	"a used-up budget of the day": {
		settings: () => ({ name: "daily", budgets: [{ amount: 0, per: "day" }] }),
		says: ["daily", "quota_exhausted", "budget for the day is used up", "resets at 2026-11-2", "--budgets"],
	},
	"a page of a proxy where an answer should be": {
		answer: () => new Response("<html><body>Please log in</body></html>", { headers: { "content-type": "text/html" } }),
		says: ["something other than JSON", "correct its url"],
		printed: ["main:up"],
		seen: ["main up failed: upstream (200)"],
	},
	"half an answer": {
		answer: () => new Response('{"id":"c","choices":[{"index', { headers: { "content-type": "application/json" } }),
		says: ["it is JSON without its end", "The upstream closed the connection"],
		printed: ["main:up"],
	},
	"nothing as an answer": {
		answer: () => new Response("", { headers: { "content-type": "application/json" } }),
		says: ["The upstream answered with nothing", "correct its url if it always does"],
		printed: ["main:up"],
	},
	"a failure told within a good answer": {
		answer: () => Response.json({ error: "backend exploded" }),
		says: ["backend exploded", "in an answer that began well"],
		printed: ["main:up"],
	},
	"an empty answer": {
		answer: () => {
			const [choice] = chatAnswer("").choices;
			return Response.json({ ...chatAnswer(""), choices: [{ ...choice, finish_reason: "content_filter" }] });
		},
		says: ["The answer did not end by itself: content_filter", "The model or its provider stopped the answer"],
	},
	"a call that a fallback saved": {
		model: "saved",
		answer: ({ path }) =>
			path.startsWith("/spare") ? answered() : Response.json({ error: { message: "Overloaded" } }, { status: 529 }),
		says: ["Overloaded", "Another attempt answered after main had failed: nothing need be done unless that lasts."],
		printed: ["completed with status 200", "1. main:up", "status 529", "2. spare:up"],
		seen: ["main up failed: overloaded (529)", "spare up answered (200)"],
	},
	"a key that is no token's": {
		key: "sk-tried-by-somebody-000000000000000000000000000000000",
		says: ["from 127.0.0.1", "No token has this key"],
		printed: ["token key 315fc614e570"],
		seen: ["a key that is no token's, 315fc614e570 from 127.0.0.1"],
	},
};
