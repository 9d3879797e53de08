/** Counts calls and shows the counts to Prometheus. */
import { add, type CallRecord, definePlugin, hostInfo, recorders, router, routes, store, t } from "#core";

import { AttemptCounts } from "./attempt-counts.ts";
import { CallCounts } from "./call-counts.ts";
import { contentType, expose } from "./exposition.ts";
import { metricSources } from "./service.ts";
import { circuitMetric, keyMetric, loadMetrics, processMetrics } from "./state.ts";
import { StoreTimes } from "./store-times.ts";

export default definePlugin({
	name: "metrics",
	summary: "Counts calls, their time, model tokens and cost, for Prometheus.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { hostInfo, router, store, sources: metricSources },
	gives: [recorders, routes],
	setup({ name, needs }) {
		// Counts go on over a reload: one that falls back to 0 looks like a restart.
		const counts = () => needs.hostInfo.keep("metrics", () => new CallCounts());
		const attempts = () => needs.hostInfo.keep("metrics.attempts", () => new AttemptCounts());
		const storeTimes = () => needs.hostInfo.keep("metrics.store", () => new StoreTimes());
		const count = (call: CallRecord): void => {
			counts().count(call);
			attempts().count(call);
		};
		const show = async (): Promise<Response> => {
			const upstreams = needs.router.health?.() ?? [];
			const others = (await Promise.all(needs.sources().map((read) => read()))).flat();
			const state = [
				circuitMetric(upstreams),
				keyMetric(upstreams),
				...loadMetrics(needs.hostInfo.load()),
				...processMetrics(),
			];
			return new Response(
				expose([...counts().metrics(), ...attempts().metrics(), ...storeTimes().metrics(), ...others, ...state]),
				{
					headers: { "content-type": contentType, "cache-control": "no-store" },
				},
			);
		};
		return {
			offers: [
				add(recorders, { name, record: count }),
				add(routes, {
					method: "GET",
					path: "/metrics",
					access: "admin",
					summary: "Counts of calls, time, model tokens and cost, in Prometheus' text format.",
					handle: show,
				}),
			],
			start() {
				needs.store.timed?.(storeTimes().observe);
			},
		};
	},
});
