// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the references of config files
import { expect, test } from "bun:test";
import { startGateway } from "#core/testing";

test("names that come twice, and what leads nowhere, are complained of before the start", async () => {
	const upstream = (name: string, protocol = "chat-completions", more = {}) => ({
		name,
		protocol,
		url: "http://127.0.0.1:1/v1",
		...more,
	});
	const settings = {
		upstreams: [
			upstream("main"),
			upstream("main"),
			upstream("odd", "telegraph"),
			upstream("demo"),
			upstream("vectors", "chat-completions", {
				endpoints: ["embedings", { embeddings: "voyag" }],
			}),
		],
		models: [
			{ name: "m", targets: [{ upstream: "main" }] },
			{ name: "m", targets: [{ upstream: "nowhere" }] },
			{ name: "n", targets: [{ upstream: "mian" }] },
		],
	};
	const songs = { name: "songs", type: "suno-api", url: "http://127.0.0.1:1", models: ["*"] };
	const [rate, dearer] = [{ m: { input: 1 } }, { m: { input: 2 } }];
	const started = startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			"embeddings",
			"demo",
			"tasks",
			{ use: "music", with: { upstreams: [songs] } },
			{ use: "prices", with: { upstreams: { main: rate, demo: rate, songs: rate, vecotrs: dearer } } },
			{ use: "router", with: settings },
		],
	});
	const words = await started.then(
		() => "it started",
		(error: Error) => error.message,
	);
	expect(words).toContain('two upstreams are called "main"');
	expect(words).toContain('the upstream "demo" is brought by a plugin too; call one of the two otherwise');
	expect(words).toContain('the model "m" is configured twice');
	expect(words).toContain('the upstream "odd" speaks "telegraph", which no enabled plugin knows');
	expect(words).toContain('the model "m" leads to the upstream "nowhere", which is not configured');
	expect(words).toContain('the model "n" leads to the upstream "mian", which is not configured (did you mean "main"?)');
	// Each is told where it stands, not where the plugin does.
	for (const where of [
		"upstreams[1].name: two",
		"models[1].name: the model",
		"models[2].targets[0].upstream: the model",
	])
		expect(words).toContain(`router → ${where}`);
	expect(words).toContain('endpoint "embedings", which no enabled plugin has (did you mean "embeddings"?)');
	expect(words).toContain('speaks "voyag" at the endpoint "embeddings" (did you mean "voyage"?)');
	expect(words).toContain('has prices of the upstream "vecotrs", which is not configured (did you mean "vectors"?)');
	expect(words.match(/has prices of/g)).toHaveLength(1);
});

test("what could not be made out, and a plugin named twice, hide nothing else that is wrong and bring no complaint of their own", async () => {
	const upstream = (name: string, more = {}) => ({
		name,
		protocol: "chat-completions",
		url: "${PORTICO_TEST_NOT_SET:?say where}",
		...more,
	});
	const complaints = async (...plugins: Parameters<typeof startGateway>[0]["plugins"][number][]) => {
		const started = startGateway({ plugins: ["tokens", "chat-completions", ...plugins] });
		const words = await started.then(
			() => "it started",
			(error: Error) => error.message,
		);
		return words.split("\n").flatMap((line) => /^\S+:\d+:\d+ (.*)$/.exec(line.trim())?.slice(1) ?? []);
	};
	const models = [{ name: "m", targets: [{ upstream: "mian" }] }];
	expect(
		await complaints("chat-completions", { use: "router", with: { upstreams: [upstream("main")], models } }),
	).toEqual([
		'plugins[2] chat-completions: another plugin is called "chat-completions" too; give one of them another name with "as"',
		"plugins[3] router → upstreams[0].url: say where (the variable PORTICO_TEST_NOT_SET)",
		'plugins[3] router → models[0].targets[0].upstream: the model "m" leads to the upstream "mian", which is not configured (did you mean "main"?)',
	]);
	const lacking = { firstByteSeconds: "${PORTICO_TEST_NOT_SET}", url: "http://127.0.0.1:1/v1", kye: "k" };
	expect(
		await complaints({
			use: "router",
			with: { upstreams: [upstream("main", lacking)], models: [{ ...models[0], translation: "stict" }] },
		}),
	).toEqual([
		"plugins[2] router → upstreams[0].firstByteSeconds: the variable PORTICO_TEST_NOT_SET is not set: set it before the start, or write ${PORTICO_TEST_NOT_SET:-default}",
		'plugins[2] router → upstreams[0].kye: not a setting here (did you mean "key"?)',
		'plugins[2] router → models[0].targets[0].upstream: the model "m" leads to the upstream "mian", which is not configured (did you mean "main"?)',
		'plugins[2] router → models[0].translation: expected one of "lossy", "strict", found "stict" (did you mean "strict"?) (strict: answer 400 rather than leave something behind in translation.)',
	]);
	// What nothing can be made of without it brings no more than its own complaint.
	const misspelt = { name: "main", protocol: "chat-completions", ulr: "http://127.0.0.1:1/v1" };
	for (const settings of [
		{ upstraems: [upstream("mian", { url: "http://127.0.0.1:1/v1" })], models },
		{ upstreams: [misspelt], models },
	])
		expect((await complaints({ use: "router", with: settings })).join("\n")).not.toContain("leads to the upstream");
});
