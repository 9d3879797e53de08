/** Each kind of attack of this folder that needs no world of its own, as one round of it. */
import { connect, type Socket } from "node:net";
import { requestOf } from "../support/upstream-answers.ts";
import { postHead, rawClient } from "./raw-client.ts";
import { type AttackProtocol, attackProtocols } from "./world.ts";

export interface Siege {
	readonly url: string;
	readonly adminToken: string;
	/** Keys of tokens: of one without a quota, of one with little of it, of one that has none left, of one held to a call a minute. */
	readonly keys: Readonly<Record<"free" | "small" | "spent" | "slow", string>>;
	/** Bytes of a large body, and of one turn of a long conversation. */
	readonly largeBytes: number;
	readonly turnBytes: number;
	/** How many clients there are of those that hold on to something. */
	readonly many: number;
	/** How long what is held is held. */
	readonly holdMs: number;
}

type Attack = (siege: Siege) => Promise<unknown>;

export const pause = (milliseconds: number): Promise<void> =>
	new Promise((resolve) => setTimeout(resolve, milliseconds));

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
	Promise.all(Array.from({ length: count }, (_, index) => make(index)));

const post = (siege: Siege, path: string, body: unknown, key = siege.keys.free, signal?: AbortSignal) =>
	fetch(siege.url + path, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		body: typeof body === "string" ? body : JSON.stringify(body),
		...(signal && { signal }),
	});

/** Asks and reads all of the answer; gives its status. */
const ask = async (siege: Siege, path: string, body: unknown, key?: string): Promise<number> => {
	const response = await post(siege, path, body, key);
	await response.arrayBuffer();
	return response.status;
};

const asked = (protocol: AttackProtocol, manner: string, stream: boolean, prompt = "Hello") =>
	requestOf(protocol, { model: `${protocol}-${manner}`, prompt, stream, limit: 1000 });

const chat = "/v1/chat/completions";

/** Sends all of a body but its last byte. */
const withhold = async (siege: Siege, key: string): Promise<Socket> => {
	const { socket, send } = await rawClient(siege.url);
	socket.on("error", () => undefined);
	await send(postHead(chat, key, siege.largeBytes));
	socket.write(`{"model":"chat-completions-a","x":"${"x".repeat(siege.largeBytes - 40)}`);
	return socket;
};

/** Opens a connection on which nothing is ever read. */
const deaf = ({ url, keys }: Siege, path: string, body: string): Socket => {
	const { hostname, port } = new URL(url);
	const socket = connect(Number(port), hostname, () =>
		socket.write(postHead(path, keys.free, Buffer.byteLength(body)) + body),
	);
	socket.on("error", () => undefined);
	socket.pause();
	return socket;
};

/** A stream that is left as soon as it said something, or after so long. */
const leave = async (siege: Siege, path: string, body: object, afterMs: number): Promise<void> => {
	const abort = new AbortController();
	const timer = setTimeout(() => abort.abort(), afterMs);
	try {
		const response = await post(siege, path, body, siege.keys.free, abort.signal);
		for await (const _ of response.body ?? []) if (afterMs < 1000) break;
	} catch {
		// It left, as it meant to, or was cut off.
	} finally {
		clearTimeout(timer);
		abort.abort();
	}
};

const raw = async (siege: Siege, text: string): Promise<void> => {
	const client = await rawClient(siege.url);
	await client.send(text);
	await Promise.race([client.closed, pause(500)]);
	client.end();
};

export const attacks: Readonly<Record<string, Attack>> = {
	"streams left early": (siege) =>
		times(4, async (index) => {
			const protocol = attackProtocols[index % attackProtocols.length] ?? "messages";
			const { path, body } = asked(protocol, "held", true);
			await leave(siege, path, body, 300);
		}),
	async "usage that is hidden"(siege) {
		const { path, body } = asked("chat-completions", "streamed", true);
		await ask(siege, path, { ...body, stream_options: { include_usage: false } });
		const gemini = asked("generate-content", "streamed", true);
		await ask(siege, `${gemini.path}&fields=candidates`, gemini.body);
	},
	"bursts on a small quota": (siege) =>
		times(15, () => ask(siege, chat, asked("chat-completions", "a", false).body, siege.keys.small)),
	async "bodies without an end"(siege) {
		const sockets = await times(4, () => withhold(siege, siege.keys.free));
		await pause(siege.holdMs);
		for (const socket of sockets) socket.destroy();
	},
	"bodies of who may not call": (siege) =>
		times(2, async (index) => {
			const socket = await withhold(siege, index === 0 ? siege.keys.spent : siege.keys.slow);
			await pause(300);
			socket.destroy();
		}),
	async "conversations that grow"(siege) {
		let previous: string | undefined;
		for (let turn = 0; turn < 8; turn++) {
			const input = "x".repeat(siege.turnBytes);
			const body = { model: "responses-a", input, ...(previous && { previous_response_id: previous }) };
			const response = await post(siege, "/v1/responses", body);
			const answer = (await response.json()) as { readonly id?: string };
			if (answer.id === undefined) break;
			previous = answer.id;
		}
		await times(4, () =>
			ask(siege, "/v1/responses", { model: "responses-a", input: "and?", previous_response_id: previous }),
		);
	},
	async "streams that nobody reads"(siege) {
		const sockets = Array.from({ length: siege.many }, (_, index) => {
			const { path, body } = asked(index % 2 === 0 ? "chat-completions" : "messages", "fast", true);
			return deaf(siege, path, JSON.stringify({ ...body, model: "chat-completions-fast" }));
		});
		await pause(siege.holdMs);
		for (const socket of sockets) socket.destroy();
	},
	async "events without an end"(siege) {
		const { path, body } = asked("chat-completions", "endless", true);
		await leave(siege, path, body, siege.holdMs);
	},
	async "requests in the same breath"(siege) {
		const body = JSON.stringify(asked("chat-completions", "a", false).body);
		await raw(siege, (postHead(chat, siege.keys.free, body.length) + body).repeat(3));
	},
	async "tasks that are cancelled"(siege) {
		const submitted = await post(siege, "/v1/tasks", { kind: "image", model: "demo-image", prompt: "x" });
		const { id } = (await submitted.json()) as { readonly id?: string };
		if (id !== undefined) await ask(siege, `/v1/tasks/${id}/cancel`, {});
	},
	"tasks of long words": (siege) =>
		times(3, () => ask(siege, "/v1/tasks", { kind: "image", model: "demo-image", prompt: "x".repeat(200_000) })),
	"callbacks to private addresses": (siege) =>
		ask(siege, "/v1/tasks", { kind: "image", model: "demo-image", prompt: "x", notifyHook: "http://169.254.169.254/" }),
	"callbacks to try out": (siege) =>
		times(5, () => ask(siege, "/v1/webhooks/test", { url: "http://127.0.0.1:9/", notifyHook: "http://127.0.0.1:9/" })),
	"ids of others": (siege) =>
		times(4, (index) =>
			ask(siege, "/v1/responses", {
				model: "responses-a",
				input: [{ type: "item_reference", id: `msg_of_somebody_${index}` }],
			}),
		),
	async "crooked ways to the admin"(siege) {
		for (const path of ["/v1/../admin/tokens", "/v1/%2e%2e/admin/tokens", "//admin/tokens"])
			await raw(
				siege,
				`GET ${path} HTTP/1.1\r\nHost: evil.example\r\nAuthorization: Bearer ${siege.adminToken}\r\n\r\n`,
			);
	},
	"fields that steer, and dear tiers": (siege) => {
		const { body } = asked("chat-completions", "a", false);
		const more = { models: ["dear"], route: "fallback", service_tier: "priority", extra_body: { model: "dear" } };
		return times(3, () => ask(siege, chat, { ...body, ...more }, siege.keys.small));
	},
	"counts of tokens": (siege) =>
		times(6, () =>
			ask(siege, "/v1/messages/count_tokens", {
				model: "messages-a",
				messages: [{ role: "user", content: "x".repeat(20_000) }],
			}),
		),
	"text that calls itself a picture": (siege) => {
		const url = `data:image/png;base64,${Buffer.from("a lie ".repeat(30_000)).toString("base64")}`;
		const { body } = asked("chat-completions", "a", false);
		const content = [{ type: "image_url", image_url: { url } }];
		return ask(siege, chat, { ...body, messages: [{ role: "user", content }] }, siege.keys.small);
	},
	"keys that nobody has": (siege) =>
		times(10, (index) => ask(siege, chat, asked("chat-completions", "a", false).body, `sk-${"x".repeat(40)}${index}`)),
	"JSON as deep as it is long": (siege) => ask(siege, chat, `{"model":"chat-completions-a","x":${"[".repeat(200_000)}`),
};
