/** Every built-in plugin with what it cannot do without, and a gateway of them all. */
import { readdirSync } from "node:fs";
import { startGateway, type TestGateway } from "#core/testing";

const names = readdirSync(new URL("../../plugins", import.meta.url)).toSorted();

/** What a plugin cannot do without. */
const needed: Readonly<Record<string, unknown>> = {
	alerts: { url: "https://ops.example.org/portico", secret: `whsec_${"A".repeat(43)}=` },
	"guard-http": { url: "https://inspector.example.org/look" },
	"guard-patterns": { patterns: [{ name: "card", pattern: "\\b\\d{16}\\b" }] },
	router: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] },
};

/** Every built-in plugin, as a config names it. */
export const allPlugins = names.map((use) => ({ use, with: needed[use] ?? {} }));

/** Runs `work` with a gateway of them, and stops it. */
export const withAllPlugins = async <T>(work: (gateway: TestGateway) => Promise<T>): Promise<T> => {
	const gateway = await startGateway({ plugins: allPlugins });
	try {
		return await work(gateway);
	} finally {
		await gateway.stop();
	}
};
