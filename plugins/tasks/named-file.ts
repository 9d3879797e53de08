/** A file that an upstream names by an address: in its own network, which no client is in, Portico fetches it. */
import { describe, isInnerHost, isPrivateUpstream, isWebAddress, type Log, systemResolve } from "#core";
import type { Connection } from "./wire.ts";

interface NamedFileOptions extends Pick<Connection, "fetchFile"> {
	/** The upstream's own address. */
	readonly base: string;
	readonly log: Log;
}

export const namedFiles =
	({ base, log, fetchFile }: NamedFileOptions): Connection["files"] =>
	(role, mediaType, url) => {
		if (typeof url !== "string" || !URL.canParse(url)) return [];
		if (!isWebAddress(url) || !isInnerHost(new URL(url).hostname)) return [{ role, mediaType, url }];
		const failed = (error: unknown): void => {
			const { host } = new URL(base);
			log.warn("a result could not be fetched in its upstream's network", { host, error: describe(error) });
		};
		const fetchInside = async (signal: AbortSignal): Promise<Uint8Array | undefined> =>
			(await isPrivateUpstream(base, systemResolve))
				? ((await fetchFile(url, signal).catch(failed)) ?? undefined)
				: undefined;
		return [{ role, mediaType, url, fetchInside }];
	};
