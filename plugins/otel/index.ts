/** The plugin `otel`: traces of calls, for any collector that speaks OTLP over HTTP. */
import { add, clock, definePlugin, hostInfo, provide, recorders, t, tracer } from "#core";
import { namesOf, semconvs } from "./conventions.ts";
import { type ExportOptions, openExport, type SpanExport } from "./export.ts";
import { SpanQueue } from "./queue.ts";
import { newSpanId, traceOf } from "./trace-context.ts";

/** The libraries are optional dependencies: they may not be there. */
const openLibraries = (options: ExportOptions): Promise<SpanExport> =>
	openExport(options).catch((error: unknown) => {
		throw new Error(
			"otel needs the packages @opentelemetry/api, @opentelemetry/exporter-trace-otlp-http, @opentelemetry/resources and @opentelemetry/sdk-trace-base. Install them beside Portico, or take otel out of the plugins.",
			{ cause: error },
		);
	});

export default definePlugin({
	name: "otel",
	summary: "Sends a trace of every call, with a span for each attempt, to a collector.",
	config: t.Object(
		{
			url: t.Optional(
				t.String({
					pattern: "^https?://",
					description: "The collector's address for traces. Default: OTEL_EXPORTER_OTLP_ENDPOINT, else localhost:4318.",
				}),
			),
			headers: t.Optional(
				t.Record(t.String(), t.String(), { secret: true, description: "Headers for the collector, such as its key." }),
			),
			ratio: t.Number({
				minimum: 0,
				maximum: 1,
				default: 1,
				description: "The share of traces that are kept where the client has not decided; failed calls always are.",
			}),
			serviceName: t.String({ minLength: 1, default: "portico", description: "What the service is called." }),
			attributes: t.Optional(
				t.Record(t.String(), t.String(), {
					description: "More that is said of the service: deployment.environment.name.",
				}),
			),
			semconv: t.Union(
				semconvs.map((version) => t.Literal(version)),
				{ default: "latest", description: "Which version of the conventions names the attributes." },
			),
		},
		{ additionalProperties: false },
	),
	needs: { clock, hostInfo },
	gives: [recorders, tracer],
	setup({ name, config, needs, log }) {
		const names = namesOf[config.semconv];
		const queue = new SpanQueue({ clock: needs.clock, log, names, stopMs: 2_000 });
		return {
			offers: [
				provide(tracer, {
					begin: (headers) => traceOf(headers, () => Math.random() < config.ratio),
					spanId: newSpanId,
				}),
				add(recorders, { name, record: (call) => queue.add(call) }),
			],
			async start() {
				if (!needs.hostInfo.serving) return;
				const out = await openLibraries({
					url: config.url,
					headers: config.headers,
					serviceName: config.serviceName,
					instance: needs.hostInfo.node,
					attributes: config.attributes ?? {},
					timeoutMs: 5_000,
				});
				queue.open(out);
			},
			stop: () => queue.stop(),
		};
	},
});
