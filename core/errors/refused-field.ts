/** Refusals of a field of a request by its name. */

const usage =
	/stream_options.{0,40}(?:unsupported|not (?:supported|permitted|allowed)|unrecognized|unknown)|(?:unsupported|unrecognized|unknown|invalid)[^.]{0,60}stream_options/is;

/** Whether a stream's usage cannot be asked for, which clients of other protocols, and many of this one, never did. */
export const refusesStreamOptions = (status: number, text: string): boolean =>
	(status === 400 || status === 422) && usage.test(text);

/** OpenAI's words, which Azure's deployments give under any name: only its models that reason take no `max_tokens`. */
const otherLimit = /'?max_tokens'? is not supported with this model.{0,20}max_completion_tokens/i;

/** Whether the model takes the newer field for the limit alone. */
export const wantsCompletionLimit = (status: number, text: string): boolean => status === 400 && otherLimit.test(text);

const sampling = /unsupported (?:parameter|value): '(?:temperature|top_p|presence_penalty|frequency_penalty)'/i;

/** Whether it takes no sampling but its own. */
export const refusesSampled = (status: number, text: string): boolean => status === 400 && sampling.test(text);
