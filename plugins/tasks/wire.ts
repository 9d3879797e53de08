/** Talking to upstreams over HTTP. */
import type { WireRecord } from "#core";
import type { Cancellation, JobState, MadeFile, Submission } from "./job.ts";

/** How to reach an upstream over HTTP. */
export interface ConnectionOptions {
	/** What the upstream is called in the config, where the log and `portico status` tell of it; its host unless said. */
	readonly name?: string;
	/** The base address; paths are added to it. */
	readonly url: string;
	/** Headers for each request: the key goes here and nowhere else. */
	headers(): Readonly<Record<string, string>>;
	/** Stands in for `fetch` in tests. */
	readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** `never`: it is certain that the request did not arrive, as where a page of HTML came in place of an answer. `unknown`: it may have. */
export type Answer =
	| {
			readonly sent: "answered";
			readonly status: number;
			readonly headers: Headers;
			readonly body: unknown;
			readonly bytes: Uint8Array;
	  }
	| { readonly sent: "never" }
	| { readonly sent: "unknown" };

export interface AskOptions {
	readonly method?: "GET" | "POST" | "PUT" | "DELETE";
	/** Sent as JSON, or as it is when it is a form. */
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal: AbortSignal;
	/** Told of each event where the answer comes as a stream of them; its body is then the last. */
	readonly event?: (event: WireRecord) => void;
	/** The longest the whole exchange may take; 60 s unless said. */
	readonly timeoutMs?: number;
}

/** An upstream over HTTP. Redirects are not followed. */
export interface Connection {
	/** `path`: added to the base address, or a whole address on the same origin. */
	ask(path: string, options: AskOptions): Promise<Answer>;
	/** What an answer to a submission means that is not an acceptance: refused, busy, or not known. */
	refusal(answer: Answer, reason?: string): Submission;
	/** What an answer to a poll means that says nothing of the job. */
	noState(answer: Answer): JobState;
	/** What an answer to a request to stop a job means: `unbilled` only where it says so itself. */
	cancellation(answer: Answer): Cancellation;
	/**
	 * The file at what the upstream names as its address; none where that is no address. Its bytes where that is one of the
	 * upstream's own network, in which no client is.
	 */
	files(role: string, mediaType: string, address: unknown): readonly MadeFile[];
	/** The bytes at an address that needs this connection's headers. Rejects when they do not come. */
	fetchFile(address: string, signal: AbortSignal): Promise<Uint8Array>;
}
