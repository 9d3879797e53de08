/** Services that refuse with an error inside a 200: it is their own word that nothing was made, so nothing is charged and it is told. */
import { expect, test } from "bun:test";
import { startMediaWorld } from "../../test/support/media-world.ts";
import { usedOfTokens } from "../../test/support/used-of-tokens.ts";

test.each([
	["/v1/images/generations", { model: "picture", prompt: "x", async: true }, { message: "no credit left", code: "c" }],
	["/v1/videos", { model: "clip", prompt: "x", seconds: "4" }, { message: "no credit left", code: "c" }],
	["/v1/videos", { model: "clip", prompt: "x", seconds: "4" }, "no credit left"],
] as const)("%s", async (path, body, error) => {
	const at = await startMediaWorld({
		image: [{ type: "openai-images", models: ["picture"] }],
		video: [{ type: "openai-videos", models: ["clip"] }],
		more: ["quota", { use: "prices", with: { models: { "*": { perImage: 0.5, perSecond: 0.1 } } } }],
	});
	at.upstream.answer(() => Response.json({ error, data: null }));
	const { id } = (await at.json(path, body)).body;
	await at.finish(id);
	expect((await at.json(`/v1/tasks/${id}`)).body).toMatchObject({
		status: "FAILURE",
		error: { code: "upstream_refused", message: "no credit left" },
	});
	expect(await usedOfTokens(at)).toEqual([0]);
	await at.close();
});
