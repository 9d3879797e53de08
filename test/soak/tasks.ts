/** Tasks with callbacks: receivers that are well, and receivers that are down, slow or refusing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { asCount, asRecord, asText } from "#core";
import type { Callers } from "./calls.ts";
import type { Counts } from "./counts.ts";

/** What receivers do wrong. */
export const receiverFaults = ["down", "slow", "refusing"] as const;

/** Longer than a callback may take. */
const slowMs = 7_000;

interface TaskLoad {
	/** Submits a task; `fault` is empty for a receiver that is well. */
	submit(fault: string): Promise<void>;
	/** Tasks whose last callback has not come to a receiver that is well. */
	readonly awaited: number;
}

const expected = ["NOT_START", "IN_PROGRESS", "SUCCESS"];

/** Starts the receivers. */
export const startTasks = async (callers: Callers, counts: Counts): Promise<TaskLoad> => {
	/** The states that were told so far. */
	const awaited = new Map<string, string[]>();
	/** Callbacks that overtook the answer to the submission. */
	const early = new Map<string, unknown[]>();

	const take = (body: unknown): void => {
		const { id, status, finishTime } = asRecord(body);
		const name = asText(id) ?? "";
		const states = awaited.get(name);
		if (!states) {
			early.set(name, [...(early.get(name) ?? []), body]);
			return;
		}
		states.push(asText(status) ?? "");
		if (status !== "SUCCESS" && status !== "FAILURE") return;
		awaited.delete(name);
		counts.callbacks.push(Date.now() - (asCount(finishTime) ?? Number.NaN));
		// The first of them may be told before there is anything to tell it of.
		const told = expected.slice(-states.length).join() === states.join();
		counts.note("task", told && status === "SUCCESS" ? "told of" : `TOLD ${states.join()}`);
	};

	const server = createServer(async (request, response) => {
		response.on("error", () => undefined);
		let text = "";
		for await (const piece of request) text += String(piece);
		if (request.url === "/refusing") response.writeHead(500).end();
		else if (request.url === "/slow") setTimeout(() => response.writeHead(200).end(), slowMs);
		else {
			response.writeHead(200).end();
			take(JSON.parse(text));
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;

	return {
		get awaited() {
			return awaited.size;
		},
		async submit(fault) {
			const notifyHook = fault === "down" ? "http://127.0.0.1:1/down" : `http://127.0.0.1:${port}/${fault}`;
			const response = await fetch(`${callers.url}/v1/tasks`, {
				method: "POST",
				headers: { authorization: `Bearer ${callers.keys[0]}`, "content-type": "application/json" },
				body: JSON.stringify({ kind: "image", prompt: "a picture of a soak", model: "demo", notifyHook }),
			});
			const { id } = asRecord(await response.json());
			if (response.status !== 202) return counts.note("task", `REFUSED ${response.status}`);
			if (fault !== "") return counts.note(`task, receiver ${fault}`, "submitted");
			const name = asText(id) ?? "";
			awaited.set(name, []);
			for (const body of early.get(name) ?? []) take(body);
			early.delete(name);
		},
	};
};
