/** OpenAI's SDKs on the Responses route, against models of every protocol. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { AzureOpenAI } from "openai";
import OpenAI6 from "openai-6";
import { modelNames, spoken, startTwoWorlds, type TwoWorlds } from "../support/two-worlds.ts";

let worlds: TwoWorlds;
beforeAll(async () => {
	worlds = await startTwoWorlds();
});
afterAll(() => worlds.stop());

const weather = {
	type: "function" as const,
	name: "get_weather",
	strict: false,
	parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

test("Azure's own class: a conversation, by id, compacted", async () => {
	const { url, key } = worlds.near;
	const client = new AzureOpenAI({ endpoint: url, apiKey: key, apiVersion: "2025-04-01-preview", maxRetries: 0 });
	const first = await client.responses.create({ model: "demo", input: "Good morning" });
	const second = await client.responses.create({ model: "demo", input: "And again", previous_response_id: first.id });
	expect(second.output_text).toBe(spoken("And again"));
	expect((await client.responses.retrieve(first.id)).id).toBe(first.id);
	const { output } = await client.responses.compact({ model: "demo" as never, input: "Call me Ada." });
	expect(output.map(({ type }) => type as string)).toEqual(["compaction"]);
});

describe.each([
	["7", OpenAI],
	["6", OpenAI6 as unknown as typeof OpenAI],
])("openai %s", (_, Client) => {
	const client = () => new Client({ baseURL: `${worlds.near.url}/v1`, apiKey: worlds.near.key, maxRetries: 0 });

	describe.each(["demo", ...modelNames])("%s", (model) => {
		test("responses.create", async () => {
			const answer = await client().responses.create({ model, input: "Good morning" });
			expect(answer.output_text).toBe(spoken("Good morning"));
			expect(answer.status).toBe("completed");
			expect(answer.usage?.total_tokens).toBe((answer.usage?.input_tokens ?? 0) + (answer.usage?.output_tokens ?? 0));
		});

		test("responses.stream gathers the same", async () => {
			const stream = client().responses.stream({ model, input: "Good morning" });
			let text = "";
			for await (const event of stream) if (event.type === "response.output_text.delta") text += event.delta;
			expect(text).toBe(spoken("Good morning"));
			expect((await stream.finalResponse()).output_text).toBe(spoken("Good morning"));
		});

		test("a forced tool", async () => {
			const request = { model, input: "Good morning", tools: [weather], tool_choice: "required" as const };
			for (const answer of [
				await client().responses.create(request),
				await client().responses.stream(request).finalResponse(),
			]) {
				const [call] = answer.output.filter(({ type }) => type === "function_call");
				expect(call).toMatchObject({ type: "function_call", name: "get_weather" });
				expect(JSON.parse((call as { arguments: string }).arguments)).toEqual({ city: "Good morning" });
			}
		});

		test("a schema", async () => {
			const schema = {
				type: "object",
				properties: { colour: { type: "string", enum: ["red", "blue"] } },
				required: ["colour"],
				additionalProperties: false,
			};
			const answer = await client().responses.create({
				model,
				input: "x",
				text: { format: { type: "json_schema", name: "thing", schema, strict: true } },
			});
			expect(JSON.parse(answer.output_text)).toEqual({ colour: "red" });
		});

		// The Responses upstream is a Portico too: what it sealed, only it can open.
		test("a conversation is compacted, twice, and goes on", async () => {
			const asked = { role: "user" as const, content: "Give me a summary of our conversation." };
			let kept: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Call me Ada." }];
			for (const more of ["I live in York.", "I keep bees."]) {
				const { output } = await client().responses.compact({ model: model as never, input: kept });
				expect(output.map(({ type }) => type as string)).toEqual(["compaction"]);
				kept = [...(output as unknown as OpenAI.Responses.ResponseInputItem[]), { role: "user", content: more }];
			}
			const { output_text } = await client().responses.create({ model, input: [...kept, asked] });
			for (const word of ["Ada", "York", "bees"]) expect(output_text).toContain(word);
		});

		test("a conversation goes on by id", async () => {
			const first = await client().responses.create({ model, input: "Good morning" });
			const second = await client().responses.create({ model, input: "And again", previous_response_id: first.id });
			expect(second.output_text).toBe(spoken("And again"));
			expect(second.usage?.input_tokens ?? 0).toBeGreaterThan(first.usage?.input_tokens ?? 0);
			expect((await client().responses.retrieve(first.id)).id).toBe(first.id);
		});
	});

	test.each(["/openai/v1", "/v1beta/openai", "/openai", ""])("an answer is kept for clients at %s", async (base) => {
		const there = new Client({ baseURL: worlds.near.url + base, apiKey: worlds.near.key, maxRetries: 0 });
		const { id } = await there.responses.create({ model: "demo", input: "Good morning" });
		expect((await there.responses.retrieve(id)).output_text).toBe(spoken("Good morning"));
		for await (const item of there.responses.inputItems.list(id)) expect(item.type).toBe("message");
		await there.responses.delete(id);
		expect(await there.responses.retrieve(id).catch((error: unknown) => error)).toMatchObject({ status: 404 });
	});

	test("an unknown answer to go on from is refused", async () => {
		const refused = await client()
			.responses.create({ model: "demo", input: "x", previous_response_id: "resp_none" })
			.catch((error: unknown) => error);
		expect(refused).toMatchObject({ status: 400, code: "previous_response_not_found" });
	});
});
