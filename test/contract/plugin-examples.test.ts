/** The plugins of `docs/plugin-examples.md`: they compile as a stranger's do, and do what their page says. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
	createTestClock,
	type GatewayOptions,
	type ScriptedUpstream,
	startGateway,
	startUpstream,
	streamOf,
	type TestGateway,
} from "#core/testing";
import { until } from "../support/moved-clock.ts";

const root = resolve(import.meta.dir, "../..");
const examples = new Map(
	[...readFileSync(join(root, "docs/plugin-examples.md"), "utf8").matchAll(/```ts\n(.*?)```/gs)].map(
		([, code = ""]) => [/\tname: "([^"]+)"/.exec(code)?.[1] ?? "", code] as const,
	),
);
let folder = "";
const opened: { stop(): Promise<void> }[] = [];

beforeAll(() => {
	// Beneath the checkout, where `#core` is found as it is in any place once Portico runs.
	folder = mkdtempSync(join(root, "test/contract/examples-"));
	for (const [name, code] of examples) writeFileSync(join(folder, `${name}.ts`), code);
});
afterAll(async () => {
	for (const one of opened.reverse()) await one.stop();
	rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string): string => join(folder, `${name}.ts`);
const serve = (...script: Parameters<typeof startUpstream>): ScriptedUpstream => {
	const upstream = startUpstream(...script);
	opened.push(upstream);
	return upstream;
};
const start = async (options: GatewayOptions): Promise<TestGateway> => {
	const gateway = await startGateway(options);
	opened.push(gateway);
	return gateway;
};
const chat = (model: string, more: object = {}) => ({ model, messages: [{ role: "user", content: "Hello" }], ...more });
const demo = { use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } };

test("there are four", () => {
	expect([...examples.keys()]).toEqual(["post-office", "company-keys", "call-shipper", "cheapest-first"]);
});

// The compiler reads Portico's own sources with them, as far as they are imported.
test.each([
	["that `portico plugin new` writes", { exactOptionalPropertyTypes: false }],
	["of `bun init`", { lib: ["ESNext"], exactOptionalPropertyTypes: false }],
	["that are stricter still", { noPropertyAccessFromIndexSignature: true }],
])("they compile, and so does what `plugin new` writes, by the settings %s", (_, settings) => {
	const paths = {
		"#core": [join(root, "core/mod.ts")],
		"#core/testing": [join(root, "core/testing/mod.ts")],
		"#core/plugins/*": [join(root, "plugins/*/service.ts")],
	};
	writeFileSync(
		join(folder, "tsconfig.json"),
		JSON.stringify({
			extends: join(root, "tsconfig.json"),
			compilerOptions: { paths, ...settings },
			include: ["*.ts", join(root, "templates/*/*.ts")],
		}),
	);
	const { stdout } = Bun.spawnSync([join(root, "node_modules/.bin/tsc"), "-p", folder], { cwd: folder });
	expect(stdout.toString()).toBe("");
});

describe("the vendor's own protocol", () => {
	const lines = (...told: readonly object[]) =>
		streamOf(
			told.map((line) => `${JSON.stringify(line)}\n`),
			"application/x-ndjson",
		);
	const office = serve();
	const asked = async (body: object) =>
		await (
			await start({
				plugins: [
					"tokens",
					"messages",
					"chat-completions",
					{ use: fileOf("post-office") },
					{
						use: "router",
						with: {
							upstreams: [{ name: "post", protocol: "post-office", url: office.url, keys: ["first", "second"] }],
							models: [{ name: "letter", targets: [{ upstream: "post", model: "letter-1" }] }],
						},
					},
				],
			})
		).ask("/v1/messages", { ...chat("letter"), max_tokens: 9, ...body });

	test("is asked, signed, with the next key where one is refused, and says what it left out", async () => {
		office.answer(({ headers }) =>
			headers.get("authorization") === "Bearer second"
				? Response.json({ text: "Hi.", read: 3, wrote: 2 })
				: Response.json({ problem: "who?" }, { status: 401 }),
		);
		const answer = await asked({ top_k: 3, stop_sequences: ["END"], temperature: 0.5, service_tier: "auto" });
		expect(await answer.json()).toMatchObject({
			content: [{ type: "text", text: "Hi." }],
			usage: { input_tokens: 3, output_tokens: 2 },
		});
		expect(answer.headers.get("x-portico-dropped")).toBe("top_k,stop_sequences");
		const last = office.received.at(-1);
		expect(last?.json).toEqual({
			model: "letter-1",
			stream: false,
			letters: [{ from: "user", text: "Hello" }],
			most: 9,
			heat: 0.5,
		});
		const signature = createHmac("sha256", "second").update(last?.text ?? "");
		expect(last?.headers.get("x-signature")).toBe(signature.digest("hex"));
	});

	test("streams", async () => {
		office.answer(() => lines({ text: "Good " }, { text: "day." }, { read: 3, wrote: 2 }));
		const text = await (await asked({ stream: true })).text();
		expect(text).toContain('"text":"day."');
		expect(text).toContain('"output_tokens":2');
		expect(text).toContain("message_stop");
	});

	test("tells an end that was not announced", async () => {
		office.answer(() => lines({ text: "Good " }));
		expect(await (await asked({ stream: true })).text()).toContain("stream_incomplete");
	});
});

describe("the company's keys", () => {
	const clock = createTestClock();
	const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	const keys = serve(() => Response.json({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one" }] }));
	const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
	const jwt = (claims: object, from = privateKey): string => {
		const exp = clock.now() / 1000 + 60;
		const signed = `${encoded({ alg: "RS256", kid: "one" })}.${encoded({ iss: "https://id.example", aud: "portico", exp, ...claims })}`;
		return `${signed}.${sign("sha256", Buffer.from(signed), from).toString("base64url")}`;
	};
	let gateway: TestGateway;
	const told = async (key: string, path: string, body?: object) => {
		const answer = await gateway.ask(path, body, { headers: { authorization: `Bearer ${key}` } });
		return [answer.status, await answer.json()] as const;
	};
	const statusFor = (key: string) => told(key, "/v1/chat/completions", chat("demo"));
	const asPerson = (path: string, headers: Readonly<Record<string, string>>) => fetch(gateway.url + path, { headers });
	const anna = (headers = {}) => ({ "x-company-assertion": jwt({ sub: "Anna" }), ...headers });

	beforeAll(async () => {
		gateway = await start({
			clock,
			plugins: [
				"tokens",
				"people",
				"console",
				"model-list",
				"quota",
				"ledger",
				"chat-completions",
				"demo",
				{ use: "prices", with: { upstreams: { demo: { "*": { input: 1000, output: 1000 } } } } },
				{ use: fileOf("company-keys"), with: { issuer: "https://id.example", audience: "portico", keys: keys.url } },
				demo,
			],
		});
	});

	test("let callers in, with the settings that the issuer says, and nobody else", async () => {
		expect((await statusFor(jwt({ sub: "a" })))[0]).toBe(200);
		expect((await statusFor(jwt({ sub: "a", portico: { models: ["other"] } })))[0]).toBe(404);
		const unenforced = await statusFor(jwt({ sub: "a", portico: { bicycle: 1 } }));
		expect(unenforced).toMatchObject([403, { error: { code: "policy_not_loaded" } }]);
		expect((await statusFor(jwt({ sub: "a", portico: { quota: "much" } })))[0]).toBe(403);
		const foreign = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
		expect((await statusFor(jwt({ sub: "a" }, foreign)))[0]).toBe(401);
		expect((await statusFor(jwt({ sub: "a", exp: clock.now() / 1000 - 1 })))[0]).toBe(401);
		expect(keys.received).toHaveLength(1);
	});

	test("are no keys where the issuer signed them for another service, or for nobody", async () => {
		for (const aud of ["wiki", ["wiki", "mail"], undefined])
			expect((await statusFor(jwt({ sub: "a", aud })))[0]).toBe(401);
		expect((await statusFor(jwt({ sub: "a", aud: ["wiki", "portico"] })))[0]).toBe(200);
		expect((await statusFor(jwt({})))[0]).toBe(401);
		const forWiki = { "x-company-assertion": jwt({ sub: "Anna", aud: "wiki" }) };
		expect((await asPerson("/admin/tokens", forWiki)).status).toBe(401);
	});

	test("hold a quota that the issuer changes", async () => {
		expect((await statusFor(jwt({ sub: "q", portico: { quota: 0.01 } })))[0]).toBe(429);
		const raised = jwt({ sub: "q", portico: { quota: 5 } });
		expect((await statusFor(raised))[0]).toBe(200);
		const me = await told(raised, "/v1/me");
		expect(me).toMatchObject([200, { id: "company:q", name: "q", settings: { quota: 5 } }]);
		const lowered = jwt({ sub: "q", portico: { quota: 0.01 } });
		await told(lowered, "/v1/me");
		// What a node had been promised it may spend until it is asked for it.
		await clock.advance(5_000);
		expect((await statusFor(lowered))[0]).toBe(429);
	});

	test("open the console to the person of that name", async () => {
		expect((await asPerson("/admin/tokens", anna())).status).toBe(403);
		expect(await (await asPerson("/v1/session", anna())).json()).toEqual({ signedIn: false });
		const { link } = await gateway.admin("POST", "/admin/invitations", { role: "member" });
		const [, secret] = /#(.*)$/.exec(String(link)) ?? [];
		const joined = await fetch(`${gateway.url}/v1/session/join`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ secret, name: "Anna", password: "correct horse battery" }),
		});
		expect(joined.status).toBe(201);
		expect(await (await asPerson("/v1/session", anna())).json()).toMatchObject({
			signedIn: true,
			name: "Anna",
			role: "member",
		});
		expect((await asPerson("/admin/tokens", anna())).status).toBe(200);
		expect((await asPerson("/admin/people", anna())).status).toBe(403);
	});

	test("who signs in by a password where the door refuses them", async () => {
		const over = { "x-company-assertion": jwt({ sub: "Anna", exp: 1 }) };
		expect((await asPerson("/admin/tokens", over)).status).toBe(401);
		expect(await (await asPerson("/v1/session", over)).json()).toEqual({ signedIn: false });
	});

	test("and to no page of others in that person's browser", async () => {
		const answer = await asPerson("/admin/tokens", anna({ "sec-fetch-site": "cross-site" }));
		expect(answer.status).toBe(403);
		expect(await answer.json()).toMatchObject({ error: { code: "origin_not_allowed" } });
	});
});

test("the collector gets every call once it is back, what was kept at a stop too", async () => {
	let isAway = true;
	const collector = serve(() => new Response("", { status: isAway ? 503 : 204 }));
	const clock = createTestClock();
	const storage = mkdtempSync(join(folder, "data-"));
	const options = {
		clock,
		folder: storage,
		plugins: [
			"tokens",
			"chat-completions",
			"demo",
			{ use: fileOf("call-shipper"), with: { url: collector.url } },
			demo,
		],
	};
	const first = await startGateway(options);
	await (await first.ask("/v1/chat/completions", chat("demo"))).json();
	expect(await first.admin("GET", "/admin/call-shipper")).toEqual({ waiting: 1, kept: 0 });
	await first.stop();
	const second = await start(options);
	expect(await second.admin("GET", "/admin/call-shipper")).toEqual({ waiting: 0, kept: 1 });
	await (
		await second.ask("/v1/chat/completions", chat("demo"), { headers: { authorization: `Bearer ${first.key}` } })
	).json();
	isAway = false;
	collector.received.splice(0);
	const { promise, resolve: arrived } = Promise.withResolvers<void>();
	collector.answer(() => {
		if (collector.received.length === 2) arrived();
		return new Response(null, { status: 204 });
	});
	await clock.advance(5_000);
	await promise;
	expect(collector.received.map(({ json }) => json)).toMatchObject([[{ model: "demo" }], [{ model: "demo" }]]);
	expect(JSON.stringify(await second.admin("GET", "/admin/plugins"))).toContain("GET /admin/call-shipper");
});

test("a reload amid a batch leaves nothing behind that goes on asking", async () => {
	const refuses = () => new Response("", { status: 503 });
	const listOf = () => Response.json({ upstreams: [] });
	const [before, now, list] = [serve(refuses), serve(refuses), serve(listOf)];
	const [old, changed] = ["/old", "/changed"];
	const clock = createTestClock();
	const plugins = (url: string, path: string) => [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: fileOf("call-shipper"), with: { url } },
		{ use: fileOf("cheapest-first"), with: { list: list.url + path, everyMs: 5_000 } },
	];
	const gateway = await start({ clock, plugins: plugins(before.url, old) });
	await (await gateway.ask("/v1/chat/completions", chat("demo"))).text();
	const [batch, listed] = [Promise.withResolvers<Response>(), Promise.withResolvers<Response>()];
	before.answer(() => batch.promise);
	list.answer(() => listed.promise);
	await clock.advance(5_000);
	await until(() => before.received.length === 1 && list.received.length === 2, "both questions");
	before.answer(refuses);
	list.answer(listOf);
	const file = join(gateway.folder, "portico.yaml");
	const config = JSON.parse(readFileSync(file, "utf8")) as object;
	writeFileSync(file, JSON.stringify({ ...config, plugins: plugins(now.url, changed) }));
	await gateway.admin("POST", "/admin/reload");
	batch.resolve(refuses());
	listed.resolve(listOf());
	// The first time it was asked, and the last, at the stop.
	const asked = () => before.received.length + list.received.filter(({ path }) => path.includes(old)).length;
	const round = async () => {
		const seen = now.received.length;
		await until(async () => {
			await clock.advance(1_000);
			return now.received.length > seen;
		}, "a batch of the plugin of now");
	};
	// What was replaced stops once its calls are over, which is looked at from time to time.
	await until(
		async () => {
			const last = asked();
			for (let more = 0; more < 3; more++) await round();
			return asked() === last;
		},
		"the end of what was replaced",
		10_000,
	);
});

test("the router asks the cheapest of the company's list, and the next where that fails", async () => {
	const [dear, cheap] = ["dear", "cheap"].map((name) =>
		serve(() =>
			Response.json({
				id: "c",
				object: "chat.completion",
				created: 1,
				model: "m",
				choices: [{ index: 0, message: { role: "assistant", content: name }, finish_reason: "stop" }],
			}),
		),
	);
	const entry = (name: string, url = "") => ({ name, url, key: `${name}-key`, models: ["m"] });
	const list = serve(() => Response.json({ upstreams: [entry("dear", dear?.url), entry("cheap", cheap?.url)] }));
	const gateway = await start({
		plugins: [
			"tokens",
			"chat-completions",
			{
				use: "prices",
				with: { upstreams: { dear: { m: { input: 9, output: 9 } }, cheap: { m: { input: 1, output: 1 } } } },
			},
			{ use: fileOf("cheapest-first"), with: { list: list.url } },
		],
	});
	const said = async () => JSON.stringify(await (await gateway.ask("/v1/chat/completions", chat("m"))).json());
	expect(await said()).toContain("cheap");
	expect(cheap?.received[0]?.headers.get("authorization")).toBe("Bearer cheap-key");
	cheap?.answer(() => new Response("{}", { status: 503 }));
	expect(await said()).toContain("dear");
	expect(await (await gateway.ask("/v1/models")).json()).toMatchObject({ data: [{ id: "m" }] });
});
