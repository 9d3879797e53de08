/** Writes one line into the log for every call. */
import { add, type CallRecord, definePlugin, maybe, recorders, t } from "#core";
import { prices } from "../prices/service.ts";
import { lineOf } from "./line.ts";

export default definePlugin({
	name: "call-log",
	summary: "Writes one line of JSON into the log for every call, without bodies and keys.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { prices: maybe(prices) },
	gives: [recorders],
	setup({ name, needs, log }) {
		const costOf = ({ model, outcome: { usage, target } }: CallRecord): number | undefined => {
			if (!usage || !target) return undefined;
			const hints = { upstream: target.upstream.name, ...(model !== undefined && { requested: model }) };
			const price = needs.prices?.find(target.model, hints);
			return price && needs.prices?.cost(usage, price);
		};
		const record = (call: CallRecord): void => log.info("call", lineOf(call, costOf(call)));
		return { offers: [add(recorders, { name, record })] };
	},
});
