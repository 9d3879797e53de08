import { describe, expect, test } from "bun:test";
import { openAiFailure, openAiFailureWithin } from "./openai-failure.ts";
import { isRefusedCredentials } from "./upstream-failure.ts";

const told = (status: number, body: unknown, headers: Record<string, string> = {}) =>
	openAiFailure(status, new Headers(headers), typeof body === "string" ? body : JSON.stringify(body));

const error = (message: string, more: Record<string, unknown> = {}) => ({ error: { message, ...more } });

describe("an upstream's error", () => {
	test("refused credentials are never shown as the client's", () => {
		for (const status of [401, 402, 403]) {
			const denial = told(status, error("Incorrect API key provided: sk-live-123456", { code: "invalid_api_key" }));
			expect(denial.kind).toBe("upstream");
			expect(denial.code).toBeUndefined();
			expect(denial.message).not.toContain("sk-");
			expect(denial.message).toBe(told(401, "").message);
		}
	});

	test.each([
		[429, "You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"],
		[400, "Billing hard limit has been reached", "billing_hard_limit_reached"],
		[429, "Your account is suspended, please check your plan.", "exceeded_current_quota_error"],
		[400, "Access denied, please make sure your account is in good standing.", "Arrearage"],
		[429, "Insufficient balance or no resource package. Please recharge.", "1113"],
		[429, "Your prepayment credits are depleted.", undefined],
	])("%i for an account without credit is the operator's affair: %s", (status, message, code) => {
		const denial = told(status, error(message, { code }));
		expect(isRefusedCredentials(denial)).toBe(true);
		expect(denial.kind).toBe("upstream");
		expect(JSON.stringify(denial)).not.toMatch(/insufficient_quota|billing/i);
	});

	test.each([
		"Invalid value: 'insufficient funds'. Supported values are: 'none', 'auto' and 'required'.",
		"Invalid schema for function 'pay': \"credit balance\" is not of type 'object'.",
		"Unknown parameter: `account balance`.",
	])("a client's own words that a refusal quotes say nothing of the account: %s", (message) => {
		expect(told(400, error(message))).toEqual({ kind: "invalid_request", message });
	});

	test.each([
		'litellm.APIError: {"error":{"message":"Insufficient Balance","type":"unknown_error"}}',
		"Error code: 402 - {'error': {'code': 'x', 'message': 'Insufficient Balance'}}",
		"You've insufficient funds; the call can't be made.",
	])("an account without credit is seen in what a proxy repeats: %s", (message) => {
		expect(isRefusedCredentials(told(400, error(message)))).toBe(true);
	});

	test("a limit that passes stays one, without the vendor's words of a plan", () => {
		const message = "You exceeded your current quota, please check your plan and billing details.";
		const denial = told(429, [{ error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } }]);
		expect(denial.kind).toBe("rate_limited");
		expect(denial.message).not.toMatch(/billing|plan/);
		expect(told(500, error(message, { code: "server_error" })).kind).toBe("upstream");
	});

	test("keeps message, code and parameter of a bad request", () => {
		expect(told(400, error("Bad value.", { code: "invalid_value", param: "messages[3]", type: "x" }))).toEqual({
			kind: "invalid_request",
			message: "Bad value.",
			code: "invalid_value",
			parameter: "messages[3]",
		});
	});

	test("knows a prompt that is too long by code and by the words of several vendors", () => {
		const bodies = [
			error("m", { code: "context_length_exceeded" }),
			error("This model's maximum context length is 8192 tokens."),
			error("prompt too long; exceeded max context length by 12 tokens"),
			error("The total length of all messages is too long.", { type: "too_many_prompt_tokens", code: 400 }),
		];
		for (const body of bodies) expect(told(400, body).kind).toBe("context_length");
	});

	test("knows a filtered prompt", () => {
		expect(told(400, error("Filtered.", { code: "content_filter" })).kind).toBe("content_policy");
	});

	test("tells an unknown model from a wrong address", () => {
		const unknown = error("The model `x` does not exist.", { code: "model_not_found" });
		expect(told(404, unknown).kind).toBe("model_not_found");
		for (const message of [
			'model "llama3.2" not found, try pulling it first',
			"The model `gpt-4.1-x` does not exist.",
			"The model `qwen2.5` is not found",
		])
			expect(told(404, error(message)).kind).toBe("model_not_found");
		expect(told(404, "<html>nginx</html>").kind).toBe("upstream");
		expect(told(404, error("No such file.")).kind).toBe("not_found");
	});

	test("reads how long to wait from headers, else from the sentence", () => {
		expect(told(429, error("m"), { "retry-after-ms": "1500", "retry-after": "9" }).retryAfterSeconds).toBe(1.5);
		expect(told(429, error("m"), { "retry-after": "9" }).retryAfterSeconds).toBe(9);
		expect(told(429, error("Please try again in 20ms.")).retryAfterSeconds).toBe(0.02);
		expect(told(429, error("Please try again in 6.5s. Visit us.")).retryAfterSeconds).toBe(6.5);
		expect(told(429, error("Slow down.")).retryAfterSeconds).toBeUndefined();
	});

	test("maps statuses to kinds", () => {
		const kinds = [408, 413, 422, 429, 500, 502, 503, 504, 524, 529].map((status) => told(status, error("m")).kind);
		expect(kinds).toEqual([
			"upstream_timeout",
			"too_large",
			"invalid_request",
			"rate_limited",
			"upstream",
			"upstream",
			"overloaded",
			"upstream_timeout",
			"upstream_timeout",
			"overloaded",
		]);
	});

	test("reads the shapes of other vendors", () => {
		expect(told(400, { detail: "Bad." }).message).toBe("Bad.");
		expect(told(422, { detail: [{ loc: ["body"], msg: "Extra inputs are not permitted" }] }).message).toBe(
			"Extra inputs are not permitted",
		);
		const fields = {
			loc: ["body", "messages", 1, "assistant", "reasoning_content"],
			msg: "Extra inputs are not permitted",
		};
		for (const body of [{ detail: [fields] }, { object: "error", message: { detail: [fields] }, code: null }])
			expect(told(422, body).message).toBe("messages.1.assistant.reasoning_content: Extra inputs are not permitted");
		const many = [1, 2, 3, 4, 5].map((at) => ({ loc: ["body", "tools", at], msg: "Bad" }));
		expect(told(422, { detail: many }).message).toBe("tools.1: Bad; tools.2: Bad; tools.3: Bad (and 2 more)");
		expect(told(400, { message: "Bad.", type: "invalid_request_message_order" }).code).toBe(
			"invalid_request_message_order",
		);
		expect(told(400, [{ error: { code: 400, message: "Bad.", status: "INVALID_ARGUMENT" } }]).message).toBe("Bad.");
		expect(told(400, { error: "Bad." }).message).toBe("Bad.");
		expect(told(500, "<html><title>502 Bad Gateway</title></html>").message).toBe(
			"The upstream answered with status 500.",
		);
	});

	test("takes out keys, addresses and organisations", () => {
		const { message } = told(
			429,
			error(
				"Key sk-proj-abcdefgh, org-12345abc, proj_99abc, 10.0.0.7:8080, see https://internal.example/x?k=1. Bearer abcdefgh",
			),
		);
		expect(message).not.toMatch(/sk-proj|org-1|proj_9|10\.0|internal|abcdefgh/);
	});

	test("is not longer than a client should read", () => {
		expect(told(400, error("x".repeat(100_000))).message.length).toBeLessThan(2100);
	});
});

describe("an error told within an answer", () => {
	test("H57 keeps the code on which clients act", () => {
		const denial = openAiFailureWithin(error("m", { code: "rate_limit_exceeded" }));
		expect(denial).toMatchObject({ kind: "rate_limited", code: "rate_limit_exceeded" });
	});

	test("of an empty account is the operator's affair", () => {
		const denial = openAiFailureWithin(error("You exceeded your current quota", { code: "insufficient_quota" }));
		expect(isRefusedCredentials(denial)).toBe(true);
		expect(JSON.stringify(denial)).not.toMatch(/insufficient_quota|billing/);
	});

	test("takes the status from wherever the vendor put it", () => {
		expect(openAiFailureWithin(error("m", { code: 429 })).kind).toBe("rate_limited");
		expect(openAiFailureWithin(error("m", { status_code: 400 })).kind).toBe("invalid_request");
		expect(openAiFailureWithin(error("m", { status: 503 })).kind).toBe("overloaded");
		expect(openAiFailureWithin(error("Invalid key sk-abcdefghij", { code: 401 })).message).not.toContain("sk-");
		expect(openAiFailureWithin(error("m")).kind).toBe("upstream");
		expect(openAiFailureWithin(error("m", { type: "server_is_overloaded" })).kind).toBe("overloaded");
		// A code that nobody knows is of the sort that its type says.
		const unknown = { code: "string_above_max_length", type: "invalid_request_error" };
		expect(openAiFailureWithin(error("m", unknown))).toMatchObject({ kind: "invalid_request", code: unknown.code });
		expect(openAiFailureWithin(error("m", { ...unknown, code: "server_error" })).kind).toBe("upstream");
	});

	test.each([
		["context_length_exceeded", "context_length"],
		["cyber_policy", "content_policy"],
		["content_filter", "content_policy"],
		["misalignment_policy_violation", "content_policy"],
		["invalid_prompt", "invalid_request"],
		["image_too_large", "invalid_request"],
		["failed_to_download_image", "invalid_request"],
		["empty_image_file", "invalid_request"],
		["data_residency_mismatch", "upstream"],
		["unsupported_parameter", "invalid_request"],
		["vendor_rate_limit_hit", "rate_limited"],
		["slow_down", "overloaded"],
		["server_error", "upstream"],
		["constructor", "upstream"],
	] as const)("without a status goes by its code: %s", (code, kind) => {
		expect(openAiFailureWithin({ type: "error", code, message: "m" }).kind).toBe(kind);
	});

	test("of a prompt that is too long is known by its words", () => {
		const message = "Your input exceeds the context window of this model.";
		expect(openAiFailureWithin({ type: "error", code: "invalid_request_error", message }).kind).toBe("context_length");
	});
});

test("an error that says nothing is told in a sentence of ours", () => {
	for (const body of [{ error: "" }, { error: { message: "" } }, { message: "" }])
		expect(openAiFailureWithin(body).message, JSON.stringify(body)).toMatch(/\w+ \w+/);
});
