import { describe, expect, test } from "bun:test";
import type { DenialKind } from "#core";
import { framesOf } from "../fixtures/exchange.ts";
import { decodeError, decodeToldError } from "../upstream/upstream-error.ts";
import { renderDenial, renderStreamDenial } from "./errors.ts";

describe("refusals in this protocol's shape", () => {
	test.each([
		["invalid_request", 400, "invalid_request_error"],
		["context_length", 400, "invalid_request_error"],
		["content_policy", 400, "invalid_request_error"],
		["unsupported", 400, "invalid_request_error"],
		["authentication", 401, "authentication_error"],
		["quota_exhausted", 402, "billing_error"],
		["permission", 403, "permission_error"],
		["not_found", 404, "not_found_error"],
		["model_not_found", 404, "not_found_error"],
		["method_not_allowed", 405, "invalid_request_error"],
		["client_timeout", 408, "invalid_request_error"],
		["conflict", 409, "invalid_request_error"],
		["too_large", 413, "request_too_large"],
		["unsupported_media_type", 415, "invalid_request_error"],
		["rate_limited", 429, "rate_limit_error"],
		["quota_held", 429, "rate_limit_error"],
		["internal", 500, "api_error"],
		["upstream", 502, "api_error"],
		["upstream_timeout", 504, "timeout_error"],
		["overloaded", 529, "overloaded_error"],
	] as const)("%s is %d %s", (kind, status, type) => {
		const rendered = renderDenial({ kind, message: "prompt is too long" }, "req_1");
		expect(rendered.status).toBe(status);
		expect(rendered.headers["request-id"]).toBe("req_1");
		expect(rendered.body).toEqual({
			type: "error",
			error: { type, message: "prompt is too long" },
			request_id: "req_1",
		});
	});

	test("a code is told where new SDKs look for it", () => {
		const { body } = renderDenial({ kind: "permission", message: "No.", code: "ip_not_allowed" }, "r");
		expect(body).toMatchObject({ error: { details: { error_code: "ip_not_allowed" } } });
	});

	test("a prompt that is too long is told in the words by which clients know it", () => {
		const { body } = renderDenial({ kind: "context_length", message: "At most 8192 tokens." }, "r");
		expect(body).toMatchObject({ error: { message: "prompt is too long: At most 8192 tokens." } });
	});

	test("only what may pass by itself is to be tried again, after a minute at most", () => {
		const headersOf = (kind: DenialKind, retryAfterSeconds?: number) =>
			renderDenial({ kind, message: "x", ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }, "r").headers;
		expect(headersOf("quota_exhausted")["x-should-retry"]).toBe("false");
		expect(headersOf("conflict")["x-should-retry"]).toBe("false");
		expect(headersOf("rate_limited", 120)).toMatchObject({ "retry-after": "60", "retry-after-ms": "60000" });
		expect(headersOf("rate_limited", 0.5)).toMatchObject({ "retry-after": "1", "retry-after-ms": "500" });
		expect(headersOf("quota_held")["retry-after"]).toBe("1");
		expect(headersOf("overloaded")).toEqual({ "request-id": "r" });
	});

	test("headers of the denial go along", () => {
		const denial = { kind: "method_not_allowed", message: "x", headers: { allow: "POST" } } as const;
		expect(renderDenial(denial, "r").headers).toMatchObject({ allow: "POST" });
	});

	test("an open stream ends with an error event", () => {
		const text = renderStreamDenial({ kind: "overloaded", message: "Busy." });
		expect(text).toStartWith("event: error\ndata: ");
		expect(framesOf(text)).toEqual([{ type: "error", error: { type: "overloaded_error", message: "Busy." } }]);
	});
});

const bodyOf = (type: string, message: string) => JSON.stringify({ type: "error", error: { type, message } });

describe("errors of an upstream", () => {
	test.each([
		[400, "invalid_request_error", "messages: at least one", "invalid_request"],
		[400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum", "context_length"],
		[400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 1", "context_length"],
		[400, "invalid_request_error", "Output blocked by content filtering policy", "content_policy"],
		[400, "invalid_request_error", "Your credit balance is too low to access the API", "upstream"],
		[400, "invalid_request_error", "tools.0.input_schema.properties.billing: not a schema", "invalid_request"],
		[401, "authentication_error", "invalid x-api-key", "upstream"],
		[402, "billing_error", "no funds", "upstream"],
		[403, "permission_error", "not for your organization", "upstream"],
		[404, "not_found_error", "model: claude-9", "model_not_found"],
		[404, "not_found_error", "Not found", "not_found"],
		[413, "request_too_large", "too large", "too_large"],
		[429, "rate_limit_error", "slow down", "rate_limited"],
		[500, "api_error", "Internal server error", "upstream"],
		[504, "timeout_error", "timed out", "upstream_timeout"],
		[529, "overloaded_error", "Overloaded", "overloaded"],
	] as const)("%d %s (%s) is %s", (status, type, message, kind) => {
		expect(decodeError(status, new Headers(), bodyOf(type, message)).kind).toBe(kind);
	});

	test("the type alone decides in a stream", () => {
		const told = (type: string) => decodeToldError({ type: "error", error: { type, message: "x" } }).kind;
		expect(told("overloaded_error")).toBe("overloaded");
		expect(told("rate_limit_error")).toBe("rate_limited");
		expect(told("authentication_error")).toBe("upstream");
		expect(told("new_error")).toBe("upstream");
	});

	test("refused credentials are told in a constant sentence", () => {
		for (const status of [401, 402, 403]) {
			const { message } = decodeError(status, new Headers(), bodyOf("x", "key sk-ant-api03-secret of org-acme99"));
			expect(message).not.toMatch(/sk-|org-|secret/);
		}
	});

	test("keys and addresses are taken out of what the client may read", () => {
		const text = bodyOf("invalid_request_error", "bad: sk-ant-api03-abcdefgh at https://internal.test/x?key=1");
		expect(decodeError(400, new Headers(), text).message).toBe("bad: [key] at [address]");
	});

	test("the operator's organisation is taken out, and the model that stands beside it", () => {
		const id = "0b1c2d3e-4f50-4617-8293-a4b5c6d7e8f9";
		const told = (message: string) => decodeError(429, new Headers(), bodyOf("rate_limit_error", message)).message;
		expect(
			told(
				`This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: ${id}, model: claude-real).`,
			),
		).toBe(
			"This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: [organization]).",
		);
		expect(told(`This request would exceed the rate limit for your organization (${id}) of 30,000 tokens.`)).toBe(
			"This request would exceed the rate limit for your organization ([organization]) of 30,000 tokens.",
		);
		expect(told(`No file ${id} (see page 2).`)).toBe(`No file ${id} (see page 2).`);
	});

	test("a page of HTML is told by its status alone", () => {
		const denial = decodeError(503, new Headers({ "retry-after": "7" }), "<html>Bad gateway</html>");
		expect(denial).toEqual({
			kind: "overloaded",
			message: "The upstream is overloaded; try again in a moment.",
			retryAfterSeconds: 7,
		});
		expect(decodeError(502, new Headers(), "").kind).toBe("upstream");
	});

	test("keeps the word for what exactly is wrong", () => {
		const body = (details: object) =>
			JSON.stringify({ error: { type: "invalid_request_error", message: "m", details } });
		const told = (details: object) => decodeError(400, new Headers(), body(details)).code;
		expect(told({ error_code: "image_dimensions_too_large", paths: [] })).toBe("image_dimensions_too_large");
		expect(told({ error_code: "see https://internal.example" })).toBeUndefined();
	});

	test("the upstream's name of a model is not told", () => {
		expect(decodeError(404, new Headers(), bodyOf("not_found_error", "model: claude-real")).message).not.toContain(
			"claude-real",
		);
	});
});

test("a type that only every object has is no type of error", () => {
	for (const type of ["constructor", "toString", "__proto__"])
		expect(decodeToldError({ type, message: "no" }, 400), type).toEqual({ kind: "invalid_request", message: "no" });
});
