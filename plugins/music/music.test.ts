import { afterEach, describe, expect, test } from "bun:test";
import { type MediaWorld, type MediaWorldOptions, startMediaWorld } from "../../test/support/media-world.ts";
import { until } from "../../test/support/moved-clock.ts";

const open: MediaWorld[] = [];
afterEach(async () => {
	for (const world of open.splice(0)) await world.close();
});
const world = async (options?: MediaWorldOptions): Promise<MediaWorld> => {
	const started = await startMediaWorld(options);
	open.push(started);
	return started;
};
const json = (value: unknown, status = 200): Response => Response.json(value, { status });
const song = (id: string, more: Record<string, unknown> = {}) => ({
	id,
	title: `Song ${id}`,
	status: "complete",
	audio_url: `https://cdn.example/${id}.mp3`,
	image_url: `https://cdn.example/${id}.jpg`,
	metadata: { tags: "folk", duration: 120.5 },
	...more,
});

describe("Suno's clients", () => {
	test("submit, are called back with exactly the fields, and fetch", async () => {
		const at = await world();
		const { status, body } = await at.json("/suno/submit/music", {
			gpt_description_prompt: "a song about rain",
			mv: "chirp-v3-5",
			notify_hook: `${at.hook.origin}/x`,
		});
		expect([status, body]).toEqual([200, { code: "success", message: "", data: expect.stringMatching(/^task_/) }]);
		const id = String(body.data);
		expect((await at.json(`/suno/fetch/${id}`)).body).toMatchObject({
			code: "success",
			data: { task_id: id, status: "SUBMITTED", action: "MUSIC", progress: "0%", submit_time: 1_790_000_000, data: [] },
		});
		await at.finish(id);
		await until(() => at.callbacks().length === 3);
		expect(at.callbacks()).toEqual([
			{ id, status: "submitted", output: { audio_url: "", title: "", duration: 0 } },
			{ id, status: "processing", output: { audio_url: "", title: "", duration: 0 } },
			{
				id,
				status: "complete",
				output: { audio_url: expect.stringMatching(/^http/), title: "a song about rain", duration: 8 },
			},
		]);
		const fetched = (await at.json("/suno/fetch", { ids: [id, "task_unknown"] })).body.data as Record<
			string,
			unknown
		>[];
		expect(fetched).toHaveLength(1);
		expect(fetched[0]).toMatchObject({ status: "SUCCESS", progress: "100%", fail_reason: "" });
		const clips = (fetched[0] as { data: { status: string; title: string }[] }).data;
		expect(clips.map(({ status: word, title }) => [word, title])).toEqual(
			Array(2).fill(["complete", "a song about rain"]),
		);
		const { output } = at.callbacks()[2] as { output: { audio_url: string } };
		const audio = await fetch(output.audio_url);
		expect([
			audio.headers.get("content-type"),
			Buffer.from(await audio.arrayBuffer()).toString("latin1", 0, 4),
		]).toEqual(["audio/wav", "RIFF"]);
	});

	test("ask for words", async () => {
		const at = await world();
		const id = String((await at.json("/suno/submit/lyrics", { prompt: "rain" })).body.data);
		await at.finish(id);
		expect((await at.json(`/suno/fetch/${id}`)).body.data).toMatchObject({
			action: "LYRICS",
			status: "SUCCESS",
			data: { status: "complete", text: expect.stringContaining("rain") },
		});
		expect((await at.json(`/suno/lyrics/${id}`)).body).toMatchObject({ text: expect.stringContaining("rain") });
	});

	test("are told of failures and refusals in their own shape", async () => {
		const at = await world();
		const { body } = await at.json("/suno/submit/music", {
			prompt: "words /fail hoarse",
			title: "T",
			tags: "folk",
			notifyHook: `${at.hook.origin}/x`,
		});
		await at.finish(body.data);
		await until(() => at.callbacks().length === 3);
		expect(at.callbacks()[2]).toEqual({
			id: body.data,
			status: "error",
			output: { audio_url: "", title: "", duration: 0 },
		} as never);
		expect(at.hook.received[2]?.headers["x-failure-reason"]).toBe("hoarse");
		expect((await at.json(`/suno/fetch/${body.data}`)).body.data).toMatchObject({
			status: "FAILURE",
			fail_reason: "hoarse",
		});
		for (const [path, sent, status, code] of [
			["/suno/submit/dance", { prompt: "x" }, 400, "invalid_action"],
			["/suno/submit/lyrics", {}, 400, "prompt_empty"],
			["/suno/submit/music", {}, 400, "invalid_request"],
			["/suno/submit/music", { prompt: 5 }, 400, "invalid_request"],
			["/suno/fetch/unknown", undefined, 404, "task_not_exist"],
		] as const) {
			const answer = await at.json(path, sent);
			expect([path, answer.status, answer.body]).toEqual([
				path,
				status,
				{ code, message: expect.any(String), data: null },
			]);
		}
	});

	test("39: find nothing of others", async () => {
		const at = await world();
		const id = String((await at.json("/suno/submit/music", { prompt: "x" })).body.data);
		const headers = { authorization: `Bearer ${(await at.token()).key}` };
		expect((await at.json(`/suno/fetch/${id}`, undefined, { headers })).body).toMatchObject({ code: "task_not_exist" });
		expect((await at.json("/suno/fetch", { ids: [id] }, { headers })).body.data).toEqual([]);
		expect((await at.json(`/suno/feed/${id}`, undefined, { headers })).status).toBe(404);
	});

	test("of the feed read bare lists", async () => {
		const at = await world();
		const { body } = await at.json("/suno/generate/description-mode", { gpt_description_prompt: "rain" });
		expect(body).toMatchObject({ clips: [{ status: "submitted" }] });
		await at.finish(body.id);
		const feed = (await at.json(`/suno/feed/${body.id}`)).body as unknown as { status: string }[];
		expect(feed.map(({ status }) => status)).toEqual(["complete", "complete"]);
	});
});

describe("upstreams", () => {
	test("44: Suno-API is asked after many at once; the callback is about the first clip that is complete", async () => {
		const at = await world({ music: [{ type: "suno-api", models: ["chirp-*"] }] });
		let serial = 0;
		let singing = true;
		at.upstream.answer(({ path, json: body }) => {
			if (path === "/suno/submit/music") return json({ code: "success", message: "", data: `s${++serial}` });
			const clips = singing
				? [song("a", { status: "streaming" }), song("b", { status: "streaming" })]
				: [song("a", { status: "error" }), song("b"), song("c")];
			const { ids } = body as { ids: string[] };
			return json({
				code: "success",
				data: ids.map((id) => ({ task_id: id, status: "SUCCESS", progress: "100%", data: clips })),
			});
		});
		const sent = { gpt_description_prompt: "rain", mv: "chirp-v4", make_instrumental: true };
		const { body } = await at.json("/suno/submit/music", { ...sent, notify_hook: `${at.hook.origin}/x` });
		await at.json("/suno/submit/music", sent);
		// Both are taken on before time moves, so that they are asked after together.
		await until(() => at.upstream.received.length === 2);
		await at.pass(20, 1);
		await at.pass(7000, 500);
		const polls = at.upstream.received.slice(2);
		expect(polls.every(({ path }) => path === "/suno/fetch")).toBe(true);
		expect(JSON.stringify(polls[0]?.json)).toMatch(/"s1","s2"|"s2","s1"/);
		expect(at.upstream.received[0]?.json).toEqual(sent);
		await until(() => at.callbacks().length === 2);
		expect(at.callbacks().map(({ status }) => status)).toEqual(["submitted", "processing"]);
		singing = false;
		await at.pass(6000, 500);
		await until(() => at.callbacks().length === 3);
		expect(at.callbacks()[2]).toEqual({
			id: body.data,
			status: "complete",
			output: { audio_url: "https://cdn.example/b.mp3", title: "Song b", duration: 121 },
		} as never);
		const { data } = (await at.json(`/suno/fetch/${body.data}`)).body as {
			data: { data: { id: string; metadata: { duration: number } }[] };
		};
		expect(data.data.map(({ id, metadata }) => [id, metadata.duration])).toEqual([
			["b", 120.5],
			["c", 120.5],
		]);
	});

	test("Suno-API's refusal and failure are told", async () => {
		const at = await world({ music: [{ type: "suno-api", models: ["chirp-*"] }] });
		at.upstream.answer(() => json({ code: "invalid_request", message: "bad tags", data: null }, 400));
		const refused = String((await at.json("/suno/submit/music", { prompt: "x" })).body.data);
		await at.pass(1000);
		expect((await at.json(`/v1/tasks/${refused}`)).body).toMatchObject({
			error: { code: "upstream_refused", message: "bad tags" },
		});
		at.upstream.answer(({ path }) =>
			json({
				code: "success",
				data:
					path === "/suno/fetch" ? [{ task_id: "s", status: "FAILURE", fail_reason: "flagged for moderation" }] : "s",
			}),
		);
		const failed = String((await at.json("/suno/submit/music", { prompt: "x" })).body.data);
		await at.pass(7000, 500);
		expect((await at.json(`/v1/tasks/${failed}`)).body).toMatchObject({ error: { code: "content_policy_violation" } });
	});

	test("ElevenLabs answers with the song, which is kept", async () => {
		const at = await world({ music: [{ type: "elevenlabs", models: ["music_v1"] }] });
		const bytes = new Uint8Array(16_000 * 20);
		at.upstream.answer(() => new Response(bytes, { headers: { "content-type": "audio/mpeg" } }));
		const { body } = await at.json("/v1/tasks", {
			kind: "music",
			model: "music_v1",
			prompt: "rain",
			input: { seconds: 20, make_instrumental: true },
			notifyHook: `${at.hook.origin}/x`,
		});
		await at.pass(2000);
		await until(() => at.callbacks().length === 3);
		expect(at.upstream.received[0]).toMatchObject({
			path: "/v1/music?output_format=mp3_44100_128",
			json: { prompt: "rain", music_length_ms: 20_000, force_instrumental: true, model_id: "music_v1" },
		});
		expect(at.upstream.received[0]?.headers.get("xi-api-key")).toBe("key-of-music-0");
		const { output } = at.callbacks()[2] as { output: { audio_url: string; title: string; duration: number } };
		expect([output.title, output.duration]).toEqual(["rain", 20]);
		expect((await (await fetch(output.audio_url)).arrayBuffer()).byteLength).toBe(bytes.length);
		expect(body.kind).toBe("music");
	});
});
