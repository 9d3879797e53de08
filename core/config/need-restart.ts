/** What a reload cannot change: where Portico listens, and what it opened at its start. */
import type { Config } from "./read.ts";

const fixed = ({ server, database }: Config): Readonly<Record<string, unknown>> => ({
	"server.host": server.host,
	"server.port": server.port,
	"server.dataFolder": server.dataFolder,
	"server.logLevel": server.logLevel,
	"server.tls.cert": server.tls?.cert,
	"server.tls.key": server.tls?.key,
	"server.memoryBytes": server.memoryBytes,
	"database.url": database.url,
	"database.authToken": database.authToken,
});

/** How many bytes of a body the runtime takes beyond the limit of the start, so that we refuse it and not the runtime. */
export const headroomBytes = 64 * 1024 * 1024;

/** Settings that differ between the config that was started with and a newer one, and that take a restart. */
export const needRestart = (started: Config, newer: Config): readonly string[] => {
	const [before, now] = [fixed(started), fixed(newer)];
	const outgrown = newer.server.bodyLimitBytes > started.server.bodyLimitBytes + headroomBytes;
	return [
		...Object.keys(before).filter((name) => before[name] !== now[name]),
		...(outgrown ? ["server.bodyLimitBytes"] : []),
	];
};
