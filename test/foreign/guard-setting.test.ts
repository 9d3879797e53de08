/** A guard goes by a setting of the token: that of a policy with nothing else, in requests and in streamed answers. */
import { expect, test } from "bun:test";
import { startGateway, startUpstream, streamOf } from "#core/testing";
import { writeStranger } from "./stranger.ts";

const plugin = `import { add, definePlugin, guards, mapTexts, policies, t } from "#core";

export default definePlugin({
	name: "word-guard",
	summary: "Hides words.",
	config: t.Object({}),
	gives: [policies, guards],
	setup: ({ name }) => ({
		offers: [
			add(policies, { name, setting: { key: "hiddenWords", schema: t.Array(t.String()), compile: (words) => words } }),
			add(guards, {
				name,
				inspect(request, call) {
					const words = call.token.compiled.get("hiddenWords");
					if (words === undefined) return undefined;
					const hide = (text) => words.reduce((rest, word) => rest.replaceAll(word, "***"), text);
					const window = Math.max(...words.map((word) => word.length));
					const inspect = ({ text }) => ({ replace: hide(text) });
					return { replace: mapTexts(request, hide), answer: { window, inspect } };
				},
			}),
		],
	}),
});
`;

const chunk = (delta: object, reason: string | null = null) =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

test("a word that one token hides is seen by another", async () => {
	const stranger = writeStranger(plugin);
	const upstream = startUpstream(() =>
		streamOf([
			chunk({ content: "A blue" }),
			chunk({ content: "bird " }),
			chunk({ content: "flies." }),
			chunk({}, "stop"),
			"data: [DONE]\n\n",
		]),
	);
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"chat-completions",
			{ use: stranger.file },
			{
				use: "router",
				with: {
					upstreams: [{ name: "up", protocol: "chat-completions", url: upstream.url, key: "k" }],
					models: [{ name: "m", targets: [{ upstream: "up" }] }],
				},
			},
		],
	});
	try {
		const said = async (settings: object) => {
			const { key } = await gateway.token(settings as Record<string, unknown>);
			const body = { model: "m", stream: true, messages: [{ role: "user", content: "Does a bluebird fly?" }] };
			const init = { headers: { authorization: `Bearer ${key}` } };
			const text = await (await gateway.ask("/v1/chat/completions", body, init)).text();
			const words = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, content]) => content).join("");
			return [words, JSON.stringify(upstream.received.at(-1)?.json).includes("bluebird")];
		};
		expect(await said({ hiddenWords: ["bluebird"] })).toEqual(["A *** flies.", false]);
		expect(await said({})).toEqual(["A bluebird flies.", true]);
	} finally {
		await gateway.stop();
		await upstream.stop();
		stranger.remove();
	}
});
