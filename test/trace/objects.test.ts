/** How many objects a warm call makes: what has to be collected again. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asNumber, asRecord, asText } from "#core";
import { answer, streamed } from "./answer.ts";

/** The most that a passed call may make. Lower it when a call makes less. */
const most = [
	["whole answer", 292],
	["stream", 460],
] as const;
const calls = 400;

test.each(most)("a warm call whose %s passes makes at most %i objects", async (form, limit) => {
	const stream = form === "stream";
	const upstream = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch: () =>
			stream ? new Response(streamed, { headers: { "content-type": "text/event-stream" } }) : Response.json(answer),
	});
	const folder = mkdtempSync(join(tmpdir(), "portico-objects-"));
	let told = Promise.withResolvers<unknown>();
	const child = Bun.spawn(
		[process.execPath, join(import.meta.dir, "objects.ts"), `http://127.0.0.1:${upstream.port}`, folder],
		{
			env: { ...process.env, BUN_JSC_useGC: "0", BUN_JSC_useJIT: "0" },
			stdio: ["ignore", "ignore", "inherit"],
			ipc: (message: unknown) => told.resolve(message),
		},
	);
	const heard = async (): Promise<Readonly<Record<string, unknown>>> => {
		const message = asRecord(await told.promise);
		told = Promise.withResolvers();
		return message;
	};
	const counted = async (): Promise<Readonly<Record<string, unknown>>> => {
		child.send("count");
		return await heard();
	};
	try {
		const gateway = await heard();
		const headers = { authorization: `Bearer ${asText(gateway["key"])}`, "content-type": "application/json" };
		const body = JSON.stringify({
			model: "bench",
			...(stream && { stream, stream_options: { include_usage: true } }),
			messages: [{ role: "user", content: "Say hello." }],
		});
		const ask = async (times: number): Promise<void> => {
			for (let made = 0; made < times; made++) {
				const response = await fetch(`${asText(gateway["url"])}/v1/chat/completions`, {
					method: "POST",
					headers,
					body,
				});
				await response.text();
				expect(response.status).toBe(200);
			}
		};
		await ask(calls);
		const before = await counted();
		await ask(calls);
		const after = await counted();
		const made = Object.entries(after)
			.map(([type, count]) => [type, ((asNumber(count) ?? 0) - (asNumber(before[type]) ?? 0)) / calls] as const)
			.filter(([, each]) => each > 0.2)
			.toSorted(([, one], [, other]) => other - one);
		const all = made.reduce((sum, [, each]) => sum + each, 0);
		console.log(`${all.toFixed(0)} objects: ${made.map(([type, each]) => `${each.toFixed(1)} ${type}`).join(", ")}`);
		expect(all).toBeGreaterThan(100);
		expect(all).toBeLessThanOrEqual(limit);
	} finally {
		child.kill();
		await child.exited;
		rmSync(folder, { recursive: true, force: true });
		await upstream.stop(true);
	}
});
