import { expect, test } from "bun:test";
import { startGateway } from "#core/testing";

test("names that come twice, and what leads nowhere, are complained of before the start", async () => {
	const upstream = (name: string, protocol = "chat-completions") => ({ name, protocol, url: "http://127.0.0.1:1/v1" });
	const settings = {
		upstreams: [upstream("main"), upstream("main"), upstream("odd", "telegraph")],
		models: [
			{ name: "m", targets: [{ upstream: "main" }] },
			{ name: "m", targets: [{ upstream: "nowhere" }] },
		],
	};
	const started = startGateway({ plugins: ["tokens", "chat-completions", { use: "router", with: settings }] });
	const words = await started.then(
		() => "it started",
		(error: Error) => error.message,
	);
	expect(words).toContain('two upstreams are called "main"');
	expect(words).toContain('the model "m" is configured twice');
	expect(words).toContain('the upstream "odd" speaks "telegraph", which no enabled plugin knows');
	expect(words).toContain('the model "m" leads to the upstream "nowhere", which is not configured');
});
