/** An upstream that is not there, or in whose place something else answers: told as that, free of charge, and shown to operators meanwhile. */
import { expect, test } from "bun:test";
import { asList } from "#core";
import { type MediaWorld, type MediaWorldOptions, startMediaWorld } from "../../test/support/media-world.ts";
import { usedOfTokens } from "../../test/support/used-of-tokens.ts";

const priced = ["quota", { use: "prices", with: { models: { "*": { perImage: 0.5, perSecond: 0.1, perSong: 0.2 } } } }];
const page = () => new Response("<html>Sign in to go on</html>", { headers: { "content-type": "text/html" } });
const failure = { status: "FAILURE", error: { code: "upstream_unreachable" } };
const picture = { model: "picture", prompt: "x", async: true };

const unwell = async (at: MediaWorld): Promise<readonly unknown[]> =>
	asList((await at.admin("GET", "/admin/troubles"))["upstreams"]);

const scenes: Readonly<Record<string, readonly [MediaWorldOptions, path: string, body: Record<string, unknown>]>> = {
	"openai-images": [{ image: [{ type: "openai-images", models: ["picture"] }] }, "/v1/images/generations", picture],
	"gemini-images": [{ image: [{ type: "gemini-images", models: ["picture"] }] }, "/v1/images/generations", picture],
	"midjourney-proxy": [
		{ image: [{ type: "midjourney-proxy", models: ["midjourney"] }] },
		"/mj/submit/imagine",
		{ prompt: "x" },
	],
	"openai-videos": [
		{ video: [{ type: "openai-videos", models: ["clip"] }] },
		"/v1/videos",
		{ model: "clip", prompt: "x" },
	],
	kling: [{ video: [{ type: "kling", models: ["clip"] }] }, "/v1/videos", { model: "clip", prompt: "x", seconds: "5" }],
	veo: [{ video: [{ type: "veo", models: ["clip"] }] }, "/v1/videos", { model: "clip", prompt: "x", seconds: "8" }],
	"suno-api": [
		{ music: [{ type: "suno-api", models: ["song"] }] },
		"/v1/tasks",
		{ kind: "music", model: "song", prompt: "x" },
	],
	elevenlabs: [
		{ music: [{ type: "elevenlabs", models: ["song"] }] },
		"/v1/tasks",
		{ kind: "music", model: "song", prompt: "x" },
	],
};

test.each(Object.keys(scenes))("%s: a page of HTML in place of an answer", async (name) => {
	const [world, path, order] = scenes[name] ?? [{}, "", {}];
	const at = await startMediaWorld({ ...world, more: priced });
	at.upstream.answer(page);
	const { body } = await at.json(path, order);
	const id = body["result"] ?? body["id"];
	await at.finish(id);
	expect((await at.json(`/v1/tasks/${id}`)).body).toMatchObject(failure);
	expect(await usedOfTokens(at)).toEqual([0]);
	expect(await unwell(at)).toMatchObject([
		{
			of: "tasks",
			failing: true,
			lastFailure: {
				message: expect.stringContaining("page of HTML"),
				advice: expect.stringContaining("correct its url"),
			},
		},
	]);
	await at.close();
});

test("an upstream that is away: told by its name until it answers again, and what it refuses by its key likewise", async () => {
	const at = await startMediaWorld({
		image: [
			{ type: "openai-images", models: ["picture"] },
			{ type: "openai-images", models: ["other"], url: "http://127.0.0.1:1/v1" },
		],
		more: priced,
	});
	const make = async (model: string) => {
		const { id } = (await at.json("/v1/images/generations", { ...picture, model })).body;
		await at.finish(id);
		return (await at.json(`/v1/tasks/${id}`)).body;
	};
	expect(await make("other")).toMatchObject(failure);
	expect(await usedOfTokens(at)).toEqual([0]);
	const away = { upstream: "image-1", of: "tasks", failing: true };
	expect(await unwell(at)).toMatchObject([
		{ ...away, lastFailure: { message: "It could not be reached. (ECONNREFUSED)", advice: expect.any(String) } },
	]);
	at.upstream.answer(() => Response.json({ error: { message: "no" } }, { status: 401 }));
	expect(await make("picture")).toMatchObject({ error: { code: "upstream_error" } });
	const refusing = { upstream: "image-0", lastFailure: { advice: expect.stringContaining("set another") } };
	expect(await unwell(at)).toMatchObject([refusing, away]);
	at.upstream.answer(() => Response.json({ data: [{ url: "https://cdn.example/a.png" }] }));
	expect(await make("picture")).toMatchObject({ status: "SUCCESS" });
	expect(await unwell(at)).toMatchObject([away]);
	// A name that the log has too.
	expect(at.log.filter(({ upstream }) => upstream === "image-0").map(({ msg }) => msg)).toEqual([
		"an upstream of tasks refused Portico's own key",
		"an upstream of tasks answers again",
	]);
	await at.close();
});
