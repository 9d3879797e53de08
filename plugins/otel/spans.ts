/** A finished call as spans: one of the call itself, and one of each attempt at an upstream. */
import type { AttemptRecord, CallRecord, CallTrace, Usage } from "#core";
import { http, type Names, operationOf, portico, providerAt } from "./conventions.ts";

type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** A span before it has the form of the library. Times in milliseconds since 1970. */
export interface CallSpan {
	readonly name: string;
	readonly kind: "server" | "client";
	readonly spanId: string;
	readonly parentId: string | undefined;
	readonly startedAt: number;
	readonly endedAt: number;
	readonly failed: boolean;
	readonly attributes: Attributes;
}

type Loose = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const known = (attributes: Loose): Attributes =>
	Object.fromEntries(
		Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
	);

/** Ours or an upstream's fault; what the client did wrong, or its leaving, is no error of a server. */
const failures: ReadonlySet<string> = new Set(["upstream_failed", "timed_out", "failed", "shut_down"]);

export const hasFailed = ({ outcome, status }: CallRecord): boolean =>
	status >= 500 || (failures.has(outcome.ending) && (status >= 500 || status < 400));

const usageOf = (usage: Usage | undefined, names: Names): Loose => {
	if (!usage) return {};
	const { input, output } = usage;
	return {
		[names.inputTokens]: input.total,
		[names.outputTokens]: output.total,
		...(names.cacheRead !== undefined && { [names.cacheRead]: input.cacheRead }),
		...(names.cacheWrite !== undefined && { [names.cacheWrite]: input.cacheWrite }),
		...(names.reasoning !== undefined && { [names.reasoning]: output.reasoning }),
	};
};

const portOf = (host: string | undefined): number | undefined => {
	const port = host === undefined ? undefined : /:(\d+)$/.exec(host)?.[1];
	return port === undefined ? undefined : Number(port);
};

/** `last`: the attempt that the call's own usage and ending belong to. */
const attemptSpan = (
	call: CallRecord,
	trace: CallTrace,
	attempt: AttemptRecord,
	last: boolean,
	names: Names,
): CallSpan => {
	const { upstream, model, host, status, code, why, startedAt, durationMs, firstByteMs, spanId = "" } = attempt;
	const operation = operationOf(call.operation, call.protocol);
	const left = last && call.outcome.ending === "client_left";
	const failed = code !== undefined && !left;
	return {
		name: `${operation} ${model}`,
		kind: "client",
		spanId,
		parentId: trace.spanId,
		startedAt,
		endedAt: startedAt + durationMs,
		failed,
		attributes: known({
			[names.operation]: operation,
			[names.provider]: providerAt(host, upstream),
			[names.requestModel]: model,
			[http.serverAddress]: host?.replace(/:\d+$/, ""),
			[http.serverPort]: portOf(host),
			...(names.stream !== undefined && { [names.stream]: call.stream || undefined }),
			...(names.firstChunk !== undefined &&
				call.stream && { [names.firstChunk]: firstByteMs === undefined ? undefined : firstByteMs / 1000 }),
			[http.status]: status,
			[http.errorType]: failed ? (code ?? String(status)) : undefined,
			[portico.upstream]: upstream,
			[portico.why]: why,
			...(last && usageOf(call.outcome.usage, names)),
			...(last && { [portico.ending]: call.outcome.ending }),
		}),
	};
};

const callSpan = (call: CallRecord, trace: CallTrace): CallSpan => {
	const { at, durationMs, outcome } = call;
	const failed = hasFailed(call);
	return {
		name: `POST ${call.route}`,
		kind: "server",
		spanId: trace.spanId,
		parentId: trace.parentId,
		startedAt: at - durationMs,
		endedAt: at,
		failed,
		attributes: known({
			[http.method]: "POST",
			[http.route]: call.route,
			[http.status]: call.status,
			[http.errorType]: failed ? (outcome.denial?.code ?? outcome.denial?.kind ?? String(call.status)) : undefined,
			[portico.call]: call.id,
			[portico.request]: call.requestId,
			[portico.protocol]: call.protocol,
			[portico.token]: call.token?.id,
			[portico.ending]: outcome.ending,
			[portico.code]: outcome.denial?.code ?? outcome.denial?.kind,
			[portico.attempts]: call.attempts.length + (call.leftOut?.length ?? 0),
			[portico.repeats]: call.repeats,
			[portico.dropped]: call.losses.length === 0 ? undefined : call.losses.map(({ path }) => path),
		}),
	};
};

/** The spans of a call, its own first. None where its record belongs to no trace. */
export const spansOf = (call: CallRecord, names: Names): readonly CallSpan[] => {
	const { trace, attempts } = call;
	if (!trace) return [];
	return [
		callSpan(call, trace),
		...attempts.map((attempt, index) => attemptSpan(call, trace, attempt, index === attempts.length - 1, names)),
	];
};
