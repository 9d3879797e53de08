/** A finished call as the fields of its log line: a list of what is named, never the call itself. */
import { type CallRecord, type LogFields, withoutControls } from "#core";

/** A text that a client chose. */
const foreign = (text: string | undefined): string | undefined => text && withoutControls(text.slice(0, 256));

/** `main:gpt-5 529 overloaded 120ms > backup:claude 200 800ms`; nothing for one good attempt. */
const attemptList = ({ attempts, outcome }: CallRecord): string | undefined => {
	if (attempts.length === 0 || (attempts.length === 1 && outcome.ending === "completed")) return undefined;
	return attempts
		.map(({ upstream, model, status, code, durationMs }) =>
			[`${upstream}:${model}`, status, code, `${Math.round(durationMs)}ms`]
				.filter((word) => word !== undefined)
				.join(" "),
		)
		.join(" > ");
};

export const lineOf = (call: CallRecord): LogFields => {
	const { outcome, token } = call;
	const { usage, target, denial } = outcome;
	return {
		request_id: call.requestId ?? call.id,
		call_id: call.id,
		token_id: token?.id,
		// First what people look for: a terminal may cut a line off.
		status: call.status,
		model_requested: foreign(call.model),
		upstream: target?.upstream.name,
		token_name: foreign(token?.name),
		duration_ms: Math.round(call.durationMs),
		ending: outcome.ending,
		error_code: denial && (denial.code ?? denial.kind),
		repeats: call.repeats,
		protocol: call.protocol,
		operation: call.operation,
		route: call.route,
		model_upstream: target?.model,
		stream: call.stream,
		ttft_ms: call.firstByteMs === undefined ? undefined : Math.round(call.firstByteMs),
		input_tokens: usage?.input.total,
		cached_tokens: usage?.input.cacheRead,
		output_tokens: usage?.output.total,
		reasoning_tokens: usage?.output.reasoning,
		estimated: usage?.estimated,
		// Micro-dollars.
		cost: call.charge?.charged,
		attempts: call.attempts.length + (call.leftOut?.length ?? 0),
		attempt_list: attemptList(call),
		client_ip: call.address,
		user_agent: foreign(call.userAgent),
	};
};
