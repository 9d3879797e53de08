/** The variants of a song, each with what belongs to it, also where an upstream gave one less than the other. */
import { expect, test } from "bun:test";
import { startMediaWorld } from "../../test/support/media-world.ts";

const song = (name: string, more: Record<string, unknown>) => ({
	id: name,
	status: "complete",
	title: name,
	audio_url: `https://cdn.example/${name}.mp3`,
	...more,
});
const cover = (name: string) => ({ image_url: `https://cdn.example/${name}.jpg` });
const film = (name: string) => ({ video_url: `https://cdn.example/${name}.mp4` });

test("a variant without a cover or a film gets none of another", async () => {
	const at = await startMediaWorld({ music: [{ type: "suno-api", models: ["song"] }] });
	at.upstream.answer(({ path }) =>
		path.endsWith("/fetch")
			? Response.json({
					code: "success",
					data: [
						{
							task_id: "s1",
							status: "SUCCESS",
							data: [song("one", {}), song("two", { ...cover("two"), ...film("two") }), song("three", cover("three"))],
						},
					],
				})
			: Response.json({ code: "success", data: "s1" }),
	);
	const { data: id } = (await at.json("/suno/submit/music", { mv: "song", prompt: "x", title: "t" })).body;
	await at.finish(id);
	const { data } = (await at.json(`/suno/fetch/${id}`)).body;
	expect((data as { data: unknown }).data).toMatchObject([
		{ id: "one", audio_url: "https://cdn.example/one.mp3", image_url: "", video_url: "" },
		{ id: "two", image_url: "https://cdn.example/two.jpg", video_url: "https://cdn.example/two.mp4" },
		{ id: "three", image_url: "https://cdn.example/three.jpg", video_url: "" },
	]);
	await at.close();
});
