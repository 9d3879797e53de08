/** What makers publish of their models that the data package leaves out, by the names it has for them. */
import type { Price } from "./service.ts";

const published: readonly (readonly [model: RegExp, price: Price])[] = [
	[/^gpt-4o-audio-preview/, { inputAudio: 40, outputAudio: 80 }],
	[/^gpt-4o-mini-audio-preview/, { inputAudio: 10, outputAudio: 20 }],
	[/^gpt-4(?:o|\.1)/, { perWebSearchPreview: 0.025 }],
	[/^gpt-5\.5/, { tiers: { priority: 2.5 } }],
	[/^claude-opus-(?:4-8|5)/, { tiers: { fast: 2 } }],
	[/^gemini-[3-9]/, { perWebSearch: 0.014 }],
	[/^grok-/, { perWebSearch: 0.005, perFileSearch: 0.0025 }],
];

/** The same of what they ask of all their models. */
const everywhere: Readonly<Record<string, Price>> = { groq: { leastSecondsAudioIn: 10 } };

export const publishedBy = (provider: string): Price | undefined =>
	Object.hasOwn(everywhere, provider) ? everywhere[provider] : undefined;

export const publishedOf = (model: string): Price | undefined => published.find(([name]) => name.test(model))?.[1];
