/** Every video has a size, also where none was asked for: async-openai of Rust reads neither a video nor a list with an empty one. */
import { expect, test } from "bun:test";
import { startMediaWorld } from "../../test/support/media-world.ts";

test("a video has the size its upstream says, else the one asked for, else OpenAI's usual one", async () => {
	const at = await startMediaWorld({ video: [{ type: "openai-videos", models: ["clip"], path: "/v1" }] });
	let told: Record<string, unknown> = {};
	at.upstream.answer(({ path }) =>
		path.endsWith("/content")
			? new Response("film", { headers: { "content-type": "video/mp4" } })
			: Response.json({ id: "video_1", status: "completed", seconds: "4", ...told }),
	);
	const sizesOf = async (order: Record<string, unknown>): Promise<unknown[]> => {
		const { id, size } = (await at.json("/v1/videos", { model: "clip", prompt: "x", ...order })).body;
		await at.finish(id);
		return [size, (await at.json(`/v1/videos/${id}`)).body["size"]];
	};
	for (const order of [{}, { size: "" }]) expect(await sizesOf(order)).toEqual(["720x1280", "720x1280"]);
	expect(await sizesOf({ size: "1024x1792" })).toEqual(["1024x1792", "1024x1792"]);
	told = { size: "1280x720" };
	expect(await sizesOf({})).toEqual(["720x1280", "1280x720"]);
	const { data } = (await at.json("/v1/videos")).body as { data: { size: string }[] };
	expect(data.map(({ size }) => size)).toEqual(["1280x720", "1024x1792", "720x1280", "720x1280"]);
	await at.close();
});
