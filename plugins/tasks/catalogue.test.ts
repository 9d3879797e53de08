/** What somebody who has no task yet is told to ask for. */
import { expect, test } from "bun:test";
import { exampleIn, type Offered } from "./catalogue.ts";

const catalogue = (
	kinds: readonly (readonly [name: string, usual: string])[],
	upstreams: readonly (readonly [kind: string, ...models: readonly string[]])[],
): Offered => ({
	kinds: kinds.map(([name, defaultModel]) => ({ name, defaultModel })),
	upstreams: upstreams.map(([kind, ...models]) => ({ kind, models })),
});

const [image, video] = [["image", "midjourney"] as const, ["video", "demo"] as const];

test("the usual model of a kind, where one does it", () => {
	expect(exampleIn(catalogue([image, video], [["video", "demo*"]]))).toEqual({ kind: "video", model: "demo" });
	expect(exampleIn(catalogue([image], [["image", "*"]]))).toEqual({ kind: "image", model: "midjourney" });
});

test("else one that is named, else the kind alone, and nothing where nothing is made", () => {
	const named = catalogue([image], [["image", "gpt-image-*", "sora-2"]]);
	expect(exampleIn(named)).toEqual({ kind: "image", model: "sora-2" });
	expect(exampleIn(catalogue([image], [["image", "gpt-image-*"]]))).toEqual({ kind: "image" });
	expect(exampleIn(catalogue([], []))).toBeUndefined();
});
