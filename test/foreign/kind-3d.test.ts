/** A stranger's kind whose name begins with a digit, whose action holds one, and whose files are no pictures. */
import { expect, test } from "bun:test";
import { startGateway } from "#core/testing";
import { until } from "../support/moved-clock.ts";
import { writeStranger } from "./stranger.ts";

const plugin = `import { add, definePlugin, t } from "#core";
import { taskKinds, taskUpstreams } from "#core/plugins/tasks";

const glb = { role: "body", mediaType: "model/gltf-binary", bytes: new TextEncoder().encode("glTF") };
const page = { role: "page", mediaType: "text/html", bytes: new TextEncoder().encode("<script>") };

export default definePlugin({
	name: "bodies",
	summary: "Makes bodies.",
	config: t.Object({}),
	gives: [taskKinds, taskUpstreams],
	setup: () => ({
		offers: [
			add(taskKinds, {
				name: "3d",
				words: { NOT_START: "waiting", IN_PROGRESS: "making", SUCCESS: "made", FAILURE: "failed" },
				defaultModel: "mesh-1",
				timeoutMinutes: 1,
				read: ({ prompt }) => ({
					kind: "3d", action: "TEXT_TO_3D", model: "mesh-1", prompt, details: {}, input: {}, bound: { images: 1 },
				}),
				callback: ({ id }) => JSON.stringify({ id }),
				units: () => ({ images: 1 }),
			}),
			add(taskUpstreams, {
				name: "mesher",
				kind: "3d",
				models: ["mesh-*"],
				concurrency: 1,
				pollDelaysMs: [10],
				submit: async () => ({ outcome: "done", made: { files: [glb, page] } }),
			}),
		],
	}),
});
`;

test("is taken on, charged by the piece, and its files are called what they are", async () => {
	const stranger = writeStranger(plugin);
	const gateway = await startGateway({
		plugins: [
			"tokens",
			"quota",
			"tasks",
			{ use: stranger.file },
			{ use: "prices", with: { upstreams: { mesher: { "mesh-*": { perImage: 0.2 } } } } },
			{ use: "router", with: {} },
		],
	});
	try {
		const { key } = await gateway.token({ quota: 1 });
		const init = { headers: { authorization: `Bearer ${key}` } };
		const task = async (path: string, body?: object) =>
			(await (await gateway.ask(path, body, init)).json()) as Readonly<Record<string, string>>;
		const { id, action } = await task("/v1/tasks", { kind: "3d", prompt: "a chair" });
		expect(action).toBe("TEXT_TO_3D");
		await until(async () => (await task(`/v1/tasks/${id}`))["status"] === "SUCCESS");
		const typeOf = async (variant: string) =>
			(await gateway.ask(`/v1/tasks/${id}/content?variant=${variant}`, undefined, init)).headers.get("content-type");
		expect([await typeOf("body"), await typeOf("page")]).toEqual(["model/gltf-binary", "application/octet-stream"]);
		expect(await task("/v1/me")).toMatchObject({ used: 0.2 });
	} finally {
		await gateway.stop();
		stranger.remove();
	}
});
