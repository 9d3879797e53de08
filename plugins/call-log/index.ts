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
		const record = (call: CallRecord): void => log.info("call", lineOf(call, needs.prices?.costOf(call)));
		return { offers: [add(recorders, { name, record })] };
	},
});
