/** What the upstream of a counted call answers: short, and the same each time. */
export const answer = {
	id: "chatcmpl-1",
	object: "chat.completion",
	created: 1,
	model: "up",
	choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, logprobs: null, finish_reason: "stop" }],
	usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
};

const chunk = (delta: object, finish: string | null, more: object = {}): string =>
	`data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "up", choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;

/** The same as a stream, in the few events of a short answer. */
export const streamed = [
	chunk({ role: "assistant", content: "Hello" }, null),
	chunk({ content: "." }, null),
	chunk({}, "stop", { usage: answer.usage }),
	"data: [DONE]\n\n",
].join("");
