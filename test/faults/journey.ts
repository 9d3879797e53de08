/** One task that lives across a fault: its callbacks must arrive all the same, each state once and in order (INV5). */
import { resolve } from "node:path";
import { asRecord, asText } from "#core";
import type { TestGateway } from "#core/testing";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { made, scripted } from "../support/scripted-kind.ts";
import { until } from "./until.ts";

/** The plugins it needs, for the gateway's config. */
export const journeyPlugins = [
	{ use: "webhooks", with: { allowPrivateNetworks: true } },
	"tasks",
	{ use: resolve(import.meta.dir, "../support/scripted-kind.ts") },
] as const;

const states = ["NOT_START", "IN_PROGRESS", "SUCCESS"];
/** Attempts that one callback may take. */
const mostAttempts = 4;

export interface Journey {
	/** Submits the task; its upstream keeps it waiting. */
	begin(): Promise<void>;
	/** Lets it end; says what is wrong with its callbacks. */
	end(): Promise<readonly string[]>;
	close(): Promise<void>;
}

/** What is wrong with the callbacks of one task. */
export const complaintsOf = (received: readonly Received[]): readonly string[] => {
	const firsts = new Map(received.map((one) => [one.headers["webhook-id"] ?? "", one]));
	const sequence = [...firsts.values()].map(({ headers }) => Number(headers["x-event-seq"]));
	const told = [...firsts.values()].map(({ body }) => asRecord(JSON.parse(body.toString()))["status"]);
	const most = Math.max(...received.map(({ headers }) => Number(headers["x-delivery-attempt"])));
	return [
		...(told.join() === states.join() ? [] : [`INV5: callbacks told ${told.join() || "nothing"}`]),
		...(sequence.every((number, index) => number === index + 1) ? [] : [`INV5: out of order: ${sequence.join()}`]),
		...(most <= mostAttempts ? [] : [`INV5: ${most} attempts`]),
	];
};

export const startJourney = async (gateway: () => TestGateway): Promise<Journey> => {
	const hook: Receiver = await startReceiver();
	let release: () => void = () => undefined;
	let id = "";
	const of = (task: string): readonly Received[] =>
		hook.received.filter(({ headers }) => headers["x-task-id"] === task);
	return {
		async begin() {
			const held = new Promise<void>((done) => {
				release = done;
			});
			scripted.submit = async () => {
				await held;
				return { outcome: "done", made };
			};
			const body = { kind: "scripted", prompt: "x", notifyHook: `${hook.origin}/hook` };
			const response = await gateway().ask("/v1/tasks", body, { keepalive: false });
			id = asText(asRecord(await response.json())["id"]) ?? "";
		},
		async end() {
			release();
			await until(() => of(id).length >= states.length);
			const complaints = complaintsOf(of(id));
			hook.received.length = 0;
			return complaints;
		},
		close: () => hook.close(),
	};
};
