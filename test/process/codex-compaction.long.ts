/**
 * Codex itself in a conversation that outgrows its window, again and again: it asks the provider that it takes for OpenAI to
 * compact, which upstreams that cannot are spared. It runs where it is installed: on the path, or in `node_modules/.bin` of
 * the folder that `PORTICO_CLIENTS` names.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { type ChatSent, remembering } from "../../plugins/responses/fixtures/rememberer.ts";

const places = (process.env["PORTICO_CLIENTS"] ?? "").split(delimiter).filter((place) => place !== "");
const path = [...places.map((place) => join(place, "node_modules/.bin")), process.env["PATH"] ?? ""].join(delimiter);

let folder: string;
let chat: ScriptedUpstream;
let near: TestGateway;
let far: TestGateway;

const model = "gpt-5.1-codex";
const speaking = (protocol: string, url: string, key: string) => ({
	plugins: [
		"tokens",
		"responses",
		"chat-completions",
		"call-log",
		{
			use: "router",
			with: {
				upstreams: [{ name: "up", protocol, url, key }],
				models: [{ name: model, targets: [{ upstream: "up" }] }],
			},
		},
	],
});

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-codex-"));
	chat = startUpstream(remembering((all) => ({ input: Math.ceil(all.length / 4), output: 20 })));
	near = await startGateway(speaking("chat-completions", `${chat.url}/v1`, "up-key"));
	far = await startGateway(speaking("responses", `${near.url}/v1`, near.key));
});
afterAll(async () => {
	await far.stop();
	await near.stop();
	await chat.stop();
	rmSync(folder, { recursive: true, force: true });
});

/** Its own settings and keys, and nothing of this machine's. */
const settle = (name: string, { url, key }: TestGateway): string => {
	const home = join(folder, name);
	mkdirSync(join(home, ".codex"), { recursive: true });
	mkdirSync(join(home, "work"));
	const settings = {
		model,
		openai_base_url: `${url}/v1`,
		model_context_window: 40_000,
		model_auto_compact_token_limit: 12_000,
		check_for_update_on_startup: false,
	};
	const lines = Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
	writeFileSync(join(home, ".codex/config.toml"), lines.join(""));
	writeFileSync(join(home, ".codex/auth.json"), JSON.stringify({ OPENAI_API_KEY: key, auth_mode: "apikey" }));
	return home;
};

const run = (home: string, words: readonly string[]): Promise<string> =>
	new Promise((resolve) => {
		const env = { PATH: path, HOME: home, TERM: "dumb" };
		const child = spawn("codex", words, { cwd: join(home, "work"), stdio: ["ignore", "pipe", "pipe"], env });
		let said = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (piece) => {
				said += String(piece);
			});
		child.once("close", () => resolve(said));
	});

const story = "All work and no play makes a long conversation. ".repeat(400);

test.skipIf(Bun.which("codex", { PATH: path }) === null).each([
	["one that speaks chat completions", () => near],
	["one that speaks Responses, a Portico", () => far],
])(
	"codex passes its limit twice and goes on, before %s",
	async (name, gateway) => {
		const home = settle(name, gateway());
		chat.received.length = 0;
		let compacted = 0;
		for (const turn of [1, 2, 3, 4]) {
			const words = turn === 1 ? ["exec"] : ["exec", "resume", "--last"];
			const said = await run(home, [...words, "--skip-git-repo-check", `Remember codeword-${turn}. ${story}`]);
			expect(said).toContain(`codeword-${turn}.\ntokens used`);
			if (said.includes("context compacted")) compacted++;
		}
		expect(compacted).toBe(2);
		// Each was asked for by the gateway's own words, and its summary stands in what is asked next.
		const asked = chat.received.map(({ json }) => (json as ChatSent).messages.map(({ content }) => content).join("\n"));
		expect(asked.filter((text) => text.includes("Write a summary of the conversation so far."))).toHaveLength(2);
		expect(asked.at(-1)).toContain("told in this summary:\n\nSummary: codeword-1 codeword-2 codeword-3");
		const calls = gateway().log.filter(({ msg }) => msg === "call");
		expect(calls.filter(({ status }) => status !== 200)).toEqual([]);
	},
	120_000,
);
