/**
 * A request whose signed reasoning is nobody's: each protocol then writes it as it writes what another provider's model
 * left, and tells what is lost.
 */
import type { Block, Opaque } from "./content.ts";
import { inPlaceOf } from "./place.ts";
import type { NeutralRequest } from "./request.ts";

const nobodys = (opaque: Opaque): Opaque => ({ ...opaque, origin: { protocol: "none", family: "none" } });

const blockWithoutSigner = (block: Block): Block => {
	if (block.type === "opaque_thinking") return inPlaceOf({ ...block, data: nobodys(block.data) }, block);
	if (!("signature" in block) || block.signature === undefined) return block;
	return inPlaceOf({ ...block, signature: nobodys(block.signature) }, block);
};

/** The same request; the very same where nothing in it is signed. */
export const withoutSigner = (request: NeutralRequest): NeutralRequest => {
	let changed = false;
	const messages = request.messages.map((message) => {
		const blocks = message.blocks.map(blockWithoutSigner);
		if (blocks.every((block, at) => block === message.blocks[at])) return message;
		changed = true;
		return inPlaceOf({ ...message, blocks }, message);
	});
	return changed ? { ...request, messages } : request;
};
