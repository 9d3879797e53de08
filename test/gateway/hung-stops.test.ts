/** A process that stops waits for what hangs in old generations and in the current one beside each other. */
import { afterAll, expect, test } from "bun:test";
import { startGateway } from "#core/testing";
import { writeStranger } from "../foreign/stranger.ts";

/** The stop of the first generation ends only when that of the second has begun. */
const stranger = writeStranger(`import { definePlugin, t } from "#core";

const stops = (globalThis.hungStops = { begun: [] });
const second = Promise.withResolvers();
let generations = 0;

export default definePlugin({
	name: "odd",
	summary: "Waits for its successor.",
	config: t.Object({}),
	setup() {
		const generation = ++generations;
		return {
			stop() {
				stops.begun.push(generation);
				if (generation === 1) return second.promise;
				second.resolve();
			},
		};
	},
});
`);
afterAll(() => stranger.remove());

test("the current generation stops while an old one still does", async () => {
	const gateway = await startGateway({ plugins: ["tokens", { use: stranger.file }] });
	expect(await gateway.admin("POST", "/admin/reload")).toMatchObject({ reloaded: true });
	await gateway.stop();
	expect(Reflect.get(globalThis, "hungStops")).toEqual({ begun: [1, 2] });
});
