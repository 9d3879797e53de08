/**
 * The protocol-free form of what is said: ordered blocks, never side arrays. Every opaque value carries its origin and
 * is replayed only to the same family; every node has a bag of fields that only its own protocol understands.
 */

/** Fields that only the named protocol understands: `{ messages: { cache_control: … } }`. An encoder writes only its own bag. */
export type Extras = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Where an opaque value was made. `family` is the model family it is bound to: `claude`, `gpt`, `gemini`, or the upstream's own word. */
export interface Origin {
	readonly protocol: string;
	readonly family: string;
}

/** A value only its maker can read: a signature, encrypted reasoning, an encrypted search index. */
export interface Opaque {
	readonly value: string;
	readonly origin: Origin;
}

export interface CacheMark {
	readonly lifetime?: "5m" | "30m" | "1h" | "12h";
}

export interface NeutralNode {
	readonly cache?: CacheMark;
	readonly extras?: Extras;
}

/** Bytes of an image, sound, document or film. `data:` addresses are decoded to `bytes` on entry. */
export type Media =
	| { readonly by: "bytes"; readonly base64: string; readonly mime: string }
	| { readonly by: "url"; readonly url: string; readonly mime?: string }
	| { readonly by: "file"; readonly id: string; readonly origin: Origin; readonly mime?: string }
	| { readonly by: "text"; readonly text: string; readonly mime: string };

/** Arguments of a tool call. `json`: valid JSON text kept as it came; `invalid`: text that is not JSON; `text`: a custom tool's free input. */
export type ToolArguments =
	| { readonly form: "json"; readonly value: unknown; readonly text: string }
	| { readonly form: "invalid"; readonly text: string }
	| { readonly form: "text"; readonly text: string };

export type ServerTool =
	| "web_search"
	| "web_fetch"
	| "code_execution"
	| "file_search"
	| "image_generation"
	| "computer"
	| "shell"
	| "mcp"
	| "maps"
	| "tool_search"
	| "other";

/** What supports a run of text. `target` is the span in our text that is supported, in UTF-16 units of that block. */
export interface Citation {
	readonly kind:
		| "url"
		| "document_characters"
		| "document_pages"
		| "document_blocks"
		| "search_result"
		| "file"
		| "map";
	readonly url?: string;
	readonly title?: string | null;
	readonly fileId?: string;
	readonly documentIndex?: number;
	readonly quote?: string;
	readonly target?: { readonly start: number; readonly end: number };
	readonly source?: { readonly start: number; readonly end: number };
	readonly opaque?: Opaque;
	readonly extras?: Extras;
}

export interface TokenLogprob {
	readonly token: string;
	readonly logprob: number;
	readonly bytes?: readonly number[] | null;
	readonly top: readonly {
		readonly token: string;
		readonly logprob: number;
		readonly bytes?: readonly number[] | null;
	}[];
}

export interface TextBlock extends NeutralNode {
	readonly type: "text";
	readonly text: string;
	readonly citations?: readonly Citation[];
	readonly logprobs?: readonly TokenLogprob[];
	readonly signature?: Opaque;
	readonly itemId?: string;
	/** Whether it is said on the way or is the answer itself, where the model tells them apart. */
	readonly phase?: string;
}
export interface ImageBlock extends NeutralNode {
	readonly type: "image";
	readonly media: Media;
	readonly filename?: string;
	readonly detail?: string;
	/** True for an image the model made while thinking. */
	readonly thought?: boolean;
	readonly signature?: Opaque;
}
export interface AudioBlock extends NeutralNode {
	readonly type: "audio";
	readonly media: Media;
	readonly filename?: string;
	readonly transcript?: string;
	readonly id?: string;
	readonly expiresAt?: number;
}
export interface DocumentBlock extends NeutralNode {
	readonly type: "document";
	readonly media: Media;
	readonly filename?: string;
	readonly title?: string;
	readonly context?: string;
	readonly citationsEnabled?: boolean;
}
export interface VideoBlock extends NeutralNode {
	readonly type: "video";
	readonly media: Media;
	readonly filename?: string;
}
/** Visible reasoning. `parts` are the separate summaries of a Responses reasoning item; `text` is always all of it. */
export interface ThinkingBlock extends NeutralNode {
	readonly type: "thinking";
	readonly text: string;
	readonly form: "full" | "summary";
	readonly parts?: readonly string[];
	readonly signature?: Opaque;
	readonly itemId?: string;
}
/** Reasoning that only its maker can read: redacted thinking, an encrypted-only reasoning item. */
export interface OpaqueThinkingBlock extends NeutralNode {
	readonly type: "opaque_thinking";
	readonly data: Opaque;
	readonly itemId?: string;
}
export interface ToolCallBlock extends NeutralNode {
	readonly type: "tool_call";
	readonly id: string;
	readonly name: string;
	readonly namespace?: string;
	readonly kind: "function" | "custom";
	readonly arguments: ToolArguments;
	readonly signature?: Opaque;
	readonly itemId?: string;
}
export interface ToolResultBlock extends NeutralNode {
	readonly type: "tool_result";
	readonly callId: string;
	readonly name?: string;
	readonly kind?: "function" | "custom";
	readonly isError?: boolean;
	readonly content: readonly Block[];
	/** The result as one JSON value, when the protocol gave it so (`functionResponse.response`). */
	readonly structured?: unknown;
}
export interface ServerCallBlock extends NeutralNode {
	readonly type: "server_call";
	readonly id: string;
	readonly tool: ServerTool;
	readonly name: string;
	/** Neutral for code: `{ code, language }`. */
	readonly arguments: unknown;
	readonly status?: string;
	readonly signature?: Opaque;
	/** The item as its own protocol wrote it, for replay to the same protocol and family. */
	readonly raw?: { readonly origin: Origin; readonly value: unknown };
}
export interface ServerResultBlock extends NeutralNode {
	readonly type: "server_result";
	readonly callId: string;
	readonly tool: ServerTool;
	/** Neutral for web search: `{ url, title }[]`; for code: `{ output, error }`; otherwise what came. */
	readonly result: unknown;
	readonly isError?: boolean;
	readonly raw?: { readonly origin: Origin; readonly value: unknown };
}
export interface SearchResultBlock extends NeutralNode {
	readonly type: "search_result";
	readonly source: string;
	readonly title: string;
	readonly content: readonly Block[];
	readonly citationsEnabled?: boolean;
}
export interface RefusalBlock extends NeutralNode {
	readonly type: "refusal";
	readonly text: string;
}
/** Anything not understood. Passed back only to the same protocol and family. */
export interface UnknownBlock extends NeutralNode {
	readonly type: "unknown";
	readonly origin: Origin;
	readonly raw: unknown;
}

export type Block =
	| TextBlock
	| ImageBlock
	| AudioBlock
	| DocumentBlock
	| VideoBlock
	| ThinkingBlock
	| OpaqueThinkingBlock
	| ToolCallBlock
	| ToolResultBlock
	| ServerCallBlock
	| ServerResultBlock
	| SearchResultBlock
	| RefusalBlock
	| UnknownBlock;

export interface Message extends NeutralNode {
	readonly role: "system" | "developer" | "user" | "assistant" | "tool";
	readonly blocks: readonly Block[];
	readonly name?: string;
}
