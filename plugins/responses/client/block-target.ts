/** What an open block of an answer writes to while it grows. */
import type { Block, Delta } from "#core";
import type { CodeWriter } from "./code-writer.ts";
import type { ImageWriter, SearchWriter } from "./hosted-writers.ts";

/** What an open block writes to. */
export interface Target {
	grow(delta: Delta): void;
	close(final: Block | undefined): void;
}

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
