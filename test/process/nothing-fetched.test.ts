/** What a plugin imports and nobody installed is a complaint: nothing is fetched from a registry, and run, unasked. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startUpstream } from "#core/testing";
import { runCommand } from "../support/process.ts";

test("a plugin in a folder without node_modules that imports a package gets none", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-fetched-"));
	const registry = startUpstream(() => new Response("{}", { status: 404 }));
	try {
		writeFileSync(
			join(folder, "weather.ts"),
			`import { definePlugin, t } from "#core";
			import { rain } from "portico-nobody-installed-this";
			export default definePlugin({ name: "weather", summary: "Tells it.", config: t.Object({}), setup: () => rain });`,
		);
		writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ plugins: [{ use: "./weather.ts" }] }));
		const { code, errors } = await runCommand(folder, ["check"], {
			BUN_CONFIG_REGISTRY: registry.url,
			BUN_INSTALL_CACHE_DIR: join(folder, "cache"),
		});
		expect([code, errors]).toEqual([1, expect.stringContaining("Cannot find package 'portico-nobody-installed-this'")]);
		expect(registry.received.map(({ path }) => path)).toEqual([]);
	} finally {
		await registry.stop();
		rmSync(folder, { recursive: true, force: true });
	}
});
