/** A process of its own that does nothing but ask `/healthz`: whatever it waits for is the gateway. */

export interface Watch {
	readonly url: string;
	readonly watchMs: number;
}

export interface Seen {
	/** The slowest answer of `/healthz`. */
	readonly slowestMs: number;
	readonly asked: number;
}

process.on("message", async ({ url, watchMs }: Watch) => {
	let [slowestMs, asked] = [0, 0];
	const until = performance.now() + watchMs;
	while (performance.now() < until) {
		const begun = performance.now();
		await (await fetch(`${url}/healthz`)).text();
		slowestMs = Math.max(slowestMs, performance.now() - begun);
		asked++;
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	process.send?.({ slowestMs, asked } satisfies Seen);
});
process.send?.("ready");
