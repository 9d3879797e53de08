/** The bench's upstream: answers at once, by path: `/v1/chat/completions` whole or as a stream of as many events as `x-events` (default 200) says. */
const whole = JSON.stringify({
	id: "chatcmpl-bench",
	object: "chat.completion",
	created: 1_700_000_000,
	model: "bench",
	choices: [
		{
			index: 0,
			message: { role: "assistant", content: "Hello from the bench.", refusal: null },
			logprobs: null,
			finish_reason: "stop",
		},
	],
	usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
});

const event = (delta: object, finish: string | null = null): string =>
	`data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench", choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`;

const encoder = new TextEncoder();
const word = encoder.encode(event({ content: " word" }));
const first = encoder.encode(event({ role: "assistant", content: "" }));
const usage = `data: ${JSON.stringify({ id: "chatcmpl-bench", object: "chat.completion.chunk", created: 1_700_000_000, model: "bench", choices: [], usage: { prompt_tokens: 12, completion_tokens: 200, total_tokens: 212 } })}\n\n`;
const last = encoder.encode(`${event({}, "stop")}${usage}data: [DONE]\n\n`);

/** How many events a stream has; each is a chunk of its own, as a model's are. */
const events = Number(process.env["BENCH_EVENTS"] ?? 200);

const streamed = (): Response => {
	let sent = 0;
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			if (sent === 0) controller.enqueue(first);
			if (sent === events) {
				controller.enqueue(last);
				return controller.close();
			}
			sent++;
			controller.enqueue(word);
			await new Promise((resolve) => setImmediate(resolve));
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	idleTimeout: 0,
	async fetch(request) {
		const body = await request.text();
		return body.includes('"stream":true')
			? streamed()
			: new Response(whole, { headers: { "content-type": "application/json" } });
	},
});
console.log(`listening ${server.port}`);
