/** The four protocols as their plugins export them. */
import { isRecord, type Protocol } from "#core";
import { type ProtocolName, protocolNames } from "../support/recordings.ts";

const isProtocol = (value: unknown): value is Protocol =>
	isRecord(value) && isRecord(value["client"]) && isRecord(value["upstream"]) && typeof value["name"] === "string";

const load = async (name: ProtocolName): Promise<Protocol> => {
	const module: Record<string, unknown> = await import(`../../plugins/${name}/protocol.ts`);
	const found = Object.values(module).find(isProtocol);
	if (!found) throw new Error(`plugins/${name}/protocol.ts exports no Protocol`);
	return found;
};

/** All protocols that can be loaded; one that cannot is said, so that the others can be tried. */
export const loadProtocols = async (): Promise<ReadonlyMap<ProtocolName, Protocol>> => {
	const loaded = new Map<ProtocolName, Protocol>();
	for (const name of protocolNames) {
		try {
			loaded.set(name, await load(name));
		} catch (error) {
			console.warn(`${name} cannot be tried: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	return loaded;
};
