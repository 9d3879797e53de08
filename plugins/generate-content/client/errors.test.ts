import { describe, expect, test } from "bun:test";
import type { DenialKind } from "#core";
import { generateContent } from "../protocol.ts";

const render = generateContent.client.renderDenial;
const rpc = "type.googleapis.com/google.rpc.";
const details = (body: unknown) => (body as { error: { details?: Record<string, unknown>[] } }).error.details ?? [];

describe("refusals in Google's shape", () => {
	test.each([
		["invalid_request", 400, "INVALID_ARGUMENT"],
		["context_length", 400, "INVALID_ARGUMENT"],
		["content_policy", 400, "INVALID_ARGUMENT"],
		["unsupported", 400, "INVALID_ARGUMENT"],
		["authentication", 401, "UNAUTHENTICATED"],
		["permission", 403, "PERMISSION_DENIED"],
		["quota_exhausted", 429, "RESOURCE_EXHAUSTED"],
		["quota_held", 429, "RESOURCE_EXHAUSTED"],
		["rate_limited", 429, "RESOURCE_EXHAUSTED"],
		["not_found", 404, "NOT_FOUND"],
		["model_not_found", 404, "NOT_FOUND"],
		["method_not_allowed", 405, "INVALID_ARGUMENT"],
		["conflict", 409, "ABORTED"],
		["too_large", 413, "INVALID_ARGUMENT"],
		["unsupported_media_type", 415, "INVALID_ARGUMENT"],
		["client_timeout", 408, "DEADLINE_EXCEEDED"],
		["internal", 500, "INTERNAL"],
		["upstream", 502, "UNAVAILABLE"],
		["overloaded", 503, "UNAVAILABLE"],
		["upstream_timeout", 504, "DEADLINE_EXCEEDED"],
	] as readonly (readonly [DenialKind, number, string])[])("%s", (kind, code, status) => {
		const rendered = render({ kind, message: "Why." }, "call-1");
		expect(rendered.status).toBe(code);
		expect(rendered.body).toMatchObject({ error: { code, status, message: "Why." } });
		expect(details(rendered.body)).toContainEqual({ "@type": `${rpc}RequestInfo`, requestId: "call-1" });
		const passing = code >= 500 || kind === "rate_limited" || kind === "quota_held" || kind === "client_timeout";
		expect(rendered.headers["x-should-retry"]).toBe(passing ? (undefined as never) : "false");
	});

	test("a quota that is gone is one of a day, on which clients stop trying", () => {
		const [info, failure] = details(
			render({ kind: "quota_exhausted", message: "No credit.", code: "quota_exhausted" }, "").body,
		);
		expect(info).toMatchObject({ reason: "QUOTA_EXHAUSTED" });
		expect(failure).toMatchObject({
			"@type": `${rpc}QuotaFailure`,
			violations: [{ quotaId: expect.stringContaining("PerDay") }],
		});
	});

	test("a wait is told in body and headers, and is a minute at most", () => {
		const rendered = render({ kind: "rate_limited", message: "Slow down.", retryAfterSeconds: 600 }, "");
		expect(details(rendered.body)).toEqual([{ "@type": `${rpc}RetryInfo`, retryDelay: "60s" }]);
		expect(rendered.headers).toMatchObject({ "retry-after": "60", "retry-after-ms": "60000" });
		expect(details(render({ kind: "rate_limited", message: "x", retryAfterSeconds: 1.5 }, "").body)[0]).toMatchObject({
			retryDelay: "1.5s",
		});
		expect(render({ kind: "invalid_request", message: "x", retryAfterSeconds: 5 }, "").headers).not.toHaveProperty(
			"retry-after",
		);
	});

	test("a bad key has Google's reason, its own word beside it", () => {
		expect(details(render({ kind: "authentication", message: "Expired.", code: "token_expired" }, "").body)).toEqual([
			{ "@type": `${rpc}ErrorInfo`, reason: "API_KEY_INVALID", domain: "portico", metadata: { code: "token_expired" } },
		]);
	});

	test("the field at fault is named", () => {
		expect(details(render({ kind: "invalid_request", message: "Bad.", parameter: "contents" }, "").body)).toEqual([
			{ "@type": `${rpc}BadRequest`, fieldViolations: [{ field: "contents", description: "Bad." }] },
		]);
	});

	test("a refusal for good speaks of no passing weakness", () => {
		const { body } = render(
			{ kind: "invalid_request", message: "The quota is exhausted and the model unavailable." },
			"",
		);
		expect(JSON.stringify(body)).not.toMatch(/exhausted|unavailable|overloaded/i);
	});
});

describe("failures of Gemini upstreams", () => {
	const decode = (status: number, error: object | string, headers: HeadersInit = {}) =>
		generateContent.upstream.decodeError(
			status,
			new Headers(headers),
			typeof error === "string" ? error : JSON.stringify({ error }),
		);

	test.each([
		[400, { message: "Invalid value at 'contents'" }, "invalid_request"],
		[
			400,
			{ message: "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576)." },
			"context_length",
		],
		[
			400,
			{ message: "API key not valid.", details: [{ "@type": `${rpc}ErrorInfo`, reason: "API_KEY_INVALID" }] },
			"upstream",
		],
		[400, { message: "User location is not supported for the API use.", status: "FAILED_PRECONDITION" }, "upstream"],
		[400, { message: "The File abc is not in an ACTIVE state.", status: "FAILED_PRECONDITION" }, "invalid_request"],
		[400, { message: "* tools[0].parameters.properties[billing].items: missing field." }, "invalid_request"],
		[400, { message: "Unknown name \"api_key\" at 'contents[0].permission': Cannot find field." }, "invalid_request"],
		[400, { message: "This API needs billing to be enabled." }, "upstream"],
		[401, { message: "x" }, "upstream"],
		[403, { message: "Permission denied on project 12345" }, "upstream"],
		[404, { message: "models/nope is not found for API version v1beta" }, "model_not_found"],
		[404, "<html>", "upstream"],
		[413, { message: "x" }, "too_large"],
		[429, { message: "You exceeded your current quota" }, "rate_limited"],
		[500, { message: "Internal error" }, "upstream"],
		[503, { message: "The model is overloaded." }, "overloaded"],
		[504, { message: "Deadline" }, "upstream_timeout"],
	] as const)("%d %p is %s", (status, error, kind) => expect(decode(status, error).kind).toBe(kind));

	test.each([301, 307, 404, 405, 409, 418])("%i speaks of no key, and tells no words of Google's", (status) => {
		const { kind, message } = decode(status, status === 404 ? "<html>" : { message: "projects/998877 aborted it" });
		expect([kind, message]).toEqual(["upstream", `The upstream answered with status ${status}.`]);
	});

	test("the operator's account, key and address are not told", () => {
		const secret = decode(403, {
			message: "Consumer 'projects/998877' key AIzaSyD-abcdefghijk https://console.example/x?y",
		});
		expect(secret.message).toBe(
			"The upstream did not accept what this gateway has for it; the operator must look at its key and account.",
		);
		const { message } = decode(400, {
			message: "Bad AIzaSyD-abcdefghijklm for me@corp.example at https://internal.example:99/p in project 998877",
		});
		expect(message).not.toMatch(/AIza|corp\.example|internal|998877/);
		expect(message).toStartWith("Bad ");
	});

	test("a wait comes from the body or the header", () => {
		const details = [{ "@type": `${rpc}RetryInfo`, retryDelay: "34.4s" }];
		expect(decode(429, { message: "x", details }).retryAfterSeconds).toBe(34.4);
		expect(decode(503, { message: "x" }, { "retry-after": "7" }).retryAfterSeconds).toBe(7);
	});

	test("an error in a list, as streams without events give it, is read", () => {
		const text = JSON.stringify([{ error: { code: 429, message: "x", status: "RESOURCE_EXHAUSTED" } }]);
		expect(generateContent.upstream.decodeError(429, new Headers(), text).kind).toBe("rate_limited");
	});
});
