/** The body of a whole answer. A large one goes out as its client takes it, and counts as held until then. */
import type { HeldBytes } from "../../contract/held-bytes.ts";
import type { OpenStreamBody } from "../../wire/stream-body.ts";

/** Up to here the runtime's own buffers may have it at once. */
const atOnce = 1024 * 1024;
const pieceBytes = 256 * 1024;

/** `held`: what the call, which is over, held while it ran. */
export const bodyOf = (
	answer: string | Uint8Array,
	held: HeldBytes | undefined,
	openStreamBody: OpenStreamBody,
): NonNullable<RequestInit["body"]> =>
	(answer.length <= atOnce ? answer : inPieces(answer, held, openStreamBody)) as NonNullable<RequestInit["body"]>;

const inPieces = (
	answer: string | Uint8Array,
	held: HeldBytes | undefined,
	openStreamBody: OpenStreamBody,
): ReadableStream<Uint8Array> => {
	const bytes = typeof answer === "string" ? new TextEncoder().encode(answer) : answer;
	// It is there already: that there is no room for it now can only be told to those who come next.
	held?.hold(bytes.length);
	let gone = false;
	const over = (): void => {
		gone = true;
		held?.release();
	};
	const send = async (): Promise<void> => {
		for (let at = 0; at < bytes.length && !gone; at += pieceBytes)
			await streamBody.write(bytes.subarray(at, at + pieceBytes));
		if (gone) return;
		over();
		streamBody.close();
	};
	const streamBody = openStreamBody({ begin: () => void send(), left: over });
	return streamBody.body;
};
