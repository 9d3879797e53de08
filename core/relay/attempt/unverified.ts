/** Refusals of signed reasoning in the history that the upstream cannot verify: another account, or another model, wrote it. */

/** The words of Anthropic, Google, OpenAI and xAI, which gateways between pass on within errors of their own. */
const unverified =
	/invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking|(?:corrupted|invalid) thought.?signature|thought.?signature is not valid|invalid_encrypted_content|could not (?:decrypt|verify).{0,40}encrypted.content/i;

/** Of a conversation that the client has changed itself: Anthropic's beta lets it say what is to become of that. */
const changedByClient = /bound to a different conversation/i;

/** Whether the refusal says so. */
export const isUnverified = (status: number, text: string): boolean =>
	status === 400 && unverified.test(text) && !changedByClient.test(text);
