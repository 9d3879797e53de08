/** A gateway with every kind of task, on a clock that tests move, and one upstream over HTTP that a test scripts. */
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { createMovedClock, type MovedClock } from "./moved-clock.ts";
import { quiet } from "./quiet.ts";
import { type Received, type Receiver, startReceiver } from "./receiver.ts";

export interface MediaWorld extends TestGateway {
	readonly moved: MovedClock;
	readonly hook: Receiver;
	readonly upstream: ScriptedUpstream;
	pass(milliseconds: number, step?: number): Promise<void>;
	json(
		path: string,
		body?: unknown,
		init?: RequestInit,
	): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
	/** Moves the clock until the task has ended. */
	finish(id: unknown): Promise<void>;
	/** Callbacks so far, parsed. */
	callbacks(): Record<string, unknown>[];
	close(): Promise<void>;
}

/** Upstreams of one kind that all lead to the scripted one. */
export type Upstreams = readonly {
	readonly type: string;
	readonly models: readonly string[];
	readonly path?: string;
	readonly [more: string]: unknown;
}[];

export interface MediaWorldOptions {
	readonly image?: Upstreams;
	readonly video?: Upstreams;
	readonly music?: Upstreams;
	readonly demo?: Readonly<Record<string, unknown>>;
	readonly more?: Parameters<typeof startGateway>[0]["plugins"];
}

/** Upstreams of every kind, by models that each of their clients can name. */
export const everyKind = {
	image: [
		{ type: "openai-images", models: ["picture"] },
		{ type: "midjourney-proxy", models: ["midjourney"] },
	],
	video: [
		{ type: "openai-videos", models: ["clip"] },
		{ type: "kling", models: ["kling"] },
	],
	music: [{ type: "suno-api", models: ["song"] }],
};

export const startMediaWorld = async (options: MediaWorldOptions = {}): Promise<MediaWorld> => {
	const moved = createMovedClock();
	const upstream = startUpstream();
	const hook = await startReceiver();
	const kind = (name: "image" | "video" | "music") => ({
		use: name,
		with: {
			upstreams: (options[name] ?? []).map(({ path = "", ...rest }, index) => ({
				name: `${name}-${index}`,
				key: `key-of-${name}-${index}`,
				url: upstream.url + path,
				...rest,
			})),
		},
	});
	const gateway = await startGateway({
		clock: moved,
		plugins: [
			"tokens",
			{ use: "webhooks", with: { allowPrivateNetworks: true } },
			"tasks",
			kind("image"),
			kind("video"),
			kind("music"),
			{ use: "demo", with: { taskSeconds: 4, taskModels: ["*"], ...options.demo } },
			...(options.more ?? []),
		],
	});
	const pass: MediaWorld["pass"] = async (milliseconds, step = 250) => {
		for (let left = milliseconds; left > 0; left -= step) {
			moved.advance(Math.min(step, left));
			await quiet(8);
		}
	};
	return {
		...gateway,
		moved,
		hook,
		upstream,
		pass,
		async finish(id) {
			for (let step = 0; step < 400; step++) {
				const shown = (await (await gateway.ask(`/v1/tasks/${id}`)).json()) as { status: string };
				if (shown.status === "SUCCESS" || shown.status === "FAILURE") break;
				await pass(250);
			}
			await pass(100, 50);
		},
		async json(path, body, init) {
			const response = await gateway.ask(path, body, init);
			return { status: response.status, body: (await response.json()) as Record<string, unknown> };
		},
		callbacks: () => hook.received.map(({ body }: Received) => JSON.parse(body.toString()) as Record<string, unknown>),
		async close() {
			const stopping = gateway.stop();
			moved.advance(10_000);
			await stopping;
			await Promise.all([upstream.stop(), hook.close()]);
		},
	};
};
