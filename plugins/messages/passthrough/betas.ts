/**
 * `anthropic-beta` on passthrough. Upstreams that do not know a beta refuse the name, and refuse the fields it brings
 * along: so what is not forwarded leaves the header and the body together.
 */
import { asRecord, type JsonBody, matchesPattern, type WireRecord } from "#core";

/** A root field of the body, and the betas of which one must be forwarded for it to be. */
const fields: Readonly<Record<string, readonly string[]>> = {
	context_management: ["context-management-*", "compact-*"],
	mcp_servers: ["mcp-client-*"],
	output_format: ["structured-outputs-*"],
	speed: ["fast-mode-*"],
	fallbacks: ["server-side-fallback-*"],
	fallback_credit_token: ["fallback-credit-*"],
	diagnostics: ["cache-diagnosis-*"],
	user_profile_id: ["user-profiles-*"],
};

const wellFormed = /^[a-zA-Z0-9._-]{1,128}$/;

const namesIn = (header: string | null): readonly string[] =>
	(header ?? "")
		.split(",")
		.map((name) => name.trim())
		.filter((name) => wellFormed.test(name));

/** What is to be sent of the client's betas, and the edits of the body that go with it. */
interface ForwardedBetas {
	/** The header's value; empty for none. */
	readonly header: string;
	readonly edits: WireRecord;
}

const isAny = (patterns: readonly string[], name: string): boolean =>
	patterns.some((pattern) => matchesPattern(pattern, name));

const taskBudget = ["task-budgets-*"];

/** `allowed`: names or patterns with `*` of the betas that are forwarded. A field no refused beta brought is not touched. */
export const forwardBetas = (header: string | null, body: JsonBody, allowed: readonly string[]): ForwardedBetas => {
	const names = namesIn(header);
	const kept = names.filter((name) => isAny(allowed, name));
	const edits: Record<string, unknown> = {};
	if (kept.length < names.length) {
		const isRefused = (betas: readonly string[]): boolean =>
			names.some((name) => isAny(betas, name)) && !kept.some((name) => isAny(betas, name));
		for (const [field, betas] of Object.entries(fields))
			if (body.members.has(field) && isRefused(betas)) edits[field] = undefined;
		const config = asRecord(body.value["output_config"]);
		if (config["task_budget"] !== undefined && isRefused(taskBudget)) {
			const { task_budget: _refused, ...rest } = config;
			edits["output_config"] = Object.keys(rest).length === 0 ? undefined : rest;
		}
	}
	return { header: kept.join(","), edits };
};
