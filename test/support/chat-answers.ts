/** What an upstream that speaks chat completions answers, whole and as a stream. */

export interface Counts {
	readonly input: number;
	readonly output: number;
}

export const chatUsage = ({ input, output }: Counts) => ({
	prompt_tokens: input,
	completion_tokens: output,
	total_tokens: input + output,
});

/** A whole answer. */
export const chatAnswer = (text = "hi", counts: Counts = { input: 10, output: 99 }) => ({
	id: "c",
	object: "chat.completion",
	created: 1,
	model: "up",
	choices: [{ index: 0, message: { role: "assistant", content: text, refusal: null }, finish_reason: "stop" }],
	usage: chatUsage(counts),
});

/** One event of a stream. */
export const chatChunk = (delta: object, finish: string | null = null, more: object = {}): string =>
	`data: ${JSON.stringify({
		id: "c",
		object: "chat.completion.chunk",
		created: 1,
		model: "up",
		choices: [{ index: 0, delta, finish_reason: finish }],
		...more,
	})}\n\n`;

/** The events of a whole stream; its last chunk tells the tokens where they are given. */
export const chatStream = (deltas: readonly object[], finish = "stop", counts?: Counts): readonly string[] => [
	chatChunk({ role: "assistant", content: "" }),
	...deltas.map((delta) => chatChunk(delta)),
	chatChunk({}, finish, counts && { usage: chatUsage(counts) }),
	"data: [DONE]\n\n",
];
