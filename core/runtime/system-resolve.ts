/**
 * Asks what addresses a name has, hosts file included. Bun's own lookup holds one of its few threads until the name's server has
 * answered: some names whose servers hang, which callers may give for their callbacks, would keep every connection of the
 * process waiting. So c-ares is asked on Bun, which holds none. Deno has threads enough.
 */
import { getServers, setServers } from "node:dns";
import { lookup } from "node:dns/promises";
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";

/** The name servers that a `resolv.conf` tells. */
const serversIn = (text: string): readonly string[] =>
	[...text.matchAll(/^[ \t]*nameserver[ \t]+([^\s#;]+)/gm)].flatMap(([, server = ""]) =>
		isIP(server) === 0 ? [] : [server],
	);

/** c-ares reads the file once, as it begins; a machine that moves to another network has other servers from then on. */
class NameServers {
	private readonly file: string;
	private state: string;

	constructor(file: string) {
		this.file = file;
		this.state = this.look();
	}

	follow(): void {
		const state = this.look();
		if (state === this.state) return;
		this.state = state;
		const servers = state === "" ? [] : serversIn(readFileSync(this.file, "utf8"));
		if (servers.length > 0 && servers.join() !== getServers().join()) setServers(servers);
	}

	/** Another text when the file has changed; none where there is no file. */
	private look(): string {
		const found = statSync(this.file, { throwIfNoEntry: false });
		return found === undefined ? "" : `${found.ino} ${found.mtimeMs} ${found.size}`;
	}
}

/** Gives all addresses of a name, in the order to be tried. Rejects when there is none. */
export const createResolve = (file: string): ((hostname: string) => Promise<readonly string[]>) => {
	if (typeof Bun === "undefined")
		return async (hostname) => (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address);
	const servers = new NameServers(file);
	return async (hostname) => {
		servers.follow();
		return (await Bun.dns.lookup(hostname, { backend: "c-ares" })).map(({ address }) => address);
	};
};

export const systemResolve = createResolve("/etc/resolv.conf");
