/** A gateway with tasks, webhooks and the scripted kind, on a clock that tests move. */
import { resolve } from "node:path";
import { type GatewayOptions, startGateway, type TestGateway } from "#core/testing";
import { createMovedClock, type MovedClock } from "./moved-clock.ts";
import { quiet } from "./quiet.ts";

export interface TaskWorld extends TestGateway {
	readonly moved: MovedClock;
	/** Moves the clock in steps, letting the work between them happen. */
	pass(milliseconds: number, step?: number): Promise<void>;
	json(
		path: string,
		body?: unknown,
		init?: RequestInit,
	): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
}

const here = (name: string): string => resolve(import.meta.dir, name);

export interface TaskWorldOptions {
	readonly clock?: MovedClock;
	readonly folder?: string;
	readonly webhooks?: Readonly<Record<string, unknown>> | false;
	readonly tasks?: Readonly<Record<string, unknown>>;
	readonly scripted?: Readonly<Record<string, unknown>>;
	readonly more?: GatewayOptions["plugins"];
}

export const startTaskWorld = async (options: TaskWorldOptions = {}): Promise<TaskWorld> => {
	const moved = options.clock ?? createMovedClock();
	const gateway = await startGateway({
		clock: moved,
		...(options.folder !== undefined && { folder: options.folder }),
		plugins: [
			"tokens",
			...(options.webhooks === false
				? []
				: [{ use: "webhooks", with: { allowPrivateNetworks: true, ...options.webhooks } }]),
			{ use: "tasks", with: options.tasks ?? {} },
			{ use: here("scripted-kind.ts"), with: options.scripted ?? {} },
			...(options.more ?? []),
		],
	});
	return {
		...gateway,
		moved,
		async pass(milliseconds, step = 1000) {
			for (let left = milliseconds; left > 0; left -= step) {
				moved.advance(Math.min(step, left));
				await quiet(15);
			}
		},
		async json(path, body, init) {
			const response = await gateway.ask(path, body, init);
			return { status: response.status, body: (await response.json()) as Record<string, unknown> };
		},
	};
};
