/** One whole gateway for all faults: an upstream made of bare sockets, four ways to ask, and what must hold after each. */
import { createServer, type Server, type Socket } from "node:net";
import { asRecord } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { journeyPlugins, startJourney } from "./journey.ts";
import { watchResources } from "./resources.ts";
import { until } from "./until.ts";

/** What an upstream does with a request; `stream` tells whether one was asked for. */
export type Act = (socket: Socket, request: { readonly stream: boolean; readonly nth: number }) => void;

/** A way to ask: the client's protocol, and whether it wants a stream. The upstream always speaks chat-completions. */
export const ways = ["chat stream", "chat whole", "messages stream", "gemini stream"] as const;
export type Way = (typeof ways)[number];

export interface World {
	readonly gateway: TestGateway;
	/** What the upstream does from now on. */
	act(act: Act): void;
	/** Connections that are open to the upstream. */
	sockets(): number;
	/** Asks in one way with a fresh token's key and says what came of it. */
	ask(way: Way, key: string, model?: string): Promise<string>;
	/** To be called before a fault is made: begins what must live across it. */
	begin(): Promise<void>;
	/** What does not hold now; empty when all is well. */
	broken(token: { readonly id: string; readonly key: string }): Promise<readonly string[]>;
	stop(): Promise<void>;
}

export const upstreamKey = "upstream-secret-8812";
export const quota = 0.05;

const bodies: Record<Way, (model: string) => { path: string; body: object }> = {
	"chat stream": (model) => ({
		path: "/v1/chat/completions",
		body: {
			model,
			stream: true,
			stream_options: { include_usage: true },
			messages: [{ role: "user", content: "Hello" }],
		},
	}),
	"chat whole": (model) => ({
		path: "/v1/chat/completions",
		body: { model, messages: [{ role: "user", content: "Hello" }] },
	}),
	"messages stream": (model) => ({
		path: "/v1/messages",
		body: { model, stream: true, max_tokens: 100, messages: [{ role: "user", content: "Hello" }] },
	}),
	"gemini stream": (model) => ({
		path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
		body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
	}),
};

/** How each protocol ends a stream well, and how it tells an error in one. */
const marks: Record<Way, { end: RegExp; error: RegExp }> = {
	"chat stream": { end: /data: \[DONE\]/, error: /^data: \{"error"/m },
	"chat whole": { end: /"finish_reason"/, error: /"error"/ },
	"messages stream": { end: /^event: message_stop/m, error: /^event: error/m },
	"gemini stream": { end: /"finishReason":"(STOP|MAX_TOKENS)"/, error: /^data: \{"error"/m },
};

/** Whether an error has its protocol's shape. */
const wellShaped = (way: Way, text: string): boolean => {
	try {
		const body = asRecord(JSON.parse(text));
		const error = asRecord(body["error"]);
		if (typeof error["message"] !== "string") return false;
		if (way === "messages stream") return body["type"] === "error" && typeof error["type"] === "string";
		return way === "gemini stream" ? typeof error["status"] === "string" : typeof error["type"] === "string";
	} catch {
		return false;
	}
};

/** `answered`, `error event`, `truncated` (which must never be), or a status with what is wrong with it. */
const judge = (way: Way, status: number, text: string): string => {
	if (text.includes(upstreamKey)) return "LEAKED THE KEY";
	if (text.includes("127.0.0.1")) return "LEAKED THE ADDRESS";
	if (status >= 400) return wellShaped(way, text) ? String(status) : `${status} MISSHAPED`;
	const { end, error } = marks[way];
	if (error.test(text)) return end.test(text) ? "BOTH ENDS" : "error event";
	return end.test(text) ? "answered" : "TRUNCATED";
};

const listen = (server: Server): Promise<number> =>
	new Promise((resolve) =>
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			resolve(typeof address === "object" && address !== null ? address.port : 0);
		}),
	);

/** Reads requests off a socket: one is whole when its declared length is there. */
const serveRequests = (socket: Socket, each: (request: string) => void): void => {
	let text = "";
	socket.on("data", (data) => {
		text += data.toString("latin1");
		for (;;) {
			const head = text.indexOf("\r\n\r\n");
			const length = Number(/content-length: *(\d+)/i.exec(text)?.[1] ?? 0);
			if (head === -1 || text.length < head + 4 + length) return;
			const request = text.slice(0, head + 4 + length);
			text = text.slice(head + 4 + length);
			each(request);
		}
	});
	socket.on("error", () => undefined);
};

export const startWorld = async (): Promise<World> => {
	let current: Act = goodAct;
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		socket.on("close", () => sockets.delete(socket));
		let nth = 0;
		serveRequests(socket, (request) => {
			current(socket, { stream: /"stream":true/.test(request), nth: ++nth });
		});
	});
	const port = await listen(server);
	const upstream = { protocol: "chat-completions", key: upstreamKey, firstByteSeconds: 2 };
	const gateway = await startGateway({
		plugins: [
			"tokens",
			{
				use: "prices",
				with: {
					models: Object.fromEntries(["m", "closed", "nowhere", "tls"].map((name) => [name, { input: 1, output: 10 }])),
				},
			},
			"quota",
			"chat-completions",
			"messages",
			"generate-content",
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", url: `http://127.0.0.1:${port}/v1`, ...upstream },
						{ name: "closed", url: "http://127.0.0.1:1/v1", ...upstream },
						{ name: "nowhere", url: "http://no-such-host.invalid/v1", ...upstream },
						{ name: "tls", url: `https://127.0.0.1:${port}/v1`, ...upstream },
					],
					models: [
						{ name: "m", targets: [{ upstream: "main" }], caps: { maxOutput: 500 } },
						...["closed", "nowhere", "tls"].map((name) => ({
							name,
							targets: [{ upstream: name }],
							caps: { maxOutput: 500 },
						})),
					],
				},
			},
			"ledger",
			"call-log",
			...journeyPlugins,
		],
		config: { server: { idleSeconds: 1, bodySeconds: 1, keepAliveSeconds: 60, answerLimitBytes: 1_000_000 } },
	});

	const journey = await startJourney(() => gateway);
	let resources: () => Promise<readonly string[]> = async () => [];

	/** Whether the next call is answered, and soon. */
	const unwell = async (): Promise<readonly string[]> => {
		const began = performance.now();
		current = goodAct;
		const fresh = await gateway.token({ quota });
		const healthy = await world.ask("chat whole", fresh.key);
		return [
			...(healthy === "answered" ? [] : [`INV8: the next call was not answered: ${healthy}`]),
			...(performance.now() - began > 1000 ? ["INV8: the next call took more than a second"] : []),
		];
	};

	const world: World = {
		gateway,
		act(act) {
			current = act;
			for (const socket of sockets) socket.destroy();
		},
		sockets: () => sockets.size,
		begin: () => journey.begin(),
		async ask(way, key, model = "m") {
			const { path, body } = bodies[way](model);
			try {
				const headers = { authorization: `Bearer ${key}` };
				const response = await gateway.ask(path, body, { headers, keepalive: false });
				return judge(way, response.status, await response.text());
			} catch {
				return "broken socket";
			}
		},
		async broken({ id, key }) {
			const wrong: string[] = [];
			if (!(await until(() => gateway.portico.openCalls() === 0))) wrong.push("INV3: a call is still open");
			const usage = (await gateway.admin("GET", `/admin/usage?by=token&token=${id}`)) as { data: { cost: number }[] };
			const { used, remaining } = (await gateway.admin("GET", `/admin/tokens/${id}`)) as {
				used: number;
				remaining: number;
			};
			const micro = (dollars: number): number => Math.round(dollars * 1_000_000);
			const ledger = usage.data.reduce((sum, { cost }) => sum + cost, 0);
			if (micro(ledger) !== micro(used)) wrong.push(`INV1: ledger ${ledger}, account ${used}`);
			if (micro(used) + micro(remaining) !== micro(quota))
				wrong.push(`INV3: held: used ${used}, remaining ${remaining}`);
			if (used > quota) wrong.push("INV2: overspent");
			const logged = JSON.stringify(gateway.log);
			for (const secret of [upstreamKey, key, gateway.key, gateway.adminToken])
				if (logged.includes(secret)) wrong.push("INV6: a secret is in the log");
			wrong.push(...(await unwell()), ...(await journey.end()));
			for (const socket of sockets) socket.destroy();
			wrong.push(...(await resources()));
			return wrong;
		},
		async stop() {
			await gateway.stop();
			await journey.close();
			for (const socket of sockets) socket.destroy();
			server.close();
		},
	};
	// Once through everything, so that what is made once is there before it is counted.
	await world.begin();
	await Promise.all(ways.map((way) => world.ask(way, gateway.key)));
	const broken = await world.broken(await gateway.token({ quota }));
	if (broken.length > 0) throw new Error(broken.join("\n"));
	resources = watchResources();
	return world;
};

const completion = JSON.stringify({
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "m",
	choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
	usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
});

const event = (body: object): string =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", ...body })}\n\n`;
export const delta = (content: string): string =>
	event({ choices: [{ index: 0, delta: { role: "assistant", content }, finish_reason: null }] });
export const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
export const usageEvent = (prompt: number, completed: number): string =>
	event({
		choices: [],
		usage: { prompt_tokens: prompt, completion_tokens: completed, total_tokens: prompt + completed },
	});
export const done = "data: [DONE]\n\n";

/** A whole good answer in the form that was asked for. */
export const good = (stream: boolean): { readonly type: string; readonly text: string } =>
	stream
		? { type: "text/event-stream", text: delta("Hel") + delta("lo") + finish + usageEvent(5, 2) + done }
		: { type: "application/json", text: completion };

export const head = (status: string, headers: Record<string, string | number> = {}): string =>
	`HTTP/1.1 ${status}\r\n${Object.entries(headers)
		.map(([name, value]) => `${name}: ${value}\r\n`)
		.join("")}\r\n`;

/** A whole response with a length. */
export const response = (
	type: string,
	body: string | Uint8Array,
	status = "200 OK",
	headers: Record<string, string | number> = {},
): Buffer =>
	Buffer.concat([
		Buffer.from(head(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body), ...headers })),
		Buffer.from(body as string),
	]);

export const chunked = (
	type: string,
	pieces: readonly (string | Uint8Array)[],
	headers: Record<string, string> = {},
): Buffer =>
	Buffer.concat([
		Buffer.from(head("200 OK", { "Content-Type": type, "Transfer-Encoding": "chunked", ...headers })),
		...pieces.flatMap((piece) => [
			Buffer.from(`${Buffer.byteLength(piece).toString(16)}\r\n`),
			Buffer.from(piece as string),
			Buffer.from("\r\n"),
		]),
	]);
export const lastChunk = "0\r\n\r\n";

const goodAct: Act = (socket, { stream }) => {
	const { type, text } = good(stream);
	socket.write(response(type, text));
};
