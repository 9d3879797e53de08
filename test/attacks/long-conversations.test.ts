/** Conversations that grow by small requests: what is put together for one is bounded, refused with words, and keeps nobody else waiting. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { longestStop } from "./longest-stop.ts";
import { sized } from "./sized.ts";
import { type AttackWorld, attackWorld } from "./world.ts";

const turnBytes = sized(600_000, 30_000_000);
const limit = sized(1_500_000, 33_554_432);
const turns = 6;

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld({ plugins: [{ use: "responses", with: { conversationBytes: limit } }] });
	let number = 0;
	world.upstream.answer(() =>
		Response.json({
			id: `resp_${number++}`,
			object: "response",
			created_at: 1,
			status: "completed",
			model: "responses-a",
			output: [],
			usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
		}),
	);
});
afterAll(() => world.stop());

const goOn = (previous: string | undefined, input: string): Promise<Response> =>
	world.gateway.ask("/v1/responses", {
		model: "responses-a",
		input,
		...(previous !== undefined && { previous_response_id: previous }),
	});

test("six chained answers, then four small requests at once: each is refused with a sentence, and the loop goes on", async () => {
	let previous: string | undefined;
	let kept = 0;
	for (let turn = 0; turn < turns; turn++) {
		const response = await goOn(previous, "x".repeat(turnBytes));
		if (response.status !== 200) break;
		previous = ((await response.json()) as { id: string }).id;
		kept += turnBytes;
	}
	// A conversation may grow by what one request brings beyond the limit, and no further.
	expect(kept).toBeLessThan(limit + 2 * turnBytes);
	const asked = world.upstream.received.length;
	const { result, stoppedMs } = await longestStop(() => Promise.all([1, 2, 3, 4].map(() => goOn(previous, "and?"))));
	for (const response of result) {
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({
			error: { code: "conversation_too_long", message: expect.stringContaining(`at most ${limit}`) },
		});
	}
	expect(world.upstream.received).toHaveLength(asked);
	expect(stoppedMs).toBeLessThan(sized(500, 200));
}, 60_000);

test("whoever goes on from a long conversation does not wait for all those of another", async () => {
	const { key } = await world.gateway.token();
	const ask = (input: string, own: boolean, previous?: string): Promise<Response> =>
		world.gateway.ask(
			"/v1/responses",
			{ model: "responses-a", input, previous_response_id: previous },
			own ? { headers: { authorization: `Bearer ${key}` } } : {},
		);
	const idOf = async (asked: Promise<Response>): Promise<string> =>
		((await (await asked).json()) as { readonly id: string }).id;
	const long = "x".repeat(1_100_000);
	const [mine, others] = [await idOf(ask(long, true)), await idOf(ask(long, false))];
	let answered = 0;
	const many = Array.from({ length: 40 }, async () => {
		const { status } = await ask("and?", false, others);
		answered++;
		return status;
	});
	await new Promise((resolve) => setTimeout(resolve, 20));
	const before = answered;
	expect((await ask("and?", true, mine)).status).toBe(200);
	expect(answered - before).toBeLessThan(20);
	expect(await Promise.all(many)).toEqual(many.map(() => 200));
});
