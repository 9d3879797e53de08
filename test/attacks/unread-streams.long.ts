/** Clients that ask for streams and do not read, before an upstream faster than Portico: everybody else is still answered. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Order } from "./fast-upstream.ts";
import type { Seen, Watch } from "./health-watch.ts";
import { longestStop } from "./longest-stop.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

const clients = sized(40, 100);
/** On a machine that does other things meanwhile, this much; it was seconds. */
const longestMs = sized(1000, 200);
const megabyte = 1024 * 1024;

let upstream: ChildProcess;
let watcher: ChildProcess;
let world: AttackWorld;

const told = <T>(other: ChildProcess): Promise<T> =>
	new Promise((resolve) => other.once("message", (message) => resolve(message as T)));
const started = (file: string): ChildProcess =>
	fork(fileURLToPath(new URL(file, import.meta.url)), [], { execPath: process.execPath });

beforeAll(async () => {
	watcher = started("health-watch.ts");
	await told(watcher);
	upstream = started("fast-upstream.ts");
	const { port } = await told<{ port: number }>(upstream);
	world = await attackWorld({
		plugins: [
			{
				use: "router",
				with: {
					upstreams: [{ name: "fast", protocol: "chat-completions", url: `http://127.0.0.1:${port}/v1`, key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "fast" }] }],
				},
			},
		],
	});
});
afterAll(async () => {
	upstream.kill();
	watcher.kill();
	await world.stop();
});

test.each([
	["passed through", "/v1/chat/completions"],
	["translated", "/v1/messages"],
])(
	"%s: /healthz is answered soon, the loop never stops for long, and memory is bounded by the streams",
	async (_, path) => {
		const { gateway } = world;
		const before = process.memoryUsage.rss();
		const body = JSON.stringify({
			model: "m",
			stream: true,
			max_tokens: 1000,
			messages: [{ role: "user", content: "Hello" }],
		});
		const { url, key } = gateway;
		const { result, stoppedMs } = await longestStop(async () => {
			upstream.send({ url, key, path, body, clients } satisfies Order);
			watcher.send({ url, watchMs: sized(1500, 8000) } satisfies Watch);
			return await told<Seen>(watcher);
		});
		expect(gateway.portico.openCalls()).toBeGreaterThanOrEqual(clients);
		expect(result.asked).toBeGreaterThan(10);
		expect(stoppedMs).toBeLessThan(longestMs);
		expect(result.slowestMs).toBeLessThan(longestMs + 100);
		// Four megabytes a stream are what the runtime holds of an upstream that is not read, and garbage comes on top.
		expect(process.memoryUsage.rss() - before).toBeLessThan(150 * megabyte + clients * 8 * megabyte);
	},
	30_000,
);
