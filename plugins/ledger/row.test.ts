import { describe, expect, test } from "bun:test";
import type { AccessToken, CallRecord, Target } from "#core";
import { rowOf } from "./row.ts";

const token: AccessToken = { id: "tok_1", name: "laptop", settings: {}, compiled: new Map() };
const target: Target = {
	upstream: { name: "main", protocols: [], send: () => Promise.reject(new Error("not asked")) },
	model: "gpt-4o-mini",
	capabilities: {},
};

const call: CallRecord = {
	id: "req_1",
	at: 5,
	token,
	route: "/v1/messages",
	protocol: "messages",
	operation: "generate",
	model: "fast",
	stream: true,
	status: 200,
	outcome: {
		ending: "completed",
		sent: true,
		contentBytes: 10,
		pieces: 3,
		target,
		usage: { input: { total: 9, cacheRead: 4, cacheWrite: 2 }, output: { total: 7, reasoning: 5 }, estimated: true },
	},
	attempts: [
		{
			upstream: "spare",
			model: "claude",
			why: "weight",
			skipped: [{ upstream: "third", model: "other", reason: "its circuit is open for 12 s more" }],
			startedAt: 1,
			durationMs: 20.4,
			status: 529,
			code: "overloaded",
			message: "Overloaded",
		},
		{
			upstream: "main",
			model: "gpt-4o-mini",
			why: "next",
			skipped: [],
			startedAt: 21,
			durationMs: 79.2,
			firstByteMs: 5.5,
			status: 200,
		},
	],
	charge: { charged: 1234, excess: 5 },
	firstByteMs: 10.6,
	durationMs: 99.5,
	address: "203.0.113.7",
	losses: [
		{ path: "top_k", reason: "unknown" },
		{ path: "logit_bias", reason: "unknown" },
	],
};

describe("a finished call", () => {
	test("is told whole in its row", () => {
		const { detail, ...row } = rowOf(call, new Set());
		expect(row).toEqual({
			id: "req_1",
			at: 5,
			token: "tok_1",
			model: "fast",
			upstream: "main",
			ending: "completed",
			input_tokens: 9,
			cached_tokens: 4,
			output_tokens: 7,
			reasoning_tokens: 5,
			cost: 1234,
			excess: 5,
			request: null,
			protocol: "messages",
			status: 200,
			tags: null,
			took_span: 0,
		});
		expect(JSON.parse(detail)).toEqual({
			tokenName: "laptop",
			operation: "generate",
			target: "gpt-4o-mini",
			stream: true,
			cacheWriteTokens: 2,
			estimated: true,
			attempts: [
				{
					upstream: "spare",
					model: "claude",
					why: "weight",
					skipped: [{ upstream: "third", model: "other", reason: "its circuit is open for 12 s more" }],
					startedAt: 1,
					durationMs: 20,
					status: 529,
					code: "overloaded",
					message: "Overloaded",
				},
				{
					upstream: "main",
					model: "gpt-4o-mini",
					why: "next",
					startedAt: 21,
					durationMs: 79,
					firstByteMs: 6,
					status: 200,
				},
			],
			firstByteMs: 11,
			durationMs: 100,
			dropped: "top_k,logit_bias",
			address: "203.0.113.7",
		});
	});

	test("that was refused before anything was known has a row too", () => {
		const { charge: _____, token: _, model: __, firstByteMs: ___, address: ____, ...rest } = call;
		const denial = { kind: "rate_limited", message: "Too many." } as const;
		const outcome = { ending: "refused", sent: false, contentBytes: 0, pieces: 0, denial } as const;
		const row = rowOf({ ...rest, outcome, status: 429, attempts: [], losses: [] }, new Set());
		expect(row).toMatchObject({ token: null, model: null, upstream: null, input_tokens: 0, cost: 0, excess: 0 });
		expect(JSON.parse(row.detail)).toEqual({
			operation: "generate",
			stream: true,
			reason: "rate_limited",
			message: "Too many.",
			attempts: 0,
			durationMs: 100,
		});
	});

	test("whose client left was told nothing", () => {
		const denial = { kind: "internal", message: "The client left." } as const;
		const outcome = { ending: "client_left", sent: true, contentBytes: 0, pieces: 0, denial } as const;
		const detail = JSON.parse(rowOf({ ...call, outcome, status: 499 }, new Set()).detail) as Record<string, unknown>;
		expect([detail["reason"], detail["message"]]).toEqual([undefined, undefined]);
	});

	test("names the denial's own code where it has one", () => {
		const denial = { kind: "authentication", message: "Over.", code: "token_expired" } as const;
		const outcome = { ending: "refused", sent: false, contentBytes: 0, pieces: 0, denial } as const;
		expect(JSON.parse(rowOf({ ...call, outcome }, new Set()).detail)).toMatchObject({ reason: "token_expired" });
	});

	test("keeps a hostile model name and a long list of losses short", () => {
		const losses = Array.from({ length: 500 }, (_, index) => ({ path: `messages[${index}]`, reason: "x" }));
		const row = rowOf({ ...call, model: "m".repeat(10_000), losses }, new Set());
		expect(row.model).toHaveLength(256);
		expect(JSON.parse(row.detail)["dropped"]).toHaveLength(1000);
	});
});
