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
