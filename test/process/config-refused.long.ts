/** The config file has a mistake, and the server goes on with what it read before: commands reach it all the same. */
import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-refused-"));
});
afterEach(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});
afterAll(endProcesses);

const good = [
	"server: { port: 0, dataFolder: own }",
	"database: { url: 'file:elsewhere/gateway.db' }",
	"plugins:",
	"  - use: tokens",
	"  - use: prices",
	"  - use: quota",
	"  - use: ledger",
].join("\n");

const mistakes = [
	[
		"a plugin that there is not",
		good.replace("ledger", "legder"),
		'there is no built-in plugin "legder"',
		/legder.*was refused/,
	],
	[
		"a setting that there is not",
		good.replace("port: 0", "port: 0, drainSecs: 5"),
		"drainSecs",
		/drainSecs.*was refused/,
	],
	["no YAML", good.replace("use: ledger", "use: [ledger"), "not YAML", /not YAML.*was refused/],
] as const;

test("every command reaches the running server, and the mistake is a warning", async () => {
	const file = join(folder, "portico.yaml");
	writeFileSync(file, good);
	const portico = await startProcess(folder, file);
	expect(await runCommand(folder, ["status"])).toMatchObject({
		code: 0,
		output: "The server is well: its database answers, its config is the file's, and no plugin failed of late.\n",
		errors: `asking the server at ${portico.address}\n`,
	});
	for (const [what, text, complaint, told] of mistakes) {
		writeFileSync(file, text);
		void portico.end("SIGHUP");
		await portico.says(told);
		expect(await runCommand(folder, ["reload"])).toMatchObject({
			code: 1,
			output: "",
			errors: expect.stringMatching(
				new RegExp(
					`^asking the server at .*\n.*${complaint}[\\s\\S]*\nthe server goes on with the config that it had\n$`,
				),
			),
		});
		for (const words of [
			["status"],
			["token", "list"],
			["usage"],
			["calls"],
			["db", "backup", join(folder, `${what}.db`)],
		]) {
			const { code, output, errors } = await runCommand(folder, words);
			expect({ what, words, code, errors }).toMatchObject({ code: words[0] === "status" ? 1 : 0 });
			expect(errors).toStartWith("warning: the config file is refused, and the server goes on without it:\n");
			expect(errors).toContain(complaint);
			expect(errors).toContain(`asking the server at ${portico.address}`);
			if (words[0] === "status")
				expect(output).toStartWith("config: The config file was refused, and what ran goes on");
		}
		const helped = await runCommand(folder, ["token", "--help"]);
		expect(helped).toMatchObject({ code: 0, output: expect.stringContaining("portico token create [--name NAME]") });
		const restored = await runCommand(folder, ["db", "restore", "x.db"]);
		expect(restored.code).toBe(1);
		expect(restored.errors).toStartWith("portico.yaml:");
	}
	expect(await portico.end("SIGTERM")).toBe(0);
	const { code, errors } = await runCommand(folder, ["status"]);
	expect({ code, errors }).toMatchObject({ code: 1, errors: expect.stringMatching(/^portico\.yaml:7:\d+ /) });
	expect(errors).toContain("not YAML");
}, 120_000);
