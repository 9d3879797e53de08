/** A gateway with one upstream for each protocol, reached by a route that tells what is lost and by one that refuses to lose it. */
import { asRecord, type WireRecord } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";

const models: Readonly<Record<ProtocolName, string>> = {
	"chat-completions": "mistral-large-latest",
	responses: "gpt-5.1",
	messages: "claude-sonnet-4-5",
	"generate-content": "gemini-2.5-pro",
};

/** What an upstream answers unless it is told another: "ok". */
export const answers: Readonly<Record<ProtocolName, unknown>> = {
	"chat-completions": {
		id: "c",
		object: "chat.completion",
		created: 1,
		model: "m",
		choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
	},
	responses: {
		id: "r",
		object: "response",
		created_at: 1,
		status: "completed",
		model: "m",
		output: [{ type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "ok" }] }],
	},
	messages: {
		id: "msg",
		type: "message",
		role: "assistant",
		model: "m",
		content: [{ type: "text", text: "ok" }],
		stop_reason: "end_turn",
		usage: { input_tokens: 1, output_tokens: 1 },
	},
	"generate-content": {
		candidates: [{ index: 0, content: { role: "model", parts: [{ text: "ok" }] }, finishReason: "STOP" }],
	},
};

const question = "Hi";
const bodies: Readonly<Record<ProtocolName, WireRecord>> = {
	"chat-completions": { messages: [{ role: "user", content: question }] },
	responses: { input: [{ role: "user", content: question }] },
	messages: { max_tokens: 99, messages: [{ role: "user", content: question }] },
	"generate-content": { contents: [{ role: "user", parts: [{ text: question }] }] },
};

const pathFor = (client: ProtocolName, model: string): string =>
	({
		"chat-completions": "/v1/chat/completions",
		responses: "/v1/responses",
		messages: "/v1/messages",
		"generate-content": `/v1beta/models/${model}:generateContent`,
	})[client];

export interface LossWorld {
	readonly gateway: TestGateway;
	readonly upstream: ScriptedUpstream;
	/** Asks by the client's protocol for the model of the upstream; `strict`: where nothing may be lost. */
	send(client: ProtocolName, to: ProtocolName, body: WireRecord, options?: SendOptions): Promise<Response>;
	stop(): Promise<void>;
}

export interface SendOptions {
	readonly strict?: boolean;
	/** The model at the upstream, where it is another than the usual one. */
	readonly model?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** What the upstream answers, where it is more than a word. */
	readonly answer?: unknown;
}

/** Starts it; `more` are models at upstreams beside the usual ones. */
export const startLossWorld = async (more: readonly (readonly [ProtocolName, string])[] = []): Promise<LossWorld> => {
	const upstream = startUpstream();
	const upstreams = protocolNames.map((protocol) => ({ name: protocol, protocol, url: upstream.url, key: "k" }));
	const all = [...protocolNames.map((protocol) => [protocol, models[protocol]] as const), ...more];
	const routes = all.flatMap(([protocol, model]) => {
		const targets = [{ upstream: protocol, model }];
		return [
			{ name: `to-${model}`, targets },
			{ name: `strict-${model}`, targets, translation: "strict" },
		];
	});
	const spoken = protocolNames.map((use) => (use === "messages" ? { use, with: { betas: ["compact-*"] } } : use));
	const gateway = await startGateway({
		plugins: ["tokens", ...spoken, { use: "router", with: { upstreams, models: routes } }],
	});
	return {
		gateway,
		upstream,
		send(client, to, body, { strict = false, model = models[to], headers = {}, answer = answers[to] } = {}) {
			upstream.answer(() => Response.json(answer));
			const name = `${strict ? "strict" : "to"}-${model}`;
			const whole = { ...bodies[client], ...body };
			const sent = client === "generate-content" ? whole : { ...whole, model: name };
			return gateway.ask(pathFor(client, name), sent, { headers });
		},
		async stop() {
			await gateway.stop();
			await upstream.stop();
		},
	};
};

/** What a client was told, and what the upstream had got by then. */
export interface Asked {
	readonly status: number;
	/** `x-portico-dropped`. */
	readonly dropped: string | null;
	readonly text: string;
	readonly sent: readonly WireRecord[];
}

/** Asks where as many requests as there are refusals are refused so, one after the other, and the next is answered. */
export const askRefused = async (
	{ upstream, send }: LossWorld,
	[client, to]: readonly [ProtocolName, ProtocolName],
	body: WireRecord,
	refusals: readonly unknown[],
	{ refusedWith = 400, ...options }: SendOptions & { readonly refusedWith?: number } = {},
): Promise<Asked> => {
	const before = upstream.received.length;
	const asked = send(client, to, body, options);
	const rest = [...refusals];
	upstream.answer(() =>
		rest.length > 0 ? Response.json(rest.shift(), { status: refusedWith }) : Response.json(answers[to]),
	);
	const response = await asked;
	return {
		status: response.status,
		dropped: response.headers.get("x-portico-dropped"),
		text: await response.text(),
		sent: upstream.received.slice(before).map(({ json }) => asRecord(json)),
	};
};
