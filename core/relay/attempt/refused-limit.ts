/** Refusals of a limit on output that is more than the model can give, or than its prompt leaves room for. */

const subject = /max_?(?:completion_?|output_?)?tokens|(?:output|completion|maximum) tokens|in the completion/i;

/**
 * The words of vLLM, OpenAI, Anthropic, DashScope, DeepSeek, Volcengine, Groq, Bedrock and Google; of two numbers their
 * difference. A refusal may repeat what the client wrote: nothing in it is looked through again and again.
 */
const words: readonly RegExp[] = [
	/\(\d+ > (\d+) - (\d+)\)/,
	/maximum context length is (\d+) tokens.{0,80}?(\d+) (?:tokens )?in the messages, \d+ in the completion/,
	/\d > (\d+), which is the maximum allowed number of output tokens/,
	/supports at most (\d+) (?:completion|output) tokens/,
	/range of max_\w+ (?:should be|is) \[\d+, ?(\d+)\]/i,
	/expected a value <= (\d+)/,
	/must be less than or equal to \W{0,3}(\d+)/,
	/exceeds the model limit of (\d+)/,
	/supported range is from (1) \(inclusive\) to (\d+) \(exclusive\)/,
];

/** With less room than this a client is served better by hearing that its prompt is too long: it can shorten that. */
const leastRoom = 1024;

/** The most that may be asked for; undefined for another refusal. */
export const mostOutput = (status: number, text: string): number | undefined => {
	if ((status !== 400 && status !== 422) || !subject.test(text)) return undefined;
	for (const pattern of words) {
		const found = pattern.exec(text);
		if (!found) continue;
		const most = Math.abs(Number(found[1]) - Number(found[2] ?? 0));
		return most >= leastRoom ? most : undefined;
	}
	return undefined;
};
