/** The alert that ships for a key that rests, over the figures of a key that is refused whenever it is tried again. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";
import { MovingClock } from "../support/moving-clock.ts";

const [, minutes, threshold] =
	/expr: min by \(upstream, key\) \(avg_over_time\(portico_upstream_key_up\[(\d+)m\]\)\) < ([\d.]+)$/m.exec(
		readFileSync("config/prometheus/alerts.yml", "utf8"),
	) ?? [];

const clock = new MovingClock(Date.UTC(2026, 10, 27));
let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
	upstream = startUpstream((request) =>
		request.headers.get("authorization") === "Bearer sk-refused"
			? Response.json({ error: { message: "Incorrect API key", code: "invalid_api_key" } }, { status: 401 })
			: Response.json(chatAnswer()),
	);
	const url = `${upstream.url}/v1`;
	gateway = await startGateway({
		clock,
		plugins: [
			"tokens",
			"chat-completions",
			{
				use: "router",
				with: {
					upstreams: [{ name: "main", protocol: "chat-completions", url, keys: ["sk-refused", "sk-good"] }],
					models: [{ name: "m", targets: [{ upstream: "main", model: "up" }] }],
				},
			},
			"metrics",
		],
	});
});
afterAll(async () => {
	await gateway.stop();
	await upstream.stop();
});

const up = async (): Promise<readonly number[]> => {
	const shown = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
	const found = [...(await shown.text()).matchAll(/^portico_upstream_key_up\{.*\} (\d)$/gm)];
	return found.map(([, value]) => Number(value));
};

test("it holds for as long as the key is refused, though between two rests the key is used for a moment", async () => {
	const messages = [{ role: "user", content: "hello" }];
	const seen: (readonly number[])[] = [];
	// Twenty minutes of a call every ten seconds, and a look every fifteen.
	for (let second = 0; second < 1200; second += 5) {
		if (second % 10 === 0)
			expect((await gateway.ask("/v1/chat/completions", { model: "m", messages })).status).toBe(200);
		if (second % 15 === 0) seen.push(await up());
		await clock.move(5_000);
	}
	const looks = Number(minutes) * 4;
	const averages = (key: number): readonly number[] =>
		seen
			.slice(looks)
			.map((_, at) => seen.slice(at, at + looks).reduce((sum, look) => sum + (look[key] ?? 0), 0) / looks);
	expect(seen.slice(looks).map(([first]) => first)).toContain(1);
	expect(averages(0).filter((average) => !(average < Number(threshold)))).toEqual([]);
	expect(averages(1).filter((average) => average < Number(threshold))).toEqual([]);
});
