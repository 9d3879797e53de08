/** The headers that Portico reads and sets. `pages.test.ts` holds the list to the source. */

export interface Header {
	readonly name: string;
	readonly meaning: string;
}

const listOf = (list: Readonly<Record<string, string>>): readonly Header[] =>
	Object.entries(list).map(([name, meaning]) => ({ name, meaning }));

export const requestHeaders = listOf({
	authorization: "`Bearer KEY`, or the bare key: a token; on admin routes the admin token.",
	"x-api-key": "The token, as Anthropic's clients send it.",
	"x-goog-api-key": "The token, as Google's clients send it; on their paths `?key=` too.",
	"api-key": "The token, as Azure's clients send it.",
	"mj-api-secret": "The token, as Midjourney's clients send it.",
	"x-request-id": "The client's name for the call, up to 128 letters, digits and `_.:-`; otherwise one is made.",
	"x-portico-tags": "Tags of the call for reports, `team=a,job=b`; names that `ledger.tags` lists.",
	"idempotency-key": "On a new task: the same key and body give the same task, and no second one.",
	prefer: "`respond-async` on `/v1/images`: the answer is the task, not its result.",
	range: "On a task's file: the part that is wanted.",
	traceparent: "The trace that the call belongs to, with `tracestate`; needs `otel`.",
	tracestate: "What other systems say of that trace.",
	"content-encoding":
		"Bodies packed with `gzip`, `deflate` or `zstd` are unpacked, to a hundred times their size or a megabyte.",
	"x-forwarded-for": "Believed from addresses in `server.trustedProxies`.",
	"x-forwarded-proto": "Believed from the same addresses: whether the client came over https.",
	"x-session-affinity": "Calls that share it go to the same target, so that its cache keeps hitting.",
	"anthropic-beta": "Forwarded as `messages.betas` allows.",
	"anthropic-version": "Forwarded.",
	"x-goog-fieldmask": "The fields of the answer that the client wants, on Google's paths.",
	"x-goog-api-client": "Forwarded to upstreams of the same protocol.",
	"x-client-request-id": "Forwarded to upstreams of the same protocol.",
	"x-fern-sdk-name": "Tells Voyage's client from others on `/v1/rerank`.",
});

export const answerHeaders = listOf({
	"x-request-id": "The name of the call, in every log line and row of it.",
	"request-id": "The same, where Anthropic's clients look.",
	"x-portico-dropped": "Fields of the request that translation left behind.",
	"x-portico-emulated": "What the target has not and Portico did in its place.",
	"x-portico-estimated": "`true`: the count of tokens is an estimate of Portico's.",
	"x-portico-target": "The upstream and its model that answered; for tokens with the setting `explain`.",
	"x-portico-attempts": "How many attempts it took; for the same tokens.",
	"x-portico-cost": "Dollars charged, where known, on answers that are no stream; for the same tokens.",
	"retry-after": "Seconds after which the same call may do better.",
	"retry-after-ms": "The same in milliseconds.",
	"x-should-retry": "`false`: the same call will be refused again.",
	"x-ratelimit-limit-requests": "Calls a minute that the token may make, in OpenAI's words.",
	"x-ratelimit-remaining-requests": "How many of them are left.",
	"x-ratelimit-reset-requests": "The time until none of them is used any more, as in `1m30s`.",
	"x-ratelimit-limit-tokens": "Tokens a minute that it may use.",
	"x-ratelimit-remaining-tokens": "How many of them are left.",
	"x-ratelimit-reset-tokens": "The time until none of them is used any more.",
	"anthropic-ratelimit-requests-limit": "The same in Anthropic's words, on `/v1/messages`.",
	location: "Where a new task is asked for.",
	"preference-applied": "`respond-async`, where `prefer` asked for it.",
	"x-accel-buffering": "`no` on streams: proxies pass them on at once.",
	"x-content-type-options": "`nosniff` on pages and files.",
});

export const callbackHeaders = listOf({
	"webhook-id": "The delivery, the same on every attempt: what a receiver tells repeats by.",
	"webhook-timestamp": "Seconds since 1970 when the attempt began.",
	"webhook-signature": "`v1,…` by the Standard Webhooks scheme; several while a secret is being replaced.",
	"x-task-id": "The task.",
	"x-event-seq": "Which of the task's changes it tells, from 1.",
	"x-delivery-attempt": "Which attempt it is, from 1.",
	"x-failure-code": "Why the task failed.",
	"x-failure-reason": "The same in words.",
});

/** Begin with `x-` and are no header of ours. */
export const otherWords: ReadonlySet<string> = new Set([
	"x-ai", // a vendor
	"x-client-certificate", // in an example for authors
]);
