/**
 * Newer models refuse thinking of their own once anything before it has changed: a system prompt with the hour in it, one
 * more tool, another model's turn. A client of another protocol cannot say what is to become of it then, so Portico does:
 * it is left out. https://platform.claude.com/docs/en/build-with-claude/preserved-thinking
 */
import type { ModelCapabilities, WireRecord } from "#core";
import type { Encoding } from "../encode-content.ts";
import type { Turn } from "./encode-turns.ts";

const bindingBeta = "thinking-binding-controls-2026-08-01";

/** Beside these nothing can be said of it. */
const unbound: ReadonlySet<unknown> = new Set(["disabled", "between_tools"]);

const holdsThinking = ({ content }: Turn): boolean =>
	content.some(({ type }) => type === "thinking" || type === "redacted_thinking");

/** What is said of thinking, and of the thinking in the history where the model would refuse a changed one. */
export const boundThinking = (
	thinking: WireRecord | undefined,
	turns: readonly Turn[],
	{ boundThinking: isBound }: ModelCapabilities,
	{ betas }: Encoding,
): WireRecord | undefined => {
	if (isBound !== true || unbound.has(thinking?.["type"]) || !turns.some(holdsThinking)) return thinking;
	betas.add(bindingBeta);
	return { type: "adaptive", ...thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } };
};
