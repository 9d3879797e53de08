/** Serves with a certificate that may change while it serves, as those that are renewed every few weeks do. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { type Certificate, type Listener, type ListenOptions, listen } from "./serve.ts";

export interface CertificateFiles {
	readonly cert: string;
	readonly key: string;
}

interface SecureListenOptions {
	readonly files: CertificateFiles;
	/** What the files hold is shown: since the start, or again. */
	shown(until: string): void;
	/** A new certificate counts from now on. */
	renewed(until: string): void;
	/** What the files hold now cannot be used; the certificate before it still counts. */
	failed(error: unknown): void;
}

/** How often the files are looked at. By their time and not by the system's notices, which do not follow the links that orchestrators swap. */
const lookMs = 1000;

/** Deno stops listening a turn of the loop after it is told to; until then the earlier listener may get a connection, and reset it. */
const leavesMs = 10;

/** Throws when a file cannot be read, or the key is not the certificate's. */
export const readCertificate = (files: CertificateFiles): Certificate & { readonly until: string } => {
	const [cert, key] = [readFileSync(files.cert, "utf8"), readFileSync(files.key, "utf8")];
	const first = new X509Certificate(cert);
	if (!first.checkPrivateKey(createPrivateKey(key))) throw new Error(`${files.key} is not the key of ${files.cert}`);
	return { cert, key, until: first.validTo };
};

/** The port as it can be shared with the listener that takes over; checked first, for sharing asks nobody else whether it is taken. */
const portOf = async (options: ListenOptions): Promise<number> => {
	if (options.reusePort) return options.port;
	const probe = listen({ ...options, handle: () => new Response(null, { status: 503 }) });
	await probe.cut();
	return probe.port;
};

/** Throws what `listen` and `readCertificate` throw. */
export const listenSecurely = async (
	given: ListenOptions,
	{ files, shown, renewed, failed }: SecureListenOptions,
): Promise<Listener> => {
	let certificate = readCertificate(files);
	const options = { ...given, port: await portOf(given), reusePort: true };
	let current = listen({ ...options, certificate });
	shown(certificate.until);
	const closing = new Set<Promise<void>>();
	const earlier = new Set<Listener>();
	const look = (): void => {
		try {
			const now = readCertificate(files);
			if (now.cert === certificate.cert && now.key === certificate.key) {
				shown(now.until);
				return;
			}
			const next = listen({ ...options, port: current.port, certificate: now });
			// Calls that run on it go on; its connections end by themselves.
			const before = current;
			const closed = before.close().finally(() => {
				earlier.delete(before);
				closing.delete(closed);
			});
			closing.add(closed);
			earlier.add(before);
			[current, certificate] = [next, now];
			setTimeout(() => renewed(now.until), leavesMs);
		} catch (error) {
			failed(error);
		}
	};
	const paths = [files.cert, files.key];
	for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, look);
	const end = (): void => {
		for (const path of paths) unwatchFile(path, look);
	};
	return {
		port: current.port,
		async close() {
			end();
			await Promise.all([current.close(), ...closing]);
		},
		async cut() {
			end();
			await Promise.all([...earlier, current].map((listener) => listener.cut()));
		},
	};
};
