/** Every number of the config file as large as may be written, all at once: what is meant as no limit must not be in the way. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import schema from "../../config/portico.schema.json" with { type: "json" };
import { asList, asRecord, asText } from "../../core/neutral/json.ts";
import { quiet } from "../support/quiet.ts";

/** What somebody writes who wants no limit. */
const endless = 999_999_999;

/** These say how many there are, and limit nothing. */
const counts = new Set(["port", "nodes"]);

/** The largest value of each number among some settings. */
const largest = (settings: unknown): Readonly<Record<string, number>> => {
	const found: Record<string, number> = {};
	for (const [name, setting] of Object.entries(asRecord(settings))) {
		// Beside what it must be stands a text that names a variable of the environment.
		const shapes = [setting, ...asList(asRecord(setting)["anyOf"])].map(asRecord);
		const number = shapes.find(({ type }) => type === "number" || type === "integer");
		if (number && !counts.has(name)) found[name] = Math.min(Number(number["maximum"] ?? endless), endless);
	}
	return found;
};

const top = asRecord(schema.properties);
const settingsIn = (part: unknown): unknown => asRecord(part)["properties"];

/** The same of the settings of each plugin. */
const ofPlugin = new Map<string, Readonly<Record<string, number>>>();
for (const rule of asList(asRecord(asRecord(top["plugins"])["items"])["allOf"]).map(asRecord)) {
	const name = asText(asRecord(asRecord(settingsIn(rule["if"]))["use"])["const"]);
	if (name !== undefined) ofPlugin.set(name, largest(settingsIn(asRecord(settingsIn(rule["then"]))["with"])));
}

let upstream: ScriptedUpstream;
let gateway: TestGateway;
beforeAll(async () => {
	upstream = startUpstream(async () => {
		await quiet(20);
		return Response.json({
			id: "chatcmpl-1",
			object: "chat.completion",
			created: 1,
			model: "far",
			choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		});
	});
	const far = { name: "far", protocol: "chat-completions", url: `${upstream.url}/v1`, firstByteSeconds: endless };
	const own: Readonly<Record<string, object>> = {
		demo: { wordMs: 0, taskSeconds: 0 },
		image: { defaultModel: "demo" },
		router: {
			upstreams: [far],
			models: [
				{ name: "far", targets: [{ upstream: "far" }] },
				{ name: "demo", targets: [{ upstream: "demo" }] },
			],
		},
	};
	const used =
		"tokens expiry prices quota rate-limit chat-completions responses demo router tasks image video webhooks ledger metrics";
	gateway = await startGateway({
		config: { server: largest(settingsIn(top["server"])) },
		plugins: used.split(" ").map((use) => ({ use, with: { ...ofPlugin.get(use), ...own[use] } })),
	});
});
afterAll(async () => {
	await gateway?.stop();
	await upstream?.stop();
});

test("calls are answered, and tasks end and are listed", async () => {
	expect(ofPlugin.get("tasks")).toMatchObject({ keepDays: 100_000, bodyLimitMegabytes: endless });
	const messages = [{ role: "user", content: "Hello" }];
	const statuses: number[] = [];
	for (const body of [{ model: "far" }, { model: "demo" }, { model: "demo", stream: true }]) {
		const answer = await gateway.ask("/v1/chat/completions", { ...body, messages });
		statuses.push(answer.status);
		expect(await answer.text()).toContain("Hello");
	}
	statuses.push((await gateway.ask("/v1/responses", { model: "demo", input: "Hello" })).status);
	statuses.push((await gateway.ask("/v1/images/generations", { model: "demo", prompt: "a cat" })).status);
	expect(statuses).toEqual([200, 200, 200, 200, 200]);
	expect(await gateway.admin("GET", "/admin/tasks")).toMatchObject({ data: [{ status: "SUCCESS" }] });
	expect(gateway.log.filter(({ level }) => level === "error")).toEqual([]);
});
