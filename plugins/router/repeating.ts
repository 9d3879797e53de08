/** Which calls may be asked again when nobody knows whether an upstream has done its work. */
import { asList, asRecord, asText, type Denial, mayBeDone, type Routed } from "#core";

/** Hosted tools that may change something outside of the answer. */
const lastingTools = /^(mcp|code_interpreter|code_execution|shell|bash|computer)/;

/** Whether asking twice leaves nothing behind twice: what it may cost, the operator bears. */
const leavesNothing = (call: Routed): boolean => {
	if (call.surface !== "model") return true;
	const { ask } = call;
	const { background, conversation, mcp_servers: servers, tools } = asRecord(ask.body.value);
	if (background === true || (conversation !== undefined && conversation !== null)) return false;
	if (asList(servers).length > 0) return false;
	return !asList(tools).some((tool) => {
		const { type, codeExecution } = asRecord(tool);
		return codeExecution !== undefined || lastingTools.test(asText(type) ?? "");
	});
};

/** Where nothing can have been done another try may follow; else where that leaves nothing behind twice. */
const safeAfter = (denial: Denial, call: Routed): boolean => !mayBeDone(denial) || leavesNothing(call);

/** Failures that another target may not have. */
const followed: ReadonlySet<string> = new Set([
	"upstream",
	"overloaded",
	"upstream_timeout",
	"rate_limited",
	"internal",
	"quota_exhausted",
	"model_not_found",
]);

/** Whether the next target may be tried after this failure. */
export const mayFollow = (denial: Denial, call: Routed): boolean =>
	followed.has(denial.kind) && safeAfter(denial, call);

/** A few tries in hand, and one more for every so many calls: a broken upstream is not asked twice for everything. */
export class RetryCredit {
	private left = most;

	/** A call is made. */
	earn(): void {
		this.left = Math.min(most, this.left + perCall);
	}

	/** Whether one more try may be made. */
	spend(): boolean {
		if (this.left < 1) return false;
		this.left--;
		return true;
	}
}

const most = 20;
const perCall = 0.1;
