/** A clip that is fetched where a page comes in its place: a login, an error. No client is handed that as a film. */
import { expect, test } from "bun:test";
import { startMediaWorld } from "../../test/support/media-world.ts";

const clip = new Uint8Array([9, 8, 7]);

test.each([
	["text/html; charset=utf-8", "<html>Please sign in.</html>"],
	["application/json", '{"error":{"message":"not yet"}}'],
])("%s is no clip; it is asked for again", async (type, text) => {
	const at = await startMediaWorld({ video: [{ type: "openai-videos", models: ["clip"], path: "/v1" }] });
	let ready = false;
	at.upstream.answer(({ path }) => {
		if (!path.endsWith("/content")) return Response.json({ id: "video_1", status: "completed", seconds: "4" });
		return ready
			? new Response(clip, { headers: { "content-type": "video/mp4" } })
			: new Response(text, { headers: { "content-type": type } });
	});
	const { id } = (await at.json("/v1/videos", { model: "clip", prompt: "x", seconds: "4" })).body;
	await at.pass(30_000, 1000);
	expect((await at.json(`/v1/videos/${id}`)).body["status"]).toBe("queued");
	ready = true;
	await at.finish(id);
	const film = await at.ask(`/v1/videos/${id}/content`);
	expect([film.status, new Uint8Array(await film.arrayBuffer())]).toEqual([200, clip]);
	await at.close();
});
