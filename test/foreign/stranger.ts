/** A plugin as a stranger has it: plain JavaScript in a folder outside the checkout, where `#core` is the package `portico`. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
	type GatewayOptions,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	type TestGateway,
} from "#core/testing";

export interface Stranger {
	/** Where the plugin stands: what a config names. */
	readonly file: string;
	remove(): void;
}

const imports = { "#core": "portico", "#core/plugins/*": "portico/plugins/*" };

export const writeStranger = (plugin: string): Stranger => {
	const folder = mkdtempSync(join(tmpdir(), "portico-odd-"));
	mkdirSync(join(folder, "node_modules"));
	symlinkSync(resolve(import.meta.dir, "../.."), join(folder, "node_modules/portico"));
	writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", imports }));
	const file = join(folder, "odd.js");
	writeFileSync(file, plugin);
	return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

export interface StrangerWorld {
	readonly gateway: TestGateway;
	readonly upstream: ScriptedUpstream;
	/** Errors that the log has told since `forget` was called. */
	errors(): TestGateway["log"];
	forget(): void;
	stop(): Promise<void>;
}

/** Starts a gateway with the stranger's plugin, which stands in `file`, before a scripted upstream at `url`. */
export const strangerWorld = async (
	plugin: string,
	options: (file: string, url: string) => GatewayOptions,
): Promise<StrangerWorld> => {
	const stranger = writeStranger(plugin);
	const upstream = startUpstream();
	const end = async (): Promise<void> => {
		await upstream.stop();
		stranger.remove();
	};
	const gateway = await startGateway(options(stranger.file, upstream.url)).catch(async (error: unknown) => {
		await end();
		throw error;
	});
	let logged = 0;
	return {
		gateway,
		upstream,
		errors: () => gateway.log.slice(logged).filter(({ level }) => level === "error"),
		forget() {
			logged = gateway.log.length;
		},
		async stop() {
			await gateway.stop();
			await end();
		},
	};
};
