/** A callback has five seconds and no more, whatever the receiver does in them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
let receiver: ReturnType<typeof Bun.serve>;
beforeAll(async () => {
	world = await attackWorld({ plugins: [{ use: "webhooks", with: { allowPrivateNetworks: true } }] });
	receiver = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		idleTimeout: 20,
		async fetch(request) {
			await pause(Number(new URL(request.url).pathname.slice(1)));
			return new Response();
		},
	});
});
afterAll(async () => {
	await receiver.stop(true);
	await world.stop();
});

/** What came of a callback to a receiver that takes so many milliseconds. */
const outcomeAfter = async (milliseconds: number): Promise<string> => {
	const url = `http://127.0.0.1:${receiver.port}/${milliseconds}`;
	const { delivered, error } = (await (await world.gateway.ask("/v1/webhooks/test", { url })).json()) as {
		delivered: boolean;
		error: string | null;
	};
	return delivered ? "delivered" : String(error);
};

test("an answer after five seconds is none", async () => {
	const times = [0, 4_500, 5_010, 5_050, 5_100, 5_200];
	expect(await Promise.all(times.map(outcomeAfter))).toEqual([
		"delivered",
		"delivered",
		"timeout",
		"timeout",
		"timeout",
		"timeout",
	]);
}, 15_000);
