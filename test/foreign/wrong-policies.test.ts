/** Policies that fail where operators ask about tokens: what they ask is answered as calls are. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { asList, asRecord } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { type Stranger, writeStranger } from "./stranger.ts";

const plugin = `
import { add, definePlugin, deny, Fault, policies, t } from "#core";
export default definePlugin({
	name: "odd", summary: "Fails as its setting says.", config: t.Object({}, { additionalProperties: false }), gives: [policies],
	setup: ({ name }) => ({ offers: [add(policies, {
		name,
		setting: { key: "mood", schema: t.String(), compile: (mood) => mood },
		admit: (call, mood) => {
			if (mood === "refuses") throw new Fault(deny("permission", "Not in this mood."));
			if (mood === "throws") throw new Error("admit is broken");
			return mood === "false" ? false : undefined;
		},
		shows: (model, mood) => {
			if (mood === "hides badly") throw new Error("shows is broken");
			if (mood === "hides later") return Promise.resolve(false);
			return true;
		},
	}), add(policies, {
		name: "shown",
		setting: {
			key: "shown", schema: t.String(), compile: (value) => value,
			view: async (id, value) => {
				if (value === "throws") throw new Error("view is broken");
				if (value === "clashes") return { id: "tok_other", shade: "dark" };
				return { shade: value };
			},
		},
	}), add(policies, {
		name: "longest",
		setting: { key: "longest", schema: t.Integer(), compile: async (bytes) => bytes },
		check: (call, longest) => (call.requestBytes > longest ? deny("permission", "Too long.") : undefined),
	}), add(policies, {
		name: "shortest",
		setting: { key: "shortest", schema: t.Integer(), compile: (bytes) => { if (bytes < 0) throw new Error("below 0"); } },
		check: (call, shortest) => (call.requestBytes < shortest ? deny("permission", "Too short.") : undefined),
	})] }),
});`;

let stranger: Stranger;
let gateway: TestGateway;

beforeAll(async () => {
	stranger = writeStranger(plugin);
	const router = { use: "router", with: { models: [{ name: "m", targets: [{ upstream: "demo" }] }] } };
	gateway = await startGateway({ plugins: ["tokens", "chat-completions", "demo", router, { use: stranger.file }] });
});
afterAll(async () => {
	await gateway.stop();
	stranger.remove();
});

describe("a dry run tells of a policy", () => {
	const ownFailure = "A rule for this token could not be applied, so the call is refused. Ask the operator.";
	test.each([
		["that refuses by a Fault", "refuses", "Not in this mood."],
		["that throws", "throws", ownFailure],
		["that answers no denial", "false", ownFailure],
		["whose shows throws", "hides badly", ownFailure],
	])("%s", async (_, mood, message) => {
		const { id } = await gateway.token({ name: mood, mood });
		const answer = await gateway.admin("POST", "/admin/models/explain", { model: "m", token: id });
		expect(answer).toMatchObject({
			targets: [{ upstream: "demo" }],
			token: { admitted: false },
		});
		expect(JSON.stringify(answer["token"])).toContain(JSON.stringify(message));
	});
});

test("a list of models is refused where a policy cannot say what it shows, and the log names it", async () => {
	for (const mood of ["hides badly", "hides later"]) {
		const { key } = await gateway.token({ name: `lists ${mood}`, mood });
		const before = gateway.log.length;
		const listed = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
		expect([listed.status, await listed.text()]).toEqual([500, expect.stringContaining("could not be applied")]);
		expect(gateway.log.slice(before)).toContainEqual(expect.objectContaining({ level: "error", policy: "odd" }));
	}
});

test("tokens are listed though a policy fails to show something of one of them, and the log names its setting", async () => {
	await gateway.token({ name: "fine", shown: "dark" });
	await gateway.token({ name: "dim", shown: "throws" });
	const before = gateway.log.length;
	const { data } = await gateway.admin("GET", "/admin/tokens?limit=1000");
	const shades = asList(data)
		.map(asRecord)
		.map(({ name, shade }) => [name, shade]);
	expect(shades).toContainEqual(["fine", "dark"]);
	expect(shades).toContainEqual(["dim", undefined]);
	const told = gateway.log.slice(before).filter(({ setting }) => setting === "shown");
	expect(told).toEqual([expect.objectContaining({ level: "error", error: expect.stringContaining("view is broken") })]);
});

test("the key of a token is told once, though what a policy shows of the token fails", async () => {
	const made = await gateway.admin("POST", "/admin/tokens", { name: "made", shown: "throws" });
	expect(made).toMatchObject({ name: "made", settings: { shown: "throws" } });
	const turned = await gateway.admin("POST", `/admin/tokens/${String(made["id"])}/rotate`, {});
	expect(turned).toMatchObject({ id: made["id"] });
	const listed = await fetch(`${gateway.url}/v1/models`, {
		headers: { authorization: `Bearer ${String(turned["key"])}` },
	});
	expect(listed.status).toBe(200);
});

test("no policy shows a token under another's id, and the log names the setting that tries", async () => {
	const { id } = await gateway.token({ name: "clash", shown: "clashes" });
	const before = gateway.log.length;
	const shown = await gateway.admin("GET", `/admin/tokens/${id}`);
	expect([shown["id"], shown["shade"]]).toEqual([id, undefined]);
	const error = expect.stringContaining('view() tells "id", which is the token\'s own');
	expect(gateway.log.slice(before)).toContainEqual(expect.objectContaining({ setting: "shown", error }));
});

test.each([
	["a promise", "longest", 1, "TypeError: compile() answered a promise; it is to answer at once"],
	["nothing", "shortest", 1000, "TypeError: compile() answered nothing; what it answers is what the checks get"],
])("a token is refused whose setting is compiled to %s, and the log says why", async (_, setting, value, error) => {
	const { key } = await gateway.token({ name: setting, [setting]: value });
	const before = gateway.log.length;
	const body = { model: "m", messages: [{ role: "user", content: "Hello" }] };
	const asked = await gateway.ask("/v1/chat/completions", body, { headers: { authorization: `Bearer ${key}` } });
	expect([asked.status, await asked.json()]).toMatchObject([403, { error: { code: "policy_not_loaded" } }]);
	expect(gateway.log.slice(before)).toContainEqual(expect.objectContaining({ setting, error }));
});
