/** What is read only when somebody asks: the upstreams' circuits and the process. */
import { cpuUsage, memoryUsage } from "node:process";
import type { HostLoad, UpstreamHealth } from "#core";
import { figure, type Metric } from "./service.ts";

const states: readonly UpstreamHealth["circuit"][] = ["closed", "half-open", "open"];

export const circuitMetric = (upstreams: readonly UpstreamHealth[]): Metric => ({
	name: "portico_upstream_circuit",
	type: "gauge",
	together: "highest",
	help: "1 at the state the upstream's circuit is in: closed (well), half-open (tried again), open (left alone); of several workers, at the state of any.",
	samples: upstreams.flatMap(({ upstream, circuit }) =>
		states.map((state) => ({ labels: { upstream, state }, value: state === circuit ? 1 : 0 })),
	),
});

/** Keys by their place in the config, where an upstream has several. */
export const keyMetric = (upstreams: readonly UpstreamHealth[]): Metric => ({
	name: "portico_upstream_key_up",
	type: "gauge",
	together: "lowest",
	help: "1 while a key of the upstream is used, 0 while it rests after it was refused or limited.",
	samples: upstreams.flatMap(({ upstream, keys = [] }) =>
		keys.map((up, index) => ({ labels: { upstream, key: String(index + 1) }, value: up ? 1 : 0 })),
	),
});

export const loadMetrics = ({ version, runtime, reloaded, database, calls, waiting }: HostLoad): readonly Metric[] => [
	{
		name: "portico_build_info",
		type: "gauge",
		together: "highest",
		help: "Always 1; the labels say what runs.",
		samples: [{ labels: { version, runtime }, value: 1 }],
	},
	figure(
		"portico_config_reload_success",
		"gauge",
		"0 when the last reload failed, and what ran before still runs.",
		reloaded ? 1 : 0,
		"lowest",
	),
	figure(
		"portico_database_up",
		"gauge",
		"0 while the database does not work: it does not answer, its disk or that of the data folder is full, or it may not be written.",
		database ? 1 : 0,
		"lowest",
	),
	figure("portico_workers", "gauge", "Processes of this machine whose figures these are.", 1),
	{
		name: "portico_calls_in_flight",
		type: "gauge",
		help: "Calls that are running.",
		samples: [...calls].map(([protocol, value]) => ({ labels: { protocol }, value })),
	},
	figure("portico_calls_waiting", "gauge", "Calls that wait because as many run as may.", waiting),
];

/** The names are those that Prometheus' own libraries use. */
export const processMetrics = (): readonly Metric[] => {
	const { user, system } = cpuUsage();
	return [
		figure("process_cpu_seconds_total", "counter", "Processor time used.", (user + system) / 1_000_000),
		figure("process_resident_memory_bytes", "gauge", "Memory held.", memoryUsage().rss),
		figure(
			"process_start_time_seconds",
			"gauge",
			"When the process began, in seconds since 1970; of several workers the youngest.",
			performance.timeOrigin / 1000,
			"highest",
		),
	];
};
