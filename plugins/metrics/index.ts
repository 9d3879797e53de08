/** Counts calls and shows the counts to Prometheus. */
import { add, type CallRecord, clock, definePlugin, hostInfo, recorders, router, routes, store, t } from "#core";

import { AttemptCounts } from "./attempt-counts.ts";
import { CallCounts } from "./call-counts.ts";
import { contentType, expose } from "./exposition.ts";
import { gather } from "./gather.ts";
import { ModelNames } from "./model-names.ts";
import { type Metric, metricSources } from "./service.ts";
import { circuitMetric, keyMetric, loadMetrics, processMetrics } from "./state.ts";
import { StoreTimes } from "./store-times.ts";
import { decodeMetrics, lasting, together } from "./together.ts";

export default definePlugin({
	name: "metrics",
	summary: "Counts calls, their time, model tokens and cost, for Prometheus.",
	config: t.Object({}, { additionalProperties: false }),
	needs: { clock, hostInfo, router, store, sources: metricSources },
	gives: [recorders, routes],
	setup({ name, needs, log }) {
		// Counts go on over a reload: one that falls back to 0 looks like a restart.
		const names = needs.hostInfo.keep("metrics.names", () => new ModelNames());
		const counts = needs.hostInfo.keep("metrics", () => new CallCounts(names));
		const attempts = needs.hostInfo.keep("metrics.attempts", () => new AttemptCounts(names));
		const storeTimes = needs.hostInfo.keep("metrics.store", () => new StoreTimes());
		const count = (call: CallRecord): void => {
			counts.count(call);
			attempts.count(call);
		};
		/** What this process counted and is like. */
		const own = async (): Promise<readonly Metric[]> => {
			const upstreams = needs.router.health?.() ?? [];
			const others = await gather(needs.sources(), needs.clock, log);
			const state = [
				circuitMetric(upstreams),
				keyMetric(upstreams),
				...loadMetrics(needs.hostInfo.load()),
				...processMetrics(),
			];
			return [...counts.metrics(), ...attempts.metrics(), ...storeTimes.metrics(), ...others, ...state];
		};
		const question = `${name}: counts`;
		/** The figures of all workers of this machine, whichever was asked. */
		const all = async (): Promise<readonly Metric[]> => {
			const answers = (await needs.hostInfo.workers?.ask(question)) ?? [];
			const told = answers.map(({ running, answer }) => {
				const metrics = decodeMetrics(answer);
				return running ? metrics : lasting(metrics);
			});
			return told.length === 0 ? await own() : together(told);
		};
		const show = async (): Promise<Response> => {
			const headers = { "content-type": contentType, "cache-control": "no-store" };
			return new Response(expose(await all()), { headers });
		};
		let endAnswers: (() => void) | undefined;
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
				names.follow(needs.router);
				needs.store.timed?.(storeTimes.observe);
				// What the process had counted that this one took the place of goes on here: a restart is no fall to 0.
				endAnswers = needs.hostInfo.workers?.answer(question, async (before) =>
					together([await own(), lasting(decodeMetrics(before))]),
				);
			},
			stop() {
				endAnswers?.();
			},
		};
	},
});
