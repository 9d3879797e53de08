/** The protocol that authors begin from: what a station does not count is charged by all that it wrote, and failures are told to whom they concern. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { resolve } from "node:path";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";

const telegraph = resolve(import.meta.dir, "../../../templates/telegraph");

let station: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	station = startUpstream();
	gateway = await startGateway({
		plugins: [
			...["tokens", "quota", "chat-completions", telegraph],
			{ use: "prices", with: { models: { m: { input: 0, output: 1_000_000 } } } },
			{
				use: "router",
				with: {
					upstreams: [{ name: "station", protocol: "telegraph", url: station.url, key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "station" }] }],
				},
			},
		],
	});
});
afterAll(async () => {
	await gateway?.stop();
	await station?.stop();
});

const errand = { ticket: "1", errand: "note", note: JSON.stringify({ words: "x".repeat(3_000) }) };
const answers = {
	"words of three bytes a letter": { text: "字".repeat(1_000), stop: "end" },
	"an errand": { text: "", errands: [errand], stop: "errand" },
} as const;

test.each([
	["words of three bytes a letter", false],
	["words of three bytes a letter", true],
	["an errand", false],
	["an errand", true],
] as const)("%s, on tape: %p", async (name, tape) => {
	const whole = answers[name];
	const { text, stop } = whole;
	const events = [{ text }, ...("errands" in whole ? [{ errand }] : []), { stop }];
	station.answer(() =>
		tape
			? streamOf(events.map((one) => `data: ${JSON.stringify(one)}\n\n`))
			: Response.json({ station: "m", ...whole }),
	);
	const { key, id } = await gateway.token({ quota: 100_000 });
	const body = { station: "m", tape, most: 10_000, lines: [{ from: "caller", text: "Write." }] };
	const answer = await gateway.ask("/telegraph", body, { headers: { authorization: `Bearer ${key}` } });
	expect([answer.status, (await answer.text()).length]).toEqual([200, expect.any(Number)]);
	const { used } = await gateway.admin("GET", `/admin/tokens/${id}`);
	expect(used).toBeGreaterThan(700);
});

test("an empty account of the operator's is not told as the client's", async () => {
	station.answer(() => Response.json({ fault: { kind: "unpaid", text: "Pay your bill." } }, { status: 402 }));
	const refused = await gateway.ask("/telegraph", { station: "m", lines: [{ from: "caller", text: "Hello" }] });
	expect([refused.status, await refused.json()]).toEqual([
		502,
		{ fault: { kind: "upstream", text: expect.stringContaining("the operator must look at its key and account") } },
	]);
});

test("a choice of tools and of answers that has no place is told", async () => {
	station.answer(() => Response.json({ station: "m", text: "Hi", stop: "end" }));
	const answer = await gateway.ask("/v1/chat/completions", {
		model: "m",
		n: 2,
		messages: [{ role: "user", content: "Hello" }],
		tools: [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }],
		tool_choice: "none",
	});
	expect(answer.headers.get("x-portico-dropped")?.split(",").toSorted()).toEqual(["n", "tool_choice"]);
});
