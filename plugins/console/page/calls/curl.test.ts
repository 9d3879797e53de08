import { expect, test } from "bun:test";
import { curlFor } from "./curl.ts";

/** What a shell hands to curl. */
const words = (command: string): readonly string[] => {
	const { stdout } = Bun.spawnSync(["sh", "-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], {
		env: { PORTICO_KEY: "sk-1" },
	});
	return stdout.toString().split("\0").slice(0, -1);
};

test.each(["generate-content", "chat-completions"])(
	"a call in %s for a model that is named like a command is pasted as curl and no more",
	(protocol) => {
		const model = "a/b$(echo ran)`echo ran`\"';echo ran #";
		const [address, ...rest] = words(
			curlFor("http://gw:1", { protocol, operation: undefined, model, stream: false }) ?? "",
		);
		const named =
			protocol === "generate-content"
				? decodeURIComponent(address?.slice("http://gw:1/v1beta/models/".length, -":generateContent".length) ?? "")
				: (JSON.parse(rest.at(-1) ?? "") as { model: string }).model;
		expect(named).toBe(model);
		expect(rest.slice(0, 5)).toEqual([
			"-H",
			"authorization: Bearer sk-1",
			"-H",
			"content-type: application/json",
			"-d",
		]);
		expect(rest).toHaveLength(6);
	},
);
