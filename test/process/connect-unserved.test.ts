/** `portico connect` tells when the config does not serve what the client speaks. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "../support/process.ts";

let folder: string;
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-unserved-"));
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ plugins: [{ use: "tokens" }, { use: "messages" }] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
	["claude-code", ""],
	["codex", "warning: OpenAI Codex speaks the protocol responses, which this config does not serve;"],
	["curl", "warning: curl speaks the protocol chat-completions, which this config does not serve;"],
	["ai-sdk", ""],
])("%s", async (name, warning) => {
	const { code, output, errors } = await runCommand(folder, ["connect", name]);
	expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("8787") });
	expect(errors.slice(0, warning.length || undefined)).toBe(warning);
});
