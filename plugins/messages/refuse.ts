/** How a field that cannot be taken is refused. */
import { invalidParameter, named, type Refuse } from "#core";

/** In the words that Anthropic's clients know: "max_tokens: is missing; give …". */
export const refuse: Refuse = (parameter, found, expected) =>
	invalidParameter(parameter, `${parameter}: is ${named(found)}; ${expected}`);
