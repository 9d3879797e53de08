/** The protocol-free form of a request. */
import type { CacheMark, Extras, Message, NeutralNode, Origin, ServerTool } from "./content.ts";
import type { Usage } from "./response.ts";

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface FunctionTool extends NeutralNode {
	readonly type: "function";
	readonly name: string;
	readonly namespace?: string;
	readonly description?: string;
	/** JSON Schema, whatever the client sent. */
	readonly schema: unknown;
	readonly strict?: boolean;
}
export interface CustomTool extends NeutralNode {
	readonly type: "custom";
	readonly name: string;
	readonly description?: string;
	/** The Responses form: `{ type: "grammar", syntax, definition }` or `{ type: "text" }`. */
	readonly format?: unknown;
}
/** How a web search may be bound. */
export type SearchSetting = "allowedDomains" | "blockedDomains" | "maxUses" | "userLocation" | "contextSize";

export interface HostedTool extends NeutralNode {
	readonly type: "server";
	readonly tool: ServerTool;
	/** The word its own protocol uses: `web_search_20250305`, `web_search`, `googleSearch`. */
	readonly vendorType: string;
	readonly name: string;
	/** What else came is in `extras`. */
	readonly config: Readonly<Partial<Record<SearchSetting, unknown>>>;
	readonly origin: Origin;
}
export interface UnknownTool extends NeutralNode {
	readonly type: "unknown";
	readonly origin: Origin;
	readonly raw: unknown;
}
export type Tool = FunctionTool | CustomTool | HostedTool | UnknownTool;

export type ToolChoice =
	| { readonly mode: "auto" | "none" | "required" }
	| {
			readonly mode: "named";
			readonly names: readonly string[];
			readonly force: boolean;
			readonly kind?: "function" | "custom" | "server";
			/** The names are of functions alone, and say nothing of tools that the upstream runs itself. */
			readonly leavesHosted?: boolean;
	  };

export type OutputFormat =
	| { readonly type: "text" }
	| { readonly type: "json" }
	| {
			readonly type: "schema";
			readonly schema: unknown;
			readonly name?: string;
			readonly description?: string;
			readonly strict?: boolean;
	  }
	| { readonly type: "enum"; readonly values: readonly string[] };

/** `mode`: `default` says nothing, `off` forbids, `auto` lets the model decide, `on` asks with `effort` or `budget` (tokens). */
export interface Reasoning {
	readonly mode: "default" | "off" | "auto" | "on";
	readonly effort?: Effort;
	readonly budget?: number;
	readonly expose?: "none" | "summary" | "full";
	readonly summary?: "auto" | "concise" | "detailed";
	/** The client asked for encrypted reasoning that it will replay. */
	readonly returnOpaque?: boolean;
}

export interface NeutralRequest extends NeutralNode {
	/** The protocol the client spoke. */
	readonly protocol: string;
	/** The model the client asked for. */
	readonly model: string;
	readonly stream: boolean;
	/** All of the conversation in order, leading system messages included and not joined. */
	readonly messages: readonly Message[];
	readonly tools?: readonly Tool[];
	readonly toolChoice?: ToolChoice;
	readonly parallelTools?: boolean;
	readonly maxToolCalls?: number;
	readonly sampling: {
		readonly temperature?: number;
		readonly topP?: number;
		readonly topK?: number;
		readonly presencePenalty?: number;
		readonly frequencyPenalty?: number;
		readonly seed?: number;
		readonly logitBias?: Readonly<Record<string, number>>;
	};
	readonly maxOutputTokens?: number;
	readonly stop?: readonly string[];
	readonly candidates?: number;
	readonly logprobs?: { readonly enabled: boolean; readonly top?: number };
	readonly reasoning?: Reasoning;
	readonly format?: OutputFormat;
	readonly verbosity?: string;
	readonly modalities?: readonly ("text" | "image" | "audio")[];
	/** How audio and images are to be made, in the words of the client's protocol. */
	readonly audio?: unknown;
	readonly image?: unknown;
	readonly tier?: string;
	readonly identity?: {
		readonly user?: string;
		readonly safetyId?: string;
		readonly metadata?: Readonly<Record<string, unknown>>;
	};
	readonly cache?: CacheMark;
	readonly cacheKey?: string;
	readonly cacheRetention?: string;
	/** What holds for all marks of the request, in the words of OpenAI's protocols. */
	readonly cacheOptions?: Readonly<Record<string, unknown>>;
	readonly state?: {
		readonly previousId?: string;
		readonly conversation?: unknown;
		readonly store?: boolean;
		readonly background?: boolean;
		readonly truncation?: string;
		readonly include?: readonly string[];
	};
	readonly safety?: readonly unknown[];
	readonly includeUsage?: boolean;
	/**
	 * A summary is asked for that stands for the conversation: an item of an answer, the whole of one, or what an answer
	 * goes on from.
	 */
	readonly compacts?: "item" | "whole" | "before";
	/** Tokens of input above which the conversation is to be compacted before it is answered. */
	readonly compactAbove?: number;
	/** What tells the client that the conversation was compacted before it was answered, and what that used. */
	readonly compacted?: { readonly item: unknown; readonly usage: Usage };
	/** Fields of the client's own protocol with no neutral place. */
	readonly extras?: Extras;
	/** Shown to guards: texts and numbers of the body that its protocol reads nothing from. No encoder writes them. */
	readonly leftAside?: readonly string[];
	/** The request body as the client sent it, parsed. Response encoders echo from it what their protocol demands. */
	readonly raw: Readonly<Record<string, unknown>>;
}
