/** Refusals that tell what the model cannot do for this request. */
import type { ModelCapabilities } from "#core";

/** How large a schema Gemini enforces is published nowhere and differs between models: its word is believed. */
export const unable = (status: number, text: string): ModelCapabilities | undefined =>
	status === 400 && text.includes("too many states for serving") ? { nativeSchema: false } : undefined;
