/** What an open block of an answer writes to while it grows. */
import type { Block, Delta, Opaque } from "#core";
import type { CallWriter } from "./call-writer.ts";
import type { ClientToolWriter } from "./client-tool-writer.ts";
import type { CodeWriter } from "./code-writer.ts";
import type { ImageWriter, SearchWriter } from "./hosted-writers.ts";
import type { MessageWriter } from "./message-writer.ts";
import type { ReasoningWriter } from "./reasoning-writer.ts";

/** What an open block writes to. */
export interface Target {
	grow(delta: Delta): void;
	close(final: Block | undefined): void;
}

/** A call of a client's tool. `closed` is told the signature that came on the way. */
export const callTarget = (
	item: CallWriter | ClientToolWriter,
	closed: (signature: Opaque | undefined) => void,
): Target => {
	let signature: Opaque | undefined;
	return {
		grow: (delta) => {
			if (delta.type === "arguments") item.grow(delta.text);
			else if (delta.type === "signature") signature = delta.value;
		},
		close: () => closed(signature),
	};
};

/** Reasoning, and the signature of it. */
export const thinkingTarget = (item: ReasoningWriter): Target => ({
	grow: (delta) => {
		if (delta.type === "thinking") item.grow(delta.text, delta.part);
		else if (delta.type === "signature") item.seal(delta.value, "thinking");
	},
	close: () => item.end(),
});

/** A refusal in the model's words. */
export const refusalTarget = (part: ReturnType<MessageWriter["refusal"]>): Target => ({
	grow: (delta) => {
		if (delta.type === "refusal") part.grow(delta.text);
	},
	close: () => part.end(),
});

/** A picture, told piece by piece. */
export const imageTarget = (item: ImageWriter): Target => ({
	grow: (delta) => {
		if (delta.type === "media") item.grow(delta.base64);
	},
	close: (final) => {
		if (final?.type === "image") item.know(final);
		item.end();
	},
});

/** A call of an upstream's own tool: what it asks may be known only when it is over. */
export const hostedTarget = (item: SearchWriter | CodeWriter): Target => ({
	grow: () => undefined,
	close: (final) => {
		if (final?.type === "server_call") item.know(final);
	},
});
