import { expect, test } from "bun:test";
import { startGateway } from "#core/testing";

test.each(["./night-watch", "../night-watch/index.ts"])("a path of a plugin is absolute, and not %s", async (use) => {
	const message = `plugins: "${use}" must be an absolute path, as join(import.meta.dir, "${use}") makes it`;
	for (const plugin of [use, { use }])
		expect(await startGateway({ plugins: ["tokens", plugin] }).catch((error: Error) => error.message)).toBe(message);
});
