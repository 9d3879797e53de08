/** Every example in the contract's comments compiles as an author would use it. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as core from "#core";
import { assumed, contractExamples, moduleOf } from "./contract-examples.ts";

const root = resolve(import.meta.dir, "../..");

test.each([
	["as strictly as Portico itself", true],
	["by the settings that `portico plugin new` writes", false],
])("every example of the contract compiles %s", (_, exactOptionalPropertyTypes) => {
	const folder = mkdtempSync(join(tmpdir(), "portico-examples-"));
	try {
		const paths = { "#core": [join(root, "core/mod.ts")] };
		const compilerOptions = {
			exactOptionalPropertyTypes,
			noUnusedLocals: false,
			noUnusedParameters: false,
			paths,
			typeRoots: [join(root, "node_modules/@types")],
		};
		writeFileSync(
			join(folder, "tsconfig.json"),
			JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] }),
		);
		writeFileSync(join(folder, "assumed.ts"), assumed);
		for (const [index, example] of contractExamples.entries())
			writeFileSync(join(folder, `example-${index}.ts`), moduleOf(example, Object.keys(core)));
		const { stdout } = Bun.spawnSync([join(root, "node_modules/.bin/tsc"), "-p", folder], { cwd: folder });
		const complaints = stdout
			.toString()
			.replace(/example-(\d+)\.ts/g, (_, index) => contractExamples[Number(index)]?.name ?? "");
		expect(complaints).toBe("");
		expect(contractExamples.length).toBeGreaterThan(40);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});
