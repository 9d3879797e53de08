/** A gateway with every built-in plugin, which the pages are made from. */
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

/** Runs `work` with it, and stops it. */
export const withAllPlugins = async <T>(work: (gateway: TestGateway) => Promise<T>): Promise<T> => {
	const gateway = await startGateway({ plugins: names.map((use) => ({ use, with: needed[use] ?? {} })) });
	try {
		return await work(gateway);
	} finally {
		await gateway.stop();
	}
};
