/** A conversation's body with the words that guards changed, so that it can go as the bytes it is. */
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { NeutralRequest } from "../../neutral/request.ts";
import { changeJsonBody } from "../../wire/json-body.ts";
import { changedWords, editWords } from "./edit-words.ts";
import { withLeftAside } from "./left-aside.ts";

const sameWords = ({ raw: _, ...a }: NeutralRequest, { raw: __, ...b }: NeutralRequest): boolean =>
	JSON.stringify(a) === JSON.stringify(b);

/** Undefined when the changed body would not be read as what the guards wanted: then only a translation can say it. */
export const changedModelAsk = (
	ask: ProtocolAsk,
	{ raw: _, ...before }: NeutralRequest,
	after: NeutralRequest,
): ProtocolAsk | undefined => {
	const { raw: __, ...wanted } = after;
	const words = ask.continues ? undefined : changedWords(before, wanted);
	if (!words) return undefined;
	const changes: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(ask.body.value)) {
		if (name === "model") continue;
		const edited = editWords(value, words);
		if (JSON.stringify(edited) !== JSON.stringify(value)) changes[name] = edited;
	}
	const edited: ProtocolAsk = { ...ask, body: changeJsonBody(ask.body, changes) };
	return sameWords(withLeftAside(edited, ask.protocol.client.decodeRequest(edited)), after) ? edited : undefined;
};
