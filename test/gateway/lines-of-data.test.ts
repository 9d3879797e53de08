/** Events whose JSON stands on several lines, as a server may print it: a client of the same protocol gets it so, under an alias too. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createParser } from "eventsource-parser";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { protocolNames } from "../support/recordings.ts";
import { requestOf, streamed } from "../support/upstream-answers.ts";

let upstream: ScriptedUpstream;
beforeAll(() => {
	upstream = startUpstream();
});
afterAll(() => upstream.stop());

/** Each event's JSON as it is printed for people. */
const onLines = (stream: string): string =>
	stream.replace(/^data: (\{.*\})$/gm, (_, json: string) =>
		JSON.stringify(JSON.parse(json), undefined, 1)
			.split("\n")
			.map((line) => `data: ${line}`)
			.join("\n"),
	);

const dataIn = (stream: string): unknown[] => {
	const found: unknown[] = [];
	const parser = createParser({
		onEvent: ({ data }) => void found.push(data === "[DONE]" ? data : JSON.parse(data)),
		onError(error) {
			throw error;
		},
	});
	parser.feed(stream);
	return found;
};

test.each(protocolNames)("of %s", async (protocol) => {
	const stream = streamed(protocol, ["Hello", " you"], { input: 3, output: 2 });
	const { path, body } = requestOf(protocol, { model: "m", prompt: "Hi", stream: true, limit: 99 });
	const to = { name: "up", protocol, url: upstream.url, key: "k" };
	const models = [{ name: "m", targets: [{ upstream: "up", model: "other" }] }];
	const gateway: TestGateway = await startGateway({
		plugins: ["tokens", protocol, { use: "router", with: { upstreams: [to], models } }],
	});
	const told = async (text: string): Promise<unknown[]> => {
		upstream.answer(() => streamOf([text]));
		return dataIn(await (await gateway.ask(path, body)).text());
	};
	const plain = await told(stream);
	expect(plain.length).toBeGreaterThan(2);
	expect(await told(onLines(stream))).toEqual(plain);
	await gateway.stop();
});
