import assert from "node:assert/strict";
import { test } from "node:test";
import { asRecord, type WireRecord } from "#core";
import { checkPlugin, startGateway } from "#core/testing";

test("speech keeps the contract, and its README's example runs", async () => {
	assert.deepEqual(await checkPlugin(import.meta.dirname), []);
});

test("a text is read aloud, and its file is a sound", async () => {
	const gateway = await startGateway({ plugins: ["tokens", "tasks", import.meta.dirname] });
	try {
		const told = async (response: Response): Promise<WireRecord> => asRecord(await response.json());
		assert.equal((await gateway.ask("/speech/say", {})).status, 400);
		const { id } = await told(await gateway.ask("/speech/say", { prompt: "Hello" }));
		let task: WireRecord = {};
		while (task["status"] !== "SUCCESS" && task["status"] !== "FAILURE")
			task = await told(await gateway.ask(`/v1/tasks/${id}`));
		assert.deepEqual([task["status"], task["kind"]], ["SUCCESS", "speech"]);
		assert.equal(asRecord(task["output"])["duration"], 1.25);
		const sound = await gateway.ask(`/v1/tasks/${id}/content`);
		assert.deepEqual([sound.status, sound.headers.get("content-type")], [200, "audio/wav"]);
		assert.match(await sound.text(), /^RIFF/);
	} finally {
		await gateway.stop();
	}
});
