/** The few things asked of the operating system, in one place because Bun and Deno name them differently. */

/** The variables Portico was started with. */
export const environment = (): Readonly<Record<string, string | undefined>> => process.env;

/**
 * Takes proxy settings out of the environment: Bun's `fetch` obeys them silently, and a gateway that reaches its
 * upstreams by way of whatever the shell named is a surprise. Config names a proxy when one is wanted.
 */
export const forgetProxies = (): void => {
	for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"])
		delete process.env[name];
};

/** Calls `action` when the process is told one of these; returns what ends that. */
export const onSignal = (signal: "SIGTERM" | "SIGINT" | "SIGHUP", action: () => void): (() => void) => {
	process.on(signal, action);
	return () => process.off(signal, action);
};

/**
 * Ends this process when the one that launched it is gone: a launcher that was killed outright cannot pass the signal
 * on, and a server nobody can reach must not keep the database.
 */
export const endWithLauncher = (): void => {
	if (typeof process.send !== "function") return;
	process.once("disconnect", () => process.exit(137));
	// The channel is for that only; it must not keep a finished command alive.
	(process.channel as { unref?: () => void } | undefined)?.unref?.();
};
