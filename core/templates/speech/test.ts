import { expect, test } from "bun:test";
import { asRecord, type WireRecord } from "#core";
import { checkPlugin, startGateway } from "#core/testing";

test("speech keeps the contract, and its README's example runs", async () => {
	expect(await checkPlugin(import.meta.dir)).toEqual([]);
});

test("a text is read aloud, and its file is a sound", async () => {
	const gateway = await startGateway({ plugins: ["tokens", "tasks", import.meta.dir] });
	try {
		const told = async (response: Response): Promise<WireRecord> => asRecord(await response.json());
		expect((await gateway.ask("/speech/say", {})).status).toBe(400);
		const { id } = await told(await gateway.ask("/speech/say", { prompt: "Hello" }));
		let task: WireRecord = {};
		while (task["status"] !== "SUCCESS" && task["status"] !== "FAILURE")
			task = await told(await gateway.ask(`/v1/tasks/${id}`));
		expect(task).toMatchObject({ status: "SUCCESS", kind: "speech", output: { duration: 1.25 } });
		const sound = await gateway.ask(`/v1/tasks/${id}/content`);
		expect([sound.status, sound.headers.get("content-type")]).toEqual([200, "audio/wav"]);
		expect((await sound.text()).startsWith("RIFF")).toBe(true);
	} finally {
		await gateway.stop();
	}
});
