/** What is read only when somebody asks: the upstreams' circuits and the process. */
import { cpuUsage, memoryUsage } from "node:process";
import type { UpstreamHealth } from "#core";
import type { Metric } from "./exposition.ts";

const states: readonly UpstreamHealth["circuit"][] = ["closed", "half-open", "open"];

export const circuitMetric = (upstreams: readonly UpstreamHealth[]): Metric => ({
	name: "portico_upstream_circuit",
	type: "gauge",
	help: "1 at the state the upstream's circuit is in: closed (well), half-open (tried again), open (left alone).",
	samples: upstreams.flatMap(({ upstream, circuit }) =>
		states.map((state) => ({ labels: { upstream, state }, value: state === circuit ? 1 : 0 })),
	),
});

/** The names are those that Prometheus' own libraries use. */
export const processMetrics = (): readonly Metric[] => {
	const { user, system } = cpuUsage();
	const one = (name: string, type: Metric["type"], help: string, value: number): Metric => ({
		name,
		type,
		help,
		samples: [{ labels: {}, value }],
	});
	return [
		one("process_cpu_seconds_total", "counter", "Processor time used.", (user + system) / 1_000_000),
		one("process_resident_memory_bytes", "gauge", "Memory held.", memoryUsage().rss),
		one(
			"process_start_time_seconds",
			"gauge",
			"When the process began, in seconds since 1970.",
			performance.timeOrigin / 1000,
		),
	];
};
