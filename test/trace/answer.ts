/** What the upstream of a counted call answers: short, and the same each time. */
export const answer = {
	id: "chatcmpl-1",
	object: "chat.completion",
	created: 1,
	model: "up",
	choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, logprobs: null, finish_reason: "stop" }],
	usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
};
