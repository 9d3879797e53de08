/** Prices of the data package, looked up once a minute and model. */

import { createRequire } from "node:module";
import type { calcPrice, PriceCalculation } from "@pydantic/genai-prices";
import { type Clock, definedOnly, describe, type Log } from "#core";
import { newerPriceOf } from "./newer.ts";
import { publishedBy, publishedOf } from "./published.ts";
import type { Price, Rate } from "./service.ts";

/** Prices change by date and by hour of the day, so nothing is believed for longer. */
const freshMilliseconds = 60_000;
/** Names come from clients where a model pattern lets them, so what is kept is bounded. */
const keptNames = 10_000;
const longestName = 256;

/** Makers whose own models may be priced by name alone, where the package does not tell the provider by it. */
const makers = ["openai", "anthropic", "google", "mistral", "cohere", "voyageai", "deepseek", "x-ai"];

/** OpenRouter's names for Claude's dearer speed. By all but its own prices they would cost what the plain model does. */
const fastAtOpenRouter = /^anthropic\/.*-fast$/;

/** What its maker asks nothing for. Of other models without any rate the price is simply not known. */
const free = /^(?:omni|text)-moderation-/;

const rate = (value: PriceCalculation["model_price"][string]): Rate | undefined => {
	if (typeof value !== "object") return value;
	const steps = value.tiers.map(({ start, price }) => ({ above: start, rate: price }));
	return { base: value.base, steps: steps.sort((one, other) => one.above - other.above) };
};

const perThousand = (value: PriceCalculation["model_price"][string]): number | undefined =>
	typeof value === "number" ? value / 1_000 : undefined;

const perMinute = (value: PriceCalculation["model_price"][string]): number | undefined =>
	typeof value === "number" ? value / 60 : undefined;

const toPrice = ({ provider, model, model_price: rates }: PriceCalculation): Price => ({
	...publishedBy(provider.id),
	...publishedOf(model.id),
	...definedOnly({
		input: rate(rates["input_mtok"]),
		output: rate(rates["output_mtok"]),
		cacheRead: rate(rates["cache_read_mtok"]),
		cacheReadAudio: rate(rates["cache_audio_read_mtok"]),
		cacheWrite: rate(rates["cache_write_mtok"]),
		cacheWriteLong: rate(rates["cache_write_1h_mtok"]),
		reasoning: rate(rates["output_reasoning_mtok"]),
		inputAudio: rate(rates["input_audio_mtok"]),
		inputImage: rate(rates["input_image_mtok"]),
		inputVideo: rate(rates["input_video_mtok"]),
		outputAudio: rate(rates["output_audio_mtok"]),
		outputImage: rate(rates["output_image_mtok"]),
		outputVideo: rate(rates["output_video_mtok"]),
		perMinuteAudioIn: perMinute(rates["input_audio_hours"] ?? rates["audio_hours"]),
		perRequest: perThousand(rates["requests_kcount"]),
		perWebSearch: perThousand(rates["web_searches_kcount"]),
		perFileSearch: perThousand(rates["storage_searches_kcount"]),
		contextWindow: model.context_window,
	}),
});

interface PriceData {
	readonly calcPrice: typeof calcPrice;
}

let loaded: PriceData | undefined;

/** Ten megabytes and some fifty milliseconds, which only those pay whose config does not price all their models. */
const priceData = (): PriceData => {
	loaded ??= createRequire(import.meta.url)("@pydantic/genai-prices") as PriceData;
	return loaded;
};

export class Catalogue {
	private readonly kept = new Map<string, { readonly until: number; readonly price: Price | undefined }>();
	private readonly clock: Clock;
	private readonly log: Log;

	constructor(clock: Clock, log: Log) {
		this.clock = clock;
		this.log = log;
	}

	/** The price of a model at the provider called like the upstream, else at whoever makes a model of that name. */
	find(model: string, upstream?: string): Price | undefined {
		if (model.length > longestName) return undefined;
		const key = `${upstream ?? ""}\n${model}`;
		const now = this.clock.now();
		const kept = this.kept.get(key);
		if (kept && now < kept.until) return kept.price;
		if (this.kept.size >= keptNames) this.kept.clear();
		const price = newerPriceOf(model, now) ?? this.look(model, upstream, new Date(now));
		this.kept.set(key, { until: now + freshMilliseconds, price });
		return price;
	}

	private look(model: string, upstream: string | undefined, timestamp: Date): Price | undefined {
		const ask = (providerId?: string): PriceCalculation | null =>
			priceData().calcPrice({}, model, providerId === undefined ? { timestamp } : { providerId, timestamp });
		try {
			let found = upstream === undefined ? null : ask(upstream);
			if (fastAtOpenRouter.test(model)) found ??= ask("openrouter");
			found ??= ask();
			for (const maker of makers) found ??= ask(maker);
			if (!found) return undefined;
			return Object.keys(found.model_price).length === 0 && free.test(model) ? { input: 0 } : toPrice(found);
		} catch (error) {
			this.log.warn("the price data of a model cannot be read; its price counts as unknown", {
				model,
				error: describe(error),
			});
			return undefined;
		}
	}
}
