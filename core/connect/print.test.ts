import { expect, test } from "bun:test";
import { clients } from "./clients.ts";
import { connectText } from "./print.ts";

test("what is pasted into a shell runs nothing of a model's name, even where it names the variable of the key", () => {
	const model = "$PORTICO_KEY$(echo ran >&2)`echo ran >&2`\"'\necho ran >&2";
	const gateway = { address: "http://gw:1", key: "$PORTICO_KEY", model };
	const pasted = clients.map((client) => {
		const settings = client.settings(gateway).filter(({ kind }) => ["environment", "command", "steps"].includes(kind));
		return connectText({ ...client, settings: () => settings }, gateway);
	});
	const shell = Bun.spawnSync(["/bin/sh", "-c", `curl() { :; }; claude() { :; }\n${pasted.join("\n")}`], {
		env: { PATH: "/nowhere", PORTICO_KEY: "sk-1" },
	});
	expect(pasted.join("\n")).toContain("ran");
	expect(
		shell.stderr
			.toString()
			.replace(/^.*not found$/gm, "")
			.trim(),
	).toBe("");
});
