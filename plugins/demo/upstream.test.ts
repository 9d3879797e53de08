import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startGateway, type TestGateway } from "#core/testing";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"responses",
			{ use: "demo", with: { wordMs: 0 } },
			{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
		],
	});
});
afterAll(() => gateway.stop());

const ask = (content: string, more: object = {}) =>
	gateway.ask("/v1/chat/completions", { model: "demo", messages: [{ role: "user", content }], ...more });

interface Chunk {
	readonly choices: readonly { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[];
	readonly usage?: { readonly completion_tokens: number };
}

const chunksOf = async (response: Response): Promise<readonly Chunk[]> =>
	(await response.text())
		.split("\n\n")
		.flatMap((event) => (event.startsWith("data: {") ? [JSON.parse(event.slice("data: ".length)) as Chunk] : []));

describe("the demo as an upstream", () => {
	test("streams word by word what it says at once when it is not asked to stream", async () => {
		const whole = (await (await ask("Hello there")).json()) as { choices: { message: { content: string } }[] };
		const chunks = await chunksOf(await ask("Hello there", { stream: true }));
		const texts = chunks.flatMap(({ choices }) => choices[0]?.delta.content || []);
		expect(texts.join("")).toBe(whole.choices[0]?.message.content ?? "");
		expect(texts.length).toBeGreaterThan(10);
		for (const text of texts) expect(text.trim()).toMatch(/^\S+$/);
	});

	test("obeys max_tokens and stop in a stream", async () => {
		const chunks = await chunksOf(await ask("Hello", { stream: true, max_tokens: 4 }));
		expect(chunks.flatMap(({ choices }) => choices[0]?.delta.content || []).join("")).toBe("This is the demo");
		expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason || [])).toEqual(["length"]);
		const stopped = await chunksOf(await ask("Hello", { stream: true, stop: [" demo"] }));
		expect(stopped.flatMap(({ choices }) => choices[0]?.delta.content || []).join("")).toBe("This is the");
	});

	test.each([
		["400", 400],
		["404", 404],
		["429", 429],
		["500", 502],
		["503", 503],
		["401", 502],
	])("fails with %s when it is asked to, which the client sees as any upstream's", async (asked, seen) => {
		for (const stream of [false, true]) expect((await ask(`/fail ${asked}`, { stream })).status).toBe(seen);
	});

	test("is asked for a summary where a conversation is to be compacted, and goes on from it", async () => {
		const user = (text: string) => ({ role: "user", content: text });
		const outputOf = async (answer: Response) => ((await answer.json()) as { output: readonly object[] }).output;
		const answer = await gateway.ask("/v1/responses/compact", { model: "demo", input: [user("Call me Ada.")] });
		expect([answer.status, answer.headers.get("x-portico-emulated")]).toEqual([200, "compaction"]);
		const input = [...(await outputOf(answer)), user("More."), { type: "compaction_trigger" }];
		const second = await outputOf(await gateway.ask("/v1/responses", { model: "demo", input }));
		expect(second).toMatchObject([{ type: "compaction" }]);
		const asked = [...second, user("Give me a summary of our conversation.")];
		const told = JSON.stringify(await outputOf(await gateway.ask("/v1/responses", { model: "demo", input: asked })));
		expect(told).toContain("- Call me Ada.\\n- More.");
	});

	test("is compacted above the threshold of its client, as often as it takes", async () => {
		const history: object[] = [];
		const compacted: boolean[] = [];
		for (const word of ["one", "two", "three", "four"]) {
			history.push({ role: "user", content: `${word} ${"and so on ".repeat(150)}` });
			const context_management = [{ type: "compaction", compact_threshold: 500 }];
			const answer = await gateway.ask("/v1/responses", { model: "demo", input: history, context_management });
			expect(answer.status).toBe(200);
			const { output } = (await answer.json()) as { output: readonly { type: string }[] };
			compacted.push(output[0]?.type === "compaction");
			history.push(...output);
		}
		expect(compacted.filter(Boolean).length).toBeGreaterThanOrEqual(2);
		expect(compacted[0]).toBe(false);
	});
});
