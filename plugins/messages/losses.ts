/** What an encoder leaves behind, named in the words of the client's own protocol. */
import type { Loss } from "#core";

type Words = Readonly<Record<string, string>>;

const words: Readonly<Record<string, Words>> = {
	"chat-completions": { reasoning: "reasoning_effort", format: "response_format", tier: "service_tier" },
	responses: { format: "text.format", verbosity: "text.verbosity", tier: "service_tier", stop: "stop" },
	messages: { reasoning: "thinking", format: "output_config.format", stop: "stop_sequences", tier: "service_tier" },
	"generate-content": {
		reasoning: "thinkingConfig",
		format: "responseSchema",
		n: "candidateCount",
		stop: "stopSequences",
		logprobs: "responseLogprobs",
		tier: "serviceTier",
		safety: "safetySettings",
		metadata: "labels",
		tool_choice: "toolConfig",
	},
};

const inCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Collects losses, one for each name. */
export class Losses {
	private readonly byPath = new Map<string, Loss>();
	private readonly protocol: string;

	constructor(protocol: string) {
		this.protocol = protocol;
	}

	/** `name` is the neutral or snake_case name of the field. */
	add(name: string, reason: string): void {
		const own = words[this.protocol]?.[name];
		const path = own ?? (this.protocol === "generate-content" ? inCamelCase(name) : name);
		if (!this.byPath.has(path)) this.byPath.set(path, { path, reason });
	}

	list(): readonly Loss[] {
		return [...this.byPath.values()];
	}
}
