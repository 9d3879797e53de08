import { expect, test } from "bun:test";
import type { ProtocolAsk } from "../../contract/protocol.ts";
import type { Target } from "../../contract/upstream.ts";
import { asText, type WireRecord } from "../../neutral/json.ts";
import { Passthrough } from "./passthrough.ts";

/** A call whose protocol keeps of each answer the model's name alone. */
const askFor = (name: string): ProtocolAsk => {
	const passthrough = {
		request: () => ({ path: "/x", headers: {}, body: "{}" }),
		observe: ({ model }: WireRecord) => ({ finished: true, pieces: 1, contentBytes: 1, answer: asText(model) }),
		restore: (text: string) => text.replace("own-name", name),
	};
	const ask = { call: { name }, body: { value: {} }, protocol: { passthrough, facts: { tiers: () => [] } } };
	return ask as unknown as ProtocolAsk;
};

test.each(["own-name", "alias"])(
	"what is kept of an answer that passes is what is seen in the client's, for %s",
	(name) => {
		const target = { model: "own-name", capabilities: {} } as unknown as Target;
		const ways = { translated: () => expect.unreachable() };
		const exchange = new Passthrough(askFor(name), target, undefined, ways);
		const answer = new TextEncoder().encode('{"model":"own-name","text":"hello"}');
		expect(exchange.whole(answer)).toMatchObject({ answer: name });
	},
);
