/** Traces: which trace a call belongs to, as its client said it by `traceparent` or as a plugin began it. */
import { service } from "./token.ts";

/** A call's place in a trace. Ids in lower-case hexadecimal, as W3C Trace Context has them. */
export interface CallTrace {
	/** 32 digits. */
	readonly traceId: string;
	/** The span of the call itself, 16 digits. */
	readonly spanId: string;
	/** The client's span. */
	readonly parentId?: string;
	/** Whether the trace is to be kept, as the client decided or the plugin did. */
	readonly sampled: boolean;
	/** The client's `tracestate`, handed on as it came. */
	readonly state?: string;
}

/**
 * Begins traces. Without a plugin that gives this, no call pays for any.
 *
 * @example
 * offers: [provide(tracer, { begin: (headers) => traceOf(headers.get("traceparent")), spanId: newSpanId })],
 */
export interface Tracer {
	begin(headers: Headers): CallTrace;
	/** An id for one attempt. */
	spanId(): string;
}

/** Given by a plugin that traces, such as `otel`. */
export const tracer = service<Tracer>("tracer");
