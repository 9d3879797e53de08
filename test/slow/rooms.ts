/** Rooms that programs are run in: what a test of one asks, and how it says that this machine has none. */
import { expect, test } from "bun:test";
import { anAnswer, firstAnswer } from "./packed.ts";

export const mostSeconds = 60;
/** Milliseconds, for what is installed first too. */
export const limit = 180_000;

/** A test that says in its name why it is skipped, if it is. */
export const where = (name: string, missing: string | undefined, body: () => Promise<void>): void =>
	test.skipIf(missing !== undefined)(
		missing === undefined ? name : `${name} (not here: ${missing})`,
		async () => {
			await body();
		},
		limit,
	);

export interface Place {
	readonly cwd: string;
	readonly data: string;
	readonly env: NodeJS.ProcessEnv;
}

/** It answers within a minute, with its data in the folder where it was called. */
export const answers = async (command: readonly string[], place: Place): Promise<void> => {
	const began = performance.now();
	expect(await firstAnswer({ command, ...place })).toMatchObject(anAnswer);
	expect((performance.now() - began) / 1000).toBeLessThan(mostSeconds);
};
