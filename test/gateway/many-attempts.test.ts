/** A call that took very many attempts: its record lists the first and the last, and all are counted. */
import { expect, test } from "bun:test";
import { startGateway, startUpstream } from "#core/testing";
import { chatAnswer } from "../support/chat-answers.ts";

test("twelve attempts are twelve wherever they are counted", async () => {
	const upstream = startUpstream();
	upstream.answer(({ json }) =>
		(json as { model: string }).model === "m11"
			? Response.json(chatAnswer("hi", { input: 1, output: 1 }))
			: Response.json({ error: { message: "busy" } }, { status: 503 }),
	);
	const places = Array.from({ length: 12 }, (_, place) => place);
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"call-log",
			"metrics",
			"ledger",
			{
				use: "router",
				with: {
					upstreams: places.map((place) => ({
						name: `u${place}`,
						protocol: "chat-completions",
						url: upstream.url,
						key: "sk-operator",
					})),
					models: [{ name: "m", targets: places.map((place) => ({ upstream: `u${place}`, model: `m${place}` })) }],
				},
			},
		],
	});
	try {
		const { key } = await gateway.token({ explain: true });
		const body = { model: "m", messages: [{ role: "user", content: "hello" }] };
		const headers = { authorization: `Bearer ${key}` };
		const answer = await gateway.ask("/v1/chat/completions", body, { headers });
		expect([answer.status, answer.headers.get("x-portico-attempts")]).toEqual([200, "12"]);
		await answer.text();
		expect(upstream.received).toHaveLength(12);
		expect(gateway.log.find(({ call_id }) => call_id !== undefined)).toMatchObject({ attempts: 12 });
		const asked = await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${gateway.adminToken}` } });
		const lines = (await asked.text()).split("\n");
		expect(lines.filter((line) => line.startsWith("portico_attempts_total{")).sort()).toEqual(
			[0, 1, 10, 11, 2, 3, 4, 5, 6, 7, 8, 9].map(
				(place) =>
					`portico_attempts_total{upstream="u${place}",model="m${place}",outcome="${place === 11 ? "ok" : "5xx"}"} 1`,
			),
		);
		expect(lines.find((line) => line.startsWith("portico_repeated_attempts_total{"))).toEndWith(" 11");
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});
