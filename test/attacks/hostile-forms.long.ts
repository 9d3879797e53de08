/** The same forms at size and many at once, against a process of its own: what they take of memory is given back, round after round. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { adminHeaders, createSlowNode, type SlowNode } from "../slow/node.ts";
import { formShapes } from "./form-shapes.ts";

const megabyte = 1024 * 1024;
const atOnce = 4;
const rounds = 5;
/** What calls may hold together (`server.memoryBytes`), and what the runtime holds of bodies on their way. */
const peakMegabytes = 1000;
/** Above where it stood after the first round, which loads and compiles. */
const keptMegabytes = 100;

let upstream: ScriptedUpstream;
let node: SlowNode;

beforeAll(async () => {
	upstream = startUpstream(() => Response.json({ text: "Hello", usage: { type: "duration", seconds: 1 } }));
	node = createSlowNode([
		...["tokens", "chat-completions", "audio", "metrics", "tasks", "image", "demo"].map((use) => ({ use })),
		{
			use: "router",
			with: {
				upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "up-key" }],
				models: [{ name: "listener", targets: [{ upstream: "main", model: "whisper-1" }] }],
			},
		},
	]);
	await node.start();
});
afterAll(async () => {
	await node.close();
	await upstream.stop();
});

const residentMegabytes = async (): Promise<number> => {
	const text = await (await fetch(`${node.address}/metrics`, { headers: adminHeaders })).text();
	return Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]) / megabyte;
};

/** The least it comes down to within that time, or at once what is low enough. */
const settled = async (enough: number, withinMs: number): Promise<number> => {
	let least = Number.POSITIVE_INFINITY;
	for (const until = Date.now() + withinMs; least > enough && Date.now() < until; await Bun.sleep(200))
		least = Math.min(least, await residentMegabytes());
	return least;
};

test("forms of 20 MB, 10,000 parts and 50 levels leave nothing behind", async () => {
	const { key } = await node.token();
	const shapes = formShapes(20 * megabyte);
	let peak = 0;
	const round = async (path: string): Promise<void> => {
		const asked = shapes.flatMap((shape) =>
			Array.from({ length: atOnce }, async () => {
				const headers = { authorization: `Bearer ${key}`, "content-type": shape.type, ...shape.headers };
				const answer = await fetch(node.address + path, { method: "POST", headers, body: Buffer.from(shape.body) });
				await answer.arrayBuffer();
				// Where all that calls may hold is held, it says so.
				if (answer.status !== 503) expect([shape.name, answer.status]).toEqual([shape.name, shape.status]);
				peak = Math.max(peak, await residentMegabytes());
			}),
		);
		await Promise.all(asked);
	};
	await round("/v1/audio/transcriptions");
	const after = await settled(0, 5000);
	for (let count = 0; count < rounds; count++) await round("/v1/audio/transcriptions");
	expect(await settled(after + keptMegabytes, 60_000)).toBeLessThan(after + keptMegabytes);
	expect(peak).toBeLessThan(peakMegabytes);
}, 300_000);
