/** The plugins that `docs/plugins.md` and the README show are plugins: each loads, and each is what its text says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { asRecord } from "#core";
import { startGateway, startUpstream } from "#core/testing";

const root = resolve(import.meta.dir, "../..");
const plugins = ["docs/plugins.md", "README.md"].flatMap((page) =>
	[...readFileSync(join(root, page), "utf8").matchAll(/```ts\n(.*?)```/gs)]
		.map(([, code = ""]) => code)
		.filter((code) => code.includes("definePlugin"))
		.map((code) => ({ name: /name: "([^"]+)"/.exec(code)?.[1] ?? "", code })),
);
const settings: Readonly<Record<string, object>> = {
	"hard-to-large": { longBytes: 2_000 },
	"night-watch": { until: 24 },
	"no-secrets": { word: "mellon" },
	"office-hours": { from: 0, to: 0 },
	"project-names": { hidden: "Bluebird" },
};
const said = { "night-watch": "Hello", "no-secrets": "Say mellon", "office-hours": "Hello" } as Record<string, string>;
let folder = "";

beforeAll(() => {
	// Beneath the checkout, where `#core` is found as it is in any place once Portico runs.
	folder = mkdtempSync(join(root, "test/contract/page-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the pages show some", () => {
	expect(plugins.map(({ name }) => name).sort()).toEqual(Object.keys(settings).sort());
});

test("the test that the page shows passes, beside the plugin that it is of", () => {
	const page = readFileSync(join(root, "docs/plugins.md"), "utf8");
	const shown = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
	const beside = join(folder, "night-watch");
	mkdirSync(beside);
	writeFileSync(join(beside, "index.ts"), shown.find((code) => code.includes('name: "night-watch"')) ?? "");
	writeFileSync(join(beside, "index.test.ts"), shown.find((code) => code.includes("node:test")) ?? "");
	const { stderr, exitCode } = Bun.spawnSync([process.execPath, "test", beside], { cwd: root });
	expect([exitCode, stderr.toString()]).toEqual([0, expect.stringContaining("1 pass")]);
});

test("the service that the page shows is given by one plugin and taken by another", async () => {
	const page = readFileSync(join(root, "docs/plugins.md"), "utf8");
	const [, service = ""] = /```ts\n([^`]*= service<[^`]*)```/.exec(page) ?? [];
	const [, offer = ""] = /`(provide\(weather, .*?)`;/.exec(page) ?? [];
	const plugin = (name: string, core: string, spec: string): string => {
		writeFileSync(
			join(folder, `${name}.ts`),
			`import { ${core}, definePlugin, t } from "#core"; import { weather } from "./weather.ts";
			export default definePlugin({ name: "${name}", summary: "Of the page.", config: t.Object({}), ${spec} });`,
		);
		return join(folder, `${name}.ts`);
	};
	writeFileSync(join(folder, "weather.ts"), service);
	const route = `add(routes, { method: "GET", path: "/today", access: "public", summary: "Tells it.", handle: () => new Response(needs.weather.today()) })`;
	const taker = plugin(
		"taker",
		"add, routes",
		`needs: { weather }, gives: [routes], setup: ({ needs }) => ({ offers: [${route}] })`,
	);
	const giver = plugin("giver", "provide", `gives: [weather], setup: () => ({ offers: [${offer}] })`);
	const gateway = await startGateway({ plugins: [taker, giver] });
	try {
		expect(await (await fetch(`${gateway.url}/today`)).text()).toBe("rain");
	} finally {
		await gateway.stop();
	}
});

const withPlugin = (name: string, code: string, others: readonly { readonly use: string; readonly with: object }[]) => {
	const file = join(folder, `${name}.ts`);
	writeFileSync(file, code);
	return startGateway({
		plugins: ["tokens", "chat-completions", "demo", { use: file, with: settings[name] }, ...others],
	});
};

test("the guard hides a name from the upstream, and puts it back into the answer", async () => {
	const name = "project-names";
	const upstream = startUpstream(() =>
		Response.json({
			id: "c",
			object: "chat.completion",
			created: 1,
			model: "m",
			choices: [{ index: 0, message: { role: "assistant", content: "THE-PROJECT flies." }, finish_reason: "stop" }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}),
	);
	const upstreams = [{ name: "up", protocol: "chat-completions", url: upstream.url, key: "k" }];
	const models = [{ name: "m", targets: [{ upstream: "up" }] }];
	const code = plugins.find((one) => one.name === name)?.code ?? "";
	const gateway = await withPlugin(name, code, [{ use: "router", with: { upstreams, models } }]);
	try {
		const asked = { model: "m", messages: [{ role: "user", content: "Does Bluebird fly?" }] };
		const answer = await (await gateway.ask("/v1/chat/completions", asked)).json();
		expect(answer).toMatchObject({ choices: [{ message: { content: "Bluebird flies." } }] });
		expect(upstream.received[0]?.json).toMatchObject({ messages: [{ content: "Does THE-PROJECT fly?" }] });
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});

test("the chooser goes by what is said, and where its choice fails the other target answers", async () => {
	const name = "hard-to-large";
	const answer = { choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }] };
	const upstream = startUpstream(() => Response.json(answer));
	const upstreams = [{ name: "main", protocol: "chat-completions", url: upstream.url, key: "k" }];
	const targets = ["small", "large"].map((model) => ({ upstream: "main", model }));
	const models = [{ name: "auto", targets }];
	const code = plugins.find((one) => one.name === name)?.code ?? "";
	const gateway = await withPlugin(name, code, [{ use: "router", with: { upstreams, models } }]);
	try {
		const modelsAsked = async (content: string, more = {}) => {
			upstream.received.splice(0);
			const body = { model: "auto", messages: [{ role: "user", content }], ...more };
			expect((await gateway.ask("/v1/chat/completions", body)).status).toBe(200);
			return upstream.received.map(({ json }) => asRecord(json)["model"]);
		};
		const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
		expect(await modelsAsked("Hello")).toEqual(["small"]);
		expect(await modelsAsked("Hello ".repeat(400))).toEqual(["large"]);
		expect(await modelsAsked("Hello", { tools })).toEqual(["large"]);
		const { targets: explained } = await gateway.admin("POST", "/admin/models/explain", { model: "auto" });
		expect(explained).toMatchObject([{ model: "small", why: "first, unless a plugin chooses" }, { model: "large" }]);
		upstream.answer(({ json }) =>
			asRecord(json)["model"] === "large" ? new Response("", { status: 500 }) : Response.json(answer),
		);
		expect(await modelsAsked("Hello", { tools })).toEqual(["large", "small"]);
	} finally {
		await gateway.stop();
		await upstream.stop();
	}
});

describe.each(plugins.filter(({ name }) => said[name] !== undefined))("$name", ({ name, code }) => {
	test("loads and refuses what it says", async () => {
		const router = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };
		const gateway = await withPlugin(name, code, [router]);
		try {
			const body = { model: "demo", messages: [{ role: "user", content: said[name] }] };
			expect((await gateway.ask("/v1/chat/completions", body)).status).toBe(403);
		} finally {
			await gateway.stop();
		}
	});
});
