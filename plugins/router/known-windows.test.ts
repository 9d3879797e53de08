/**
 * The windows of models beside what the price data says, which others keep. What is held for a request that reads more than its
 * body is a window: one that is too small lets a token spend more than its quota.
 */
import { expect, test } from "bun:test";
import { findProvider } from "@pydantic/genai-prices";
import { capabilitiesOf } from "./service.ts";

/** Under this name it is served no longer. */
const retired = ["gemini-pro-1.5"];

test.each(["openai", "anthropic", "google", "moonshotai"])(
	"no window of %s is smaller than the price data says",
	(id) => {
		const models = findProvider({ providerId: id })?.models ?? [];
		const told = models.flatMap(({ id: name, context_window: window }) => {
			const known = capabilitiesOf(name).contextWindow;
			return window === undefined || known === undefined || retired.includes(name) ? [] : [{ name, window, known }];
		});
		expect(told.length).toBeGreaterThan(0);
		expect(told.filter(({ window, known }) => known < window)).toEqual([]);
	},
);

test.each([
	["gpt-5.2", 400_000],
	["gpt-5.4-mini-2026-03-17", 400_000],
	["gpt-5.4-2026-03-05", 1_050_000],
	["gpt-5.5-pro", 1_050_000],
	["gpt-6.1-sol", 1_050_000],
	["gpt-7", 1_050_000],
	["claude-next-7", 1_000_000],
	["gemini-4-carbon", 1_048_576],
	["o4-mini-deep-research", 200_000],
] as const)("%s takes %d tokens", (model, window) => expect(capabilitiesOf(model).contextWindow).toBe(window));
