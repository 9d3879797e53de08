import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPlugin, type Script, startGateway, startUpstream, streamOf } from "#core/testing";

test("telegraph keeps the contract, and its README's example runs", async () => {
	assert.deepEqual(await checkPlugin(import.meta.dirname), []);
});

const words = { in: 3, out: 2 };

/** A vendor that speaks it: whole, or piece by piece. */
const vendor: Script = ({ text }) =>
	text.includes('"tape":true')
		? streamOf(
				[{ text: "Good " }, { text: "day." }, { stop: "end", words }].map((one) => `data: ${JSON.stringify(one)}\n\n`),
			)
		: Response.json({ station: "m", text: "Good day.", stop: "end", words });

/** Asks a gateway whose one upstream speaks it; gives the answer, as text. */
const asking = async (path: string, body: object): Promise<string> => {
	const upstream = startUpstream(vendor);
	const upstreams = [{ name: "vendor", protocol: "telegraph", url: upstream.url, key: "k" }];
	const models = [{ name: "m", targets: [{ upstream: "vendor" }] }];
	const gateway = await startGateway({
		plugins: ["tokens", "chat-completions", import.meta.dirname, { use: "router", with: { upstreams, models } }],
	});
	try {
		return await (await gateway.ask(path, body)).text();
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
};

for (const tape of [false, true])
	test(`a client that speaks it is answered, as a stream: ${tape}`, async () => {
		const answer = await asking("/telegraph", { station: "m", tape, lines: [{ from: "caller", text: "Hello" }] });
		assert.ok(answer.includes(tape ? '{"text":"Good "}' : '"text":"Good day."'), answer);
		assert.ok(answer.includes('"words":{"in":3,"out":2}'), answer);
	});

for (const stream of [false, true])
	test(`a client of another protocol is answered, as a stream: ${stream}`, async () => {
		const answer = await asking("/v1/chat/completions", {
			model: "m",
			stream,
			messages: [{ role: "user", content: "Hello" }],
		});
		assert.ok(answer.includes(stream ? '"content":"Good "' : '"content":"Good day."'), answer);
		assert.ok(answer.includes('"finish_reason":"stop"'), answer);
	});
