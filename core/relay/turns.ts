/** How calls share the turns of the event loop, so that none of them keeps it from the others. */

/**
 * All streams together work through so many bytes in one turn and no more: upstreams that send faster than their bytes
 * are worked through would otherwise leave no time for anything else.
 */
const bytesPerTurn = 64 * 1024;

interface Waiting {
	readonly bytes: number;
	readonly begin: () => void;
}

/** Counted until there is no room; a count that goes on into a later turn costs a wait for the turn's end at most. */
let worked = 0;
const waiting: Waiting[] = [];

const beginTurn = (): void => {
	worked = 0;
	for (let next = waiting[0]; next && worked < bytesPerTurn; next = waiting[0]) {
		waiting.shift();
		worked += next.bytes;
		next.begin();
	}
	if (waiting.length > 0) setImmediate(beginTurn);
};

/** Takes room for the work on so many bytes: undefined when there is some in this turn, else resolves in the turn that has. */
export const roomInTurn = (bytes: number): Promise<void> | undefined => {
	if (waiting.length === 0 && worked < bytesPerTurn) {
		worked += bytes;
		return undefined;
	}
	return new Promise((begin) => {
		if (waiting.length === 0) setImmediate(beginTurn);
		waiting.push({ bytes, begin });
	});
};

let ending: Promise<void> | undefined;

/**
 * The runtime's server ends a connection on which something follows a request that has no answer yet, and that request
 * with it. What came in the same breath is known when this turn of the event loop ends: nothing is sent before.
 */
export const turnEnds = (): Promise<void> => {
	ending ??= new Promise((resolve) => {
		setImmediate(() => {
			ending = undefined;
			resolve();
		});
	});
	return ending;
};
