/**
 * A conversation for a model that is instructed at its beginning alone: what stands there is one message, and what is said to
 * it later stays in its place, marked, as a user's words. Moved to the front it would change its meaning, and what is cached.
 */
import type { Block, Message } from "./content.ts";
import { inPlaceOf } from "./place.ts";

/** Whether the message is the operator's of the client, and not part of what was said. */
export const instructs = ({ role }: Message): boolean => role === "system" || role === "developer";

const reminder = (block: Block): Block =>
	block.type === "text"
		? inPlaceOf({ ...block, text: `<system-reminder>\n${block.text}\n</system-reminder>` }, block)
		: block;

/** Whether anything but the first message instructs the model. */
export const instructsLater = (messages: readonly Message[]): boolean => messages.slice(1).some(instructs);

/** The same messages where only the first instructs. */
export const systemFirst = (messages: readonly Message[]): readonly Message[] => {
	if (!instructsLater(messages)) return messages;
	const begins = messages.findIndex((message) => !instructs(message));
	const leading = begins === -1 ? messages : messages.slice(0, begins);
	const [first] = leading;
	const blocks = leading.flatMap((message) => message.blocks);
	const system = first ? [inPlaceOf<Message>({ ...first, role: "system", blocks }, first)] : [];
	const rest = messages.slice(leading.length).map((message) => {
		if (!instructs(message)) return message;
		return inPlaceOf<Message>({ ...message, role: "user", blocks: message.blocks.map(reminder) }, message);
	});
	return [...system, ...rest];
};
