/** A gateway whose models lead to an upstream of each protocol, all of them one scripted server. */
import {
	type ReceivedRequest,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestGateway,
} from "#core/testing";
import { answers } from "../soak/answers.ts";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";

/** What the log says where an upstream's answer does: some of those that are changed here are such refusals. */
const keyRefused = "an upstream refused Portico's own key, or its account is empty";

export interface FuzzedGateway {
	readonly gateway: TestGateway;
	readonly upstream: ScriptedUpstream;
	/** What the upstream was sent that no upstream should be; emptied by whoever reads it. */
	takeWrongs(): readonly string[];
	stop(): Promise<void>;
}

/** Where a model is asked for in this client's protocol, and how its body names it. */
export const askIn = (
	client: ProtocolName,
	model: string,
	stream: boolean,
): { readonly path: string; readonly fields: Readonly<Record<string, unknown>> } => {
	const fields = { model, stream };
	if (client === "chat-completions") return { path: "/v1/chat/completions", fields };
	if (client !== "generate-content") return { path: `/v1/${client}`, fields };
	const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
	return { path: `/v1beta/models/${model}:${verb}`, fields: {} };
};

/** The protocol in which the upstream was asked. */
const spokenTo = (path: string): ProtocolName => {
	if (path.endsWith("/messages")) return "messages";
	if (path.endsWith("/responses")) return "responses";
	return path.includes("enerateContent") ? "generate-content" : "chat-completions";
};

/** Answers well, in the protocol and the form that was asked for. */
export const answerWell = ({ path, json }: ReceivedRequest): Response => {
	const { whole, stream } = answers[spokenTo(path)];
	const streamed =
		path.includes("streamGenerateContent") || (json as { stream?: unknown } | undefined)?.stream === true;
	return streamed
		? new Response(stream.first + stream.words.join("") + stream.last, {
				headers: { "content-type": "text/event-stream" },
			})
		: new Response(whole, { headers: { "content-type": "application/json" } });
};

export const startFuzzed = async (): Promise<FuzzedGateway> => {
	const upstream = startUpstream(answerWell);
	const gateway = await startGateway({
		plugins: [
			"tokens",
			...protocolNames,
			{ use: "prices", with: { models: { "*": { input: 1, output: 1 } } } },
			"quota",
			"rate-limit",
			{
				use: "router",
				with: {
					upstreams: protocolNames.map((protocol) => ({
						name: protocol,
						protocol,
						url: `${upstream.url}/${protocol === "generate-content" ? "v1beta" : "v1"}`,
						key: "sk-upstream-secret-4711",
					})),
					models: protocolNames.map((name) => ({ name, targets: [{ upstream: name }] })),
				},
			},
			"ledger",
			"call-log",
		],
		config: { server: { idleSeconds: 2, bodySeconds: 2, logLevel: "warn" } },
	});
	return {
		gateway,
		upstream,
		takeWrongs() {
			const asked = upstream.received.splice(0);
			const faults = asked.filter(({ json }) => json === undefined).map(({ text }) => `the upstream was sent ${text}`);
			// The test gateway's own list, read and emptied so that hours of tries do not fill the memory.
			const lines = (gateway.log as Record<string, unknown>[]).splice(0);
			const errors = lines
				.filter(({ level, msg }) => level === "error" && msg !== keyRefused)
				.map((line) => `in the log: ${JSON.stringify(line)}`);
			const polluted = "polluted" in {} ? ["Object.prototype was changed"] : [];
			return [...faults, ...errors, ...polluted];
		},
		async stop() {
			await gateway.stop();
			await upstream.stop();
		},
	};
};
