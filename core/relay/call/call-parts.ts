/** What a call has while it runs, beside what it was asked. */
import type { Denial } from "../../contract/fault.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import type { Usage } from "../../neutral/response.ts";

/** What a call waits for upstream, and can be told to wait for no longer. */
export interface Waiting {
	stop(): void;
}

/** An answer that goes on as a stream: whoever ends the call tells it. */
export interface OpenStream {
	readonly unread: { readonly milliseconds: number };
	/** The client is gone. */
	left(): void;
	shutDown(denial: Denial): void;
}

/** The conversation made shorter by a summary before it is answered, what that used, and its limit while it is written. */
export interface Compaction {
	readonly request?: NeutralRequest;
	readonly used?: Usage;
	readonly limit?: number | undefined;
}
