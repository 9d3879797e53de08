/** The bench's upstream: answers at once, chat completions whole and every protocol as a stream. */
import { streamFor } from "./streams.ts";

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

const encoder = new TextEncoder();

/** How many events a stream has; each is a chunk of its own, as a model's are. */
const events = Number(process.env["BENCH_EVENTS"] ?? 200);

/** Between two events of a slow stream, milliseconds: it lasts some seconds. */
const slowly = 20;

const streamed = (path: string, slow: boolean): Response => {
	const stream = streamFor(path);
	const [first, word, last] = [stream.first, stream.word, stream.last].map((text) => encoder.encode(text));
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
			await new Promise<void>((resolve) => void (slow ? setTimeout(resolve, slowly) : setImmediate(resolve)));
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
		const { pathname } = new URL(request.url);
		return body.includes('"stream":true') || pathname.includes("streamGenerateContent")
			? streamed(pathname, body.includes('"user":"slow"'))
			: new Response(whole, { headers: { "content-type": "application/json" } });
	},
});
console.log(`listening ${server.port}`);
