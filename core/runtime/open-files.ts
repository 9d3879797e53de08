/** Whether this process has used up what it may have open at once, files and connections together. */
import { closeSync, openSync, readFileSync } from "node:fs";

/** With less than this part of them left the next burst of calls finds none. */
const nearly = 0.95;

/** The system gives the lowest number that is free. Deno's numbers are its own and only grow. */
const lowestFree = (): number => {
	const opened = openSync("/dev/null", "r");
	closeSync(opened);
	return "Deno" in globalThis ? 0 : opened;
};

/** Read anew each time: it can be raised while the process runs. */
const limitNow = (): number =>
	Number(/^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? Number.POSITIVE_INFINITY);

export const hasUsedUpFiles = (): boolean => {
	try {
		return lowestFree() >= nearly * limitNow();
	} catch (error) {
		// Where the system tells no limit, none is known to be near.
		return error instanceof Error && "code" in error && (error.code === "EMFILE" || error.code === "ENFILE");
	}
};
