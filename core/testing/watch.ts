/** Notices timers, sockets and files that a piece of work leaves open. */
import { readdirSync, readlinkSync } from "node:fs";

/** The functions of the runtime that begin something. */
const starters = ["setTimeout", "setInterval", "setImmediate", "fetch", "WebSocket"] as const;

/** What this process holds open, by number; nothing where the system does not say. */
const openHandles = (): ReadonlyMap<string, string> => {
	const handles = new Map<string, string>();
	for (const number of namesIn("/proc/self/fd")) {
		try {
			const target = readlinkSync(`/proc/self/fd/${number}`);
			if (/^socket:|^\/(?!dev\/|proc\/)/.test(target)) handles.set(number, target);
		} catch {
			// Closed since it was listed.
		}
	}
	return handles;
};

const namesIn = (folder: string): readonly string[] => {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
};

/** What `work` began or left open, in words: `a timer (setInterval)`, `a socket`, `the file /tmp/x`. Rejects as `work` does. */
export const openedBy = async (work: () => Promise<void> | void): Promise<readonly string[]> => {
	const found = new Set<string>();
	const before = openHandles();
	const originals = starters.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
	for (const name of starters) {
		// On Deno some of them are read through a getter.
		const value = noting(globalThis[name], () => found.add(name));
		Object.defineProperty(globalThis, name, { value, configurable: true, enumerable: true, writable: true });
	}
	try {
		await work();
	} finally {
		for (const [name, original] of originals) if (original) Object.defineProperty(globalThis, name, original);
	}
	// A socket that was asked for is there a turn later.
	await new Promise((resolve) => setImmediate(resolve));
	const handles = [...openHandles()].filter(([number, target]) => before.get(number) !== target);
	return [
		...[...found].map((name) => (name.startsWith("set") ? `a timer (${name})` : `a connection (${name})`)),
		...handles.map(([, target]) => (target.startsWith("socket:") ? "a socket" : `the file ${target}`)),
	];
};

/** The function or class, with a word to us whenever it is called. */
const noting = (original: object, note: () => void): object =>
	new Proxy(original, {
		apply(target, self, words) {
			note();
			return Reflect.apply(target as () => unknown, self, words);
		},
		construct(target, words) {
			note();
			return Reflect.construct(target as new () => object, words);
		},
	});
