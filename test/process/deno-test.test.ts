/** A plugin's own tests run on Deno too, by `portico deno test`: `#core/testing` is found there, and does what it does on Bun. */
import { afterAll, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");
const deno = join(root, "node_modules/.bin/deno");
const folder = realpathSync(mkdtempSync(join(tmpdir(), "portico-deno-test-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

cpSync(join(root, "templates/forbidden-words"), join(folder, "forbidden-words"), { recursive: true });
mkdirSync(join(folder, "node_modules"));
symlinkSync(root, join(folder, "node_modules/portico"));
writeFileSync(join(folder, "package.json"), '{ "type": "module", "imports": { "#core/testing": "portico/testing" } }');
writeFileSync(
	join(folder, "forbidden-words/deno.test.ts"),
	`import { checkPlugin, createTestClock, startGateway, startUpstream } from "#core/testing";

const folder = import.meta.dirname;
const equal = (found, expected) => {
	if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(JSON.stringify(found));
};

Deno.test("it keeps the contract", async () => equal(await checkPlugin(folder), []));

Deno.test("it refuses by a token's setting, and asks the upstream otherwise", async () => {
	const clock = createTestClock(Date.UTC(2027, 0, 1));
	const message = { role: "assistant", content: "Good morning." };
	const upstream = startUpstream(() => Response.json({ choices: [{ index: 0, message, finish_reason: "stop" }] }));
	const upstreams = [{ name: "up", protocol: "chat-completions", url: upstream.url, key: "k" }];
	const router = { use: "router", with: { upstreams, models: [{ name: "m", targets: [{ upstream: "up" }] }] } };
	const gateway = await startGateway({ clock, plugins: ["tokens", "chat-completions", router, folder] });
	try {
		const { key } = await gateway.token({ forbiddenWords: ["mellon"] });
		const headers = { authorization: "Bearer " + key };
		const say = async (content) => {
			const answer = await gateway.ask("/v1/chat/completions", { model: "m", messages: [{ role: "user", content }] }, { headers });
			return [answer.status, (await answer.text()).includes("Good morning.")];
		};
		equal(await say("Say mellon."), [403, false]);
		equal(await say("Say friend."), [200, true]);
		equal(upstream.received.map(({ path }) => path), ["/chat/completions"]);
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});
`,
);

const run = (words: readonly string[], path = process.env["PATH"]) => {
	const [first = "", ...rest] = words;
	const { NODE_CHANNEL_FD: _, ...others } = process.env;
	const env = { ...others, PATH: path, NO_COLOR: "1" };
	const { status, stdout, stderr } = spawnSync(first, rest, { cwd: folder, encoding: "utf8", env });
	return { status, said: stdout + stderr };
};

const portico = join(root, "bin/portico.mjs");
const node = Bun.which("node") ?? "node";

test("from Deno", () => {
	const tested = run([deno, "run", "-A", portico, "deno", "test", "./forbidden-words/deno.test.ts"]);
	expect(tested).toEqual({ status: 0, said: expect.stringContaining("2 passed | 0 failed") });
}, 60_000);

test("from Node, where the PATH has Deno; where it has none, that is told", () => {
	const words = [node, portico, "deno", "test", "./forbidden-words/deno.test.ts"];
	const tested = run(words, join(root, "node_modules/.bin"));
	expect(tested).toEqual({ status: 0, said: expect.stringContaining("2 passed | 0 failed") });
	expect(run(words, folder)).toEqual({ status: 1, said: expect.stringContaining("Put deno on the PATH") });
}, 60_000);
