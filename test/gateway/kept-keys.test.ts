/** A key of the config file that an error tells stands in no line of the log and in no word of the status. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { startGateway } from "#core/testing";

const key = "Q7zr4mK2";
const plugin = join(import.meta.dir, "fixtures/talkative");
const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };

const told = async (word: string): Promise<string> => {
	const gateway = await startGateway({
		plugins: ["tokens", "chat-completions", "demo", router, { use: plugin, with: { key, word: `\${WORD}` } }],
		environment: { WORD: word },
	});
	const question = { model: "demo", messages: [{ role: "user", content: "Hello" }] };
	const answer = await (await gateway.ask("/v1/chat/completions", question)).text();
	const troubles = JSON.stringify(await gateway.admin("GET", "/admin/troubles"));
	await gateway.stop();
	return [answer, troubles, ...gateway.log.map((line) => JSON.stringify(line))].join("\n");
};

test("neither a setting that is marked as secret nor what came from the environment", async () => {
	const word = "b91f77a2c04e4d5f";
	const all = await told(word);
	expect(all).toContain("it asked with [removed] and [removed]");
	expect(all).toContain("TypeError: asked with [removed] and [removed]");
	for (const secret of [key, word]) expect(all).not.toContain(secret);
});

test("a model's name and a host's are told, wherever they come from", async () => {
	for (const word of ["claude-sonnet-4-5-latest", "gateway.production.example.com"])
		expect(await told(word)).toContain(`it asked with [removed] and ${word}`);
});
