/**
 * Promise: what a token keeps, or what an upstream's account keeps, is nobody else's. Tenant B walks every route with
 * tenant A's ids: nothing is answered, and nothing reaches an upstream.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AttackWorld, attackWorld } from "./world.ts";

let world: AttackWorld;
let keyOfB: string;
/** A's answer, its items, a task and one of its deliveries. */
let [answer, reasoning, item, task, delivery] = ["", "", "", "", ""];

const asB = (method: string, path: string, body?: unknown): Promise<Response> =>
	fetch(world.gateway.url + path, {
		method,
		headers: { authorization: `Bearer ${keyOfB}`, "content-type": "application/json" },
		...(body !== undefined && { body: JSON.stringify(body) }),
	});

beforeAll(async () => {
	world = await attackWorld({
		plugins: ["demo", "tasks", { use: "webhooks", with: { allowPrivateNetworks: true } }, "image", "video", "music"],
	});
	const { gateway, upstream } = world;
	upstream.answer(() =>
		Response.json({
			id: "resp_of_a",
			object: "response",
			status: "completed",
			model: "responses-a",
			output: [
				{ id: "rs_of_a", type: "reasoning", summary: [{ type: "summary_text", text: "A's thought" }] },
				{
					id: "msg_of_a",
					type: "message",
					role: "assistant",
					status: "completed",
					content: [{ type: "output_text", text: "A's secret", annotations: [] }],
				},
			],
			usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
		}),
	);
	const made = (await (await gateway.ask("/v1/responses", { model: "responses-a", input: "x" })).json()) as {
		id: string;
		output: { id: string }[];
	};
	[answer, reasoning, item] = [made.id, made.output[0]?.id ?? "", made.output[1]?.id ?? ""];
	const submitted = await gateway.ask("/v1/tasks", {
		kind: "image",
		model: "demo-image",
		prompt: "A's picture",
		notifyHook: "http://127.0.0.1:9/",
	});
	task = ((await submitted.json()) as { id: string }).id;
	const deliveries = (await (await gateway.ask("/v1/deliveries")).json()) as { data: { id: string }[] };
	delivery = deliveries.data[0]?.id ?? "";
	keyOfB = (await gateway.token()).key;
});
afterAll(() => world.stop());

/** Refused, without a word of A's and without a call to the upstream. */
const refused = async (asked: () => Promise<Response>, statuses: readonly number[]): Promise<void> => {
	const before = world.upstream.received.length;
	const response = await asked();
	expect(await response.text()).not.toContain("A's");
	expect(statuses).toContain(response.status);
	expect(world.upstream.received.length).toBe(before);
};

test("A has an answer, an item and a task", async () => {
	expect([answer, reasoning, item]).toEqual(["resp_of_a", "rs_of_a", "msg_of_a"]);
	expect(task).toStartWith("task_");
	expect((await world.gateway.ask(`/v1/responses/${answer}`)).status).toBe(200);
	expect((await world.gateway.ask(`/v1/tasks/${task}`)).status).toBe(200);
	expect((await world.gateway.ask(`/v1/deliveries/${delivery}`)).status).toBe(200);
});

/** The path with every parameter an id of A's of that sort; empty for one that has none. */
const withIdsOfA = (path: string): string => {
	const id = path.includes("responses") ? answer : path.includes("deliveries") ? delivery : task;
	const filled = path.replace(/:(\w+)/g, (_, name: string) =>
		name === "model" ? "demo-video" : name === "file" ? "0.png" : id,
	);
	return filled === path ? "" : filled;
};

test("every route with a parameter, with A's ids", async () => {
	const { data } = (await world.gateway.admin("GET", "/admin/plugins")) as { data: { routes: string[] }[] };
	const routes = data.flatMap(({ routes }) => routes).map((route) => route.split(" ") as [string, string]);
	const walked = routes.flatMap(([method, path]) => {
		// What is submitted to Suno is called by a word, and a deployment is a model: no ids.
		const hasIds = !(
			path.startsWith("/admin") ||
			path.includes("*") ||
			path.includes("/suno/submit/") ||
			path.includes(":deployment")
		);
		const filled = hasIds ? withIdsOfA(path) : "";
		return filled === "" ? [] : [[method, filled] as const];
	});
	expect(walked.map(([, path]) => path)).toContain(`/v1/responses/${answer}`);
	expect(walked.map(([, path]) => path)).toContain(`/v1/tasks/${task}`);
	expect(walked.length).toBeGreaterThan(15);
	const answered: unknown[] = [];
	const before = world.upstream.received.length;
	for (const [method, path] of walked) {
		const response = await asB(method, path, method === "POST" ? {} : undefined);
		const text = await response.text();
		if (response.status !== 404 || text.includes("A's")) answered.push([method, path, response.status, text]);
	}
	expect(answered).toEqual([]);
	expect(world.upstream.received.length).toBe(before);
});

test("lists by ids or by what came before: none of A's, though a list of nothing is a list", async () => {
	const before = world.upstream.received.length;
	const asked: readonly (readonly [method: string, path: string, body?: object])[] = [
		["GET", "/v1/tasks"],
		["GET", `/v1/tasks?after=${task}`],
		["GET", "/v1/deliveries"],
		["GET", `/v1/deliveries?after=${delivery}`],
		["GET", `/v1/deliveries?task=${task}`],
		["GET", "/v1/videos"],
		["GET", `/v1/videos?after=${task}`],
		["POST", "/suno/fetch", { ids: [task] }],
		["POST", "/mj/task/list-by-condition", { ids: [task] }],
		["POST", "/mj/task/list-by-ids", { ids: [task] }],
		["GET", "/mj/task/list"],
		["GET", "/mj/task/queue"],
		["GET", "/kling/v1/images/generations"],
		["GET", "/kling/v1/videos/text2video"],
	];
	for (const [method, path, body] of asked) {
		const response = await asB(method, path, body);
		const text = await response.text();
		for (const ofA of ["A's", task.slice(5), delivery]) expect([path, text.includes(ofA)]).toEqual([path, false]);
	}
	expect(world.upstream.received.length).toBe(before);
});

test("what goes on from A's tasks, or changes them", async () => {
	for (const path of ["/v1/videos/edits", "/v1/videos/extensions"])
		await refused(() => asB("POST", path, { prompt: "x", video: { id: task } }), [404]);
	await refused(() => asB("POST", "/mj/submit/change", { taskId: task, action: "UPSCALE", index: 1 }), [404]);
	await refused(() => asB("POST", "/mj/submit/simple-change", { content: `${task} U1` }), [404]);
	await refused(() => asB("POST", "/mj/submit/action", { taskId: task, customId: "MJ::upsample::1" }), [404]);
	await refused(() => asB("POST", "/mj/submit/modal", { taskId: task, prompt: "x" }), [404]);
});

test("Google's names of A's files and operations", async () => {
	const name = task.slice("task_".length);
	await refused(() => asB("GET", `/v1beta/files/${name}:download?alt=media`), [404]);
	await refused(() => asB("GET", `/v1beta/models/demo-video/operations/${task}`), [404]);
});

const ask = (more: object): object => ({ model: "responses-a", input: "x", ...more });
const message = (...content: object[]): object => ({ role: "user", content });
const known = [{ role: "user", content: "x" }];

describe("Responses: an id that is not the caller's own goes nowhere", () => {
	test.each<[string, () => object]>([
		["A's answer", () => ({ previous_response_id: answer })],
		["A's answer in the background", () => ({ previous_response_id: answer, background: true })],
		["an answer nobody here knows", () => ({ previous_response_id: "resp_at_the_account" })],
		["A's item", () => ({ input: [...known, { type: "item_reference", id: item }] })],
		["A's reasoning by its bare id", () => ({ input: [...known, { type: "reasoning", id: reasoning, summary: [] }] })],
		[
			"A's reasoning with words, behind reasoning nobody knows",
			() => ({
				input: [
					{ type: "reasoning", id: "rs_elsewhere", summary: [], encrypted_content: null },
					{ type: "reasoning", id: reasoning, summary: [{ type: "summary_text", text: "x" }], encrypted_content: "" },
				],
			}),
		],
		[
			"reasoning nobody here knows",
			() => ({ input: [...known, { type: "reasoning", id: "rs_elsewhere", summary: [] }] }),
		],
		["A's item by its bare id", () => ({ input: [...known, { id: item }] })],
		[
			"A's item beside one that nobody knows",
			() => ({ input: [{ type: "item_reference", id: "msg_x" }, { id: item }] }),
		],
		["an item nobody here knows", () => ({ input: [...known, { type: "item_reference", id: "msg_elsewhere" }] })],
		[
			"201 references, the last of them A's",
			() => ({
				input: [
					...Array.from({ length: 200 }, (_, index) => ({ type: "item_reference", id: `msg_${index}` })),
					{ type: "item_reference", id: item },
				],
			}),
		],
		["A's answer to compare with", () => ({ prompt_cache_options: { comparison_response_id: answer } })],
		["an answer nobody here knows, to compare with", () => ({ prompt_cache_options: { comparison_response_id: "r" } })],
		["a conversation", () => ({ conversation: "conv_of_a" })],
		["a conversation as an object", () => ({ conversation: { id: "conv_of_a" } })],
		["a background answer", () => ({ background: true })],
		["a kept prompt", () => ({ prompt: { id: "pmpt_of_a" } })],
		["a container", () => ({ tools: [{ type: "code_interpreter", container: "cntr_of_a" }] })],
		[
			"a container's files",
			() => ({ tools: [{ type: "code_interpreter", container: { type: "auto", file_ids: ["file-a"] } }] }),
		],
		[
			"a container by a call",
			() => ({ input: [...known, { type: "code_interpreter_call", id: "ci_a", container_id: "cntr_a", code: "1" }] }),
		],
		["a store of files", () => ({ tools: [{ type: "file_search", vector_store_ids: ["vs_of_a"] }] })],
		["a tunnel", () => ({ tools: [{ type: "mcp", server_label: "s", tunnel_id: "tunnel_of_the_operator" }] })],
		["a file", () => ({ input: [message({ type: "input_file", file_id: "file-of-a" })] })],
		["a picture's file", () => ({ input: [message({ type: "input_image", file_id: "file-of-a" })] })],
		[
			"a file in a tool's result",
			() => ({
				input: [{ type: "function_call_output", call_id: "c", output: [{ type: "input_image", file_id: "file-a" }] }],
			}),
		],
		["a picture made before", () => ({ input: [...known, { type: "image_generation_call", id: "ig_of_a" }] })],
		["a file by its address", () => ({ input: [message({ type: "input_file", file_url: "file-id://file-of-a" })] })],
	])("%s", async (_, more) => {
		await refused(() => asB("POST", "/v1/responses", ask(more())), [400, 404]);
		await refused(() => asB("POST", "/v1/responses", ask({ ...more(), stream: true })), [400, 404]);
		await refused(() => asB("POST", "/v1/responses/input_tokens", ask(more())), [400, 404]);
	});
});

test("Responses: reasoning that is the caller's own, or is there itself, goes on", async () => {
	const before = world.upstream.received.length;
	const encrypted = { type: "reasoning", id: "rs_elsewhere", summary: [], encrypted_content: "gAAAA" };
	const open = { type: "reasoning", id: "rs_open", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] };
	await (await asB("POST", "/v1/responses", ask({ input: [...known, encrypted, open] }))).text();
	const own = { type: "reasoning", id: reasoning, summary: [] };
	await (await world.gateway.ask("/v1/responses", ask({ input: [...known, own] }))).text();
	const sent = world.upstream.received.slice(before).map(({ text }) => JSON.parse(text) as { input: unknown[] });
	expect(sent.map(({ input }) => input.slice(1))).toEqual([[encrypted, open], [own]]);
});

test("Responses: reasoning that nobody knows is left out where the model speaks another protocol", async () => {
	const before = world.upstream.received.length;
	const unknown = { type: "reasoning", id: "rs_elsewhere", summary: [] };
	const body = { model: "chat-completions-a", input: [...known, unknown], store: false };
	await (await asB("POST", "/v1/responses", body)).text();
	const sent = world.upstream.received.slice(before).map(({ text }) => text);
	expect(sent).toHaveLength(1);
	expect(sent[0]).not.toContain("rs_elsewhere");
});

test("Responses: code that nobody knows is told in words where the model speaks another protocol", async () => {
	const before = world.upstream.received.length;
	const run = { type: "code_interpreter_call", id: "ci_elsewhere", container_id: "cntr_a", code: "print(6*7)" };
	const body = { model: "chat-completions-a", input: [...known, run], store: false };
	await (await asB("POST", "/v1/responses", body)).text();
	const sent = world.upstream.received.slice(before).map(({ text }) => text);
	expect(sent).toHaveLength(1);
	expect(sent[0]).toContain("print(6*7)");
	expect(sent[0]).not.toContain("cntr_a");
});

describe("the other protocols: files, caches and containers of the account go nowhere", () => {
	const chat = (content: object) => ({ model: "chat-completions-a", messages: [{ role: "user", content: [content] }] });
	const claude = (content: object, more: object = {}) => ({
		model: "messages-a",
		max_tokens: 5,
		messages: [{ role: "user", content: [content] }],
		...more,
	});
	const text = { type: "text", text: "x" };
	const gemini = (part: object, more: object = {}) => ({ contents: [{ role: "user", parts: [part] }], ...more });
	const geminiPath = "/v1beta/models/generate-content-a:generateContent";
	const google = "https://generativelanguage.googleapis.com/v1beta/files/abc";

	const asksServer = (externalApi: object): object =>
		gemini(
			{ text: "x" },
			{ tools: [{ retrieval: { externalApi: { endpoint: "https://example.org/search", ...externalApi } } }] },
		);
	const secret = "projects/a/secrets/b/versions/1";

	test.each<[string, string, object]>([
		[
			"gemini: a bucket to write to",
			geminiPath,
			gemini({ text: "x" }, { outputConfig: { outputUriPrefix: "gs://a/" } }),
		],
		[
			"gemini: a template of Model Armor, in place of the usual filters",
			geminiPath,
			gemini({ text: "x" }, { modelArmorConfig: { promptTemplateName: "projects/a/locations/b/templates/lax" } }),
		],
		[
			"gemini: documents by the older name",
			geminiPath,
			gemini(
				{ text: "x" },
				{ tools: [{ retrieval: { vertexRagStore: { ragCorpora: ["projects/a/ragCorpora/b"] } } }] },
			),
		],
		[
			"gemini: a secret for a server",
			geminiPath,
			asksServer({ authConfig: { authType: "API_KEY_AUTH", apiKeyConfig: { apiKeySecret: secret } } }),
		],
		[
			"gemini: a secret in the older place",
			geminiPath,
			asksServer({ api_auth: { api_key_config: { api_key_secret_version: secret } } }),
		],
		[
			"gemini: a password",
			geminiPath,
			asksServer({ authConfig: { httpBasicAuthConfig: { credentialSecret: secret } } }),
		],
		["gemini: its account", geminiPath, asksServer({ authConfig: { oauthConfig: { serviceAccount: "a@b.example" } } })],
		[
			"gemini: Google's account for it",
			geminiPath,
			asksServer({ authConfig: { authType: "GOOGLE_SERVICE_ACCOUNT_AUTH" } }),
		],
		[
			"chat: a tunnel",
			"/v1/chat/completions",
			{ ...chat({ type: "text", text: "x" }), tools: [{ type: "mcp", server_label: "s", tunnel_id: "tunnel_a" }] },
		],
		["chat: a file", "/v1/chat/completions", chat({ type: "file", file: { file_id: "file-of-a" } })],
		[
			"chat: a spoken answer",
			"/v1/chat/completions",
			{
				model: "chat-completions-a",
				messages: [
					{ role: "assistant", audio: { id: "audio_a" } },
					{ role: "user", content: "x" },
				],
			},
		],
		[
			"chat: a voice made for the account",
			"/v1/chat/completions",
			{ ...chat({ type: "text", text: "x" }), audio: { format: "wav", voice: { id: "voice_of_a" } } },
		],
		[
			"chat: an address of the account",
			"/v1/chat/completions",
			chat({ type: "image_url", image_url: { url: "ms://file-of-a" } }),
		],
		[
			"chat: Google's file to whatever model",
			"/v1/chat/completions",
			{ ...chat({ type: "image_url", image_url: { url: google } }), model: "generate-content-a" },
		],
		[
			"chat: the same as sound",
			"/v1/chat/completions",
			{ ...chat({ type: "audio_url", audio_url: google }), model: "generate-content-a" },
		],
		["messages: a file", "/v1/messages", claude({ type: "document", source: { type: "file", file_id: "file_of_a" } })],
		[
			"messages: a file in a tool's result",
			"/v1/messages",
			claude({
				type: "tool_result",
				tool_use_id: "t",
				content: [{ type: "image", source: { type: "file", file_id: "file_a" } }],
			}),
		],
		["messages: a file for a container", "/v1/messages", claude({ type: "container_upload", file_id: "file_of_a" })],
		["messages: a customer", "/v1/messages", claude(text, { user_profile_id: "uprof_of_a" })],
		[
			"messages: a request to compare with",
			"/v1/messages",
			claude(text, { diagnostics: { previous_message_id: "msg_of_a" } }),
		],
		["messages: a container", "/v1/messages", claude(text, { container: "container_of_a" })],
		["messages: a container as an object", "/v1/messages", claude(text, { container: { id: "container_of_a" } })],
		[
			"messages: counting with a file",
			"/v1/messages/count_tokens",
			claude({ type: "image", source: { type: "file", file_id: "file_a" } }),
		],
		["gemini: a file", geminiPath, gemini({ fileData: { fileUri: google, mimeType: "application/pdf" } })],
		["gemini: a file in the other spelling", geminiPath, gemini({ file_data: { file_uri: google } })],
		["gemini: a file by its name", geminiPath, gemini({ fileData: { fileUri: "files/abc" } })],
		["gemini: a bucket", geminiPath, gemini({ fileData: { fileUri: "gs://bucket/a.pdf" } })],
		["gemini: a cache", geminiPath, gemini({ text: "x" }, { cachedContent: "cachedContents/of-a" })],
		[
			"gemini: a cache in the other spelling",
			geminiPath,
			gemini({ text: "x" }, { cached_content: "cachedContents/of-a" }),
		],
		[
			"gemini: a store",
			geminiPath,
			gemini({ text: "x" }, { tools: [{ fileSearch: { fileSearchStoreNames: ["fileSearchStores/a"] } }] }),
		],
	])("%s", async (_, path, body) => {
		await refused(() => asB("POST", path, body), [400, 404]);
	});

	test.each(["\tfile:///etc/passwd", " gs://bucket/a.png", "ht\ntps://storage.googleapis.com/bucket/a.png"])(
		"an address whose beginning readers pass over: %j",
		async (url) => {
			const picture = chat({ type: "image_url", image_url: { url } });
			await refused(() => asB("POST", "/v1/chat/completions", picture), [400]);
			const read = claude({ type: "image", source: { type: "url", url } });
			await refused(() => asB("POST", "/v1/messages", read), [400]);
		},
	);

	test.each([
		"http://169.254.169.254/latest/meta-data/",
		"http://127.1:6379/a.png",
		"http://2130706433/a.png",
		"http://[::ffff:7f00:1]/a.png",
		"http://[fd00:ec2::254]/a.png",
		"https://10.0.0.5/a.png",
		"http://localhost./a.png",
		"http://metadata.google.internal/computeMetadata/v1/",
		"http://minio:9000/a.png",
		" http://127.0.0.1/a.png",
		"ht\ntp://127.0.0.1/a.png",
		"\tfile:///etc/passwd",
		`${" ".repeat(99)}h${"\t".repeat(99)}ttp://127.0.0.1/a.png`,
		"/data/of-a.png",
		"../of-a.JPG",
	])("an address within the upstream's network or disk: %s", async (url) => {
		const input = [message({ type: "input_image", image_url: url })];
		for (const model of ["chat-completions-a", "responses-a"]) {
			const picture = chat({ type: "image_url", image_url: { url } });
			await refused(() => asB("POST", "/v1/chat/completions", { ...picture, model }), [400]);
			await refused(() => asB("POST", "/v1/responses", { model, input }), [400]);
			const read = claude({ type: "image", source: { type: "url", url } }, { model });
			await refused(() => asB("POST", "/v1/messages", read), [400]);
			const part = { fileData: { fileUri: url, mimeType: "image/png" } };
			await refused(() => asB("POST", `/v1beta/models/${model}:generateContent`, gemini(part)), [400]);
		}
	});

	test("a public address and a picture's own bytes go on", async () => {
		world.upstream.answer(() => Response.json({ error: { message: "enough" } }, { status: 400 }));
		const before = world.upstream.received.length;
		const urls = [
			"https://example.org/a.png",
			"http://93.184.216.34/a.png",
			"data:image/png;base64,iVBORw0K",
			"iVBORw0Kpng",
		];
		for (const url of urls) await asB("POST", "/v1/chat/completions", chat({ type: "image_url", image_url: { url } }));
		expect(world.upstream.received.length).toBe(before + 4);
	});

	test("a server that is shown the client's own key", async () => {
		world.upstream.answer(() => Response.json({ error: { message: "enough" } }, { status: 400 }));
		const before = world.upstream.received.length;
		const apiKeyConfig = { apiKeyString: "mine", name: "api_key" };
		await asB("POST", geminiPath, asksServer({ authConfig: { authType: "API_KEY_AUTH", apiKeyConfig } }));
		expect(world.upstream.received.length).toBe(before + 1);
	});

	test("the tabs and downloads of a client's browser are told, wherever they are", async () => {
		world.upstream.answer(() => Response.json({ error: { message: "enough" } }, { status: 400 }));
		const before = world.upstream.received.length;
		const state = {
			type: "browser_state",
			tabs: [{ tab_id: "1", title: "", url: "about:blank", active: true }],
			state_changes: [{ type: "download_started", download_id: "d", url: "file:///home/a.pdf" }],
		};
		await asB("POST", "/v1/messages", claude({ type: "tool_result", tool_use_id: "t", content: [state] }));
		expect(world.upstream.received.length).toBe(before + 1);
		expect(world.upstream.received.at(-1)?.text).toContain("about:blank");
	});

	test("a tool's arguments and schemas may be called what they like", async () => {
		world.upstream.answer(() => Response.json({ error: { message: "enough" } }, { status: 400 }));
		const before = world.upstream.received.length;
		await asB("POST", "/v1/messages", {
			...claude(text),
			tools: [{ name: "read", input_schema: { type: "object", properties: { file_id: { type: "string" } } } }],
			messages: [
				{ role: "user", content: "x" },
				{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: { file_id: "mine" } }] },
				{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "x" }] },
			],
		});
		await asB("POST", geminiPath, gemini({ functionCall: { name: "read", args: { cachedContent: "mine" } } }));
		await asB(
			"POST",
			"/v1/responses",
			ask({ tools: [{ type: "function", name: "f", parameters: { properties: { file_id: { type: "string" } } } }] }),
		);
		await asB("POST", geminiPath, gemini({ fileData: { fileUri: "https://youtu.be/abc" } }));
		expect(world.upstream.received.length).toBe(before + 4);
	});
});
