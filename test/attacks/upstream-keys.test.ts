/** What an upstream says of a failure may hold keys of whatever stands behind it: no client reads one, in any protocol. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AttackProtocol, type AttackWorld, attackProtocols, attackWorld } from "./world.ts";

let world: AttackWorld;
beforeAll(async () => {
	world = await attackWorld();
});
afterAll(() => world.stop());

const keys = [
	"gsk_abcdefgh1234567890ABCDEFGH12345678",
	"pplx-0123456789abcdef0123456789abcdef",
	"hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
	"xai-0123456789abcdef0123456789abcdef",
	"nvapi-abcdEFGH_1234-abcdefgh",
	"ya29.a0AfB_byABCDEFGHIJK",
	"AQ.Ab8RN6J0123456789abcdefghij",
	"AIzaSyA1234567890abcdefghij",
];

const asks = {
	chat: ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }] }],
	messages: ["/v1/messages", { max_tokens: 10, messages: [{ role: "user", content: "Hi" }] }],
} as const;

const refusal = (protocol: AttackProtocol, message: string) =>
	protocol === "generate-content"
		? { error: { code: 400, message, status: "INVALID_ARGUMENT" } }
		: { type: "error", error: { type: "invalid_request_error", message } };

test.each(attackProtocols)(
	"an upstream of %s tells no key, and names that only look like one stay",
	async (protocol) => {
		const told = refusal(protocol, `bad member key_points of hf_transfer: ${keys.join(" ")}`);
		world.upstream.answer(() => Response.json(told, { status: 400 }));
		for (const [path, body] of Object.values(asks)) {
			const answer = await world.gateway.ask(path, { ...body, model: `${protocol}-a` });
			const text = await answer.text();
			expect(answer.status).toBe(400);
			for (const key of keys) expect(text, `${protocol} to ${path}`).not.toContain(key);
			expect(text).toContain("bad member key_points of hf_transfer: [");
		}
	},
);
