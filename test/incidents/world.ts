/** A gateway in which things go wrong beyond a call: its disk, its config, its callbacks, its tasks, a person's money. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asList, asRecord, asText, type CallAdmin, commands, isFault } from "#core";
import { startGateway, startUpstream, type TestGateway } from "#core/testing";
import { statusCommand } from "../../core/command-line/status.ts";
import { createMovedClock, type MovedClock, until } from "../support/moved-clock.ts";
import { joined } from "../support/people-world.ts";
import { quiet } from "../support/quiet.ts";
import { type Receiver, startReceiver, status } from "../support/receiver.ts";
import { resetScript, scripted } from "../support/scripted-kind.ts";
import { startSqlServer } from "../support/sql-server.ts";
import type { Incident } from "./incident.ts";

export interface IncidentWorld {
	readonly gateway: TestGateway;
	readonly clock: MovedClock;
	/** By what went wrong. */
	readonly incidents: Readonly<Record<string, () => Promise<Incident>>>;
	stop(): Promise<void>;
}

const body = (model: string) => ({ model, max_tokens: 20, messages: [{ role: "user", content: "hello" }] });
const answered = (): Response =>
	Response.json({
		id: "c",
		object: "chat.completion",
		created: 1,
		model: "up",
		choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
		usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 },
	});

/** By which `portico status` ends with 1. */
const oneTrouble = "not well: troubles of the server 1, upstreams that fail ";

/** What a command prints, and why it ends with 1 where it does. */
const printer =
	(gateway: TestGateway) =>
	async (name: string, ...words: readonly string[]): Promise<string> => {
		const lines: string[] = [];
		const call: CallAdmin = (method, path, body) => gateway.admin(method, path, body);
		const all = [statusCommand, ...(gateway.portico.generation?.all(commands) ?? [])];
		await all
			.find((one) => one.name === name)
			?.run({ words, call, print: (line) => lines.push(line), server: gateway.url })
			.catch((error: unknown) => {
				if (!isFault(error)) throw error;
				lines.push(error.message);
			});
		return lines.join("\n");
	};

export const startIncidentWorld = async (): Promise<IncidentWorld> => {
	resetScript();
	const folder = mkdtempSync(join(tmpdir(), "portico-incidents-"));
	const database = startSqlServer(join(folder, "shared.db"));
	const upstream = startUpstream(answered);
	const receiver: Receiver = await startReceiver(status(500));
	const clock = createMovedClock(Date.UTC(2026, 10, 22, 3));
	const gateway = await startGateway({
		clock,
		config: { database: { url: database.url } },
		plugins: [
			"tokens",
			"people",
			"console",
			"chat-completions",
			"quota",
			{ use: "prices", with: { models: { up: { input: 1_000, output: 1_000 } } } },
			"ledger",
			{ use: "webhooks", with: { allowPrivateNetworks: true } },
			"tasks",
			{ use: join(import.meta.dir, "../support/scripted-kind.ts") },
			{
				use: "router",
				with: {
					upstreams: [
						{ name: "main", protocol: "chat-completions", url: `${upstream.url}/v1`, key: "sk-main-0123456789" },
					],
					models: [{ name: "m", targets: [{ upstream: "main", model: "up" }] }],
				},
			},
		],
	});
	const printed = printer(gateway);
	const pass = async (milliseconds: number, step = 1_000): Promise<void> => {
		for (let left = milliseconds; left > 0; left -= step) {
			clock.advance(Math.min(step, left));
			await quiet(15);
		}
	};
	const asked = async (model: string, key: string): Promise<string> => {
		const response = await gateway.ask("/v1/chat/completions", body(model), {
			headers: { authorization: `Bearer ${key}` },
		});
		await response.text();
		return response.headers.get("x-request-id") ?? "";
	};
	const ofCall = async (id: string, says: readonly string[]): Promise<Incident> => ({
		told: await printed("explain", id),
		page: `/console/calls/${id}`,
		says,
	});
	const submitted = async (name: string, more: object = {}): Promise<string> => {
		const { key } = await gateway.token({ name });
		const order = { kind: "scripted", prompt: "a cat", ...more };
		const answer = await gateway.ask("/v1/tasks", order, { headers: { authorization: `Bearer ${key}` } });
		return asText(asRecord(await answer.json())["id"]) ?? "";
	};
	const ended = async (id: string, wanted: string): Promise<void> =>
		await until(async () => {
			await pass(1_000);
			return (await gateway.admin("GET", `/admin/tasks/${id}`))["status"] === wanted;
		}, wanted);

	const incidents: IncidentWorld["incidents"] = {
		async "the used-up budget of a person"() {
			const ada = await joined(gateway, "Ada", { budgets: [{ amount: 0, per: "day" }] });
			const { key } = await gateway.token({ name: "adas", owner: ada.id });
			const words = ["adas", "quota_exhausted", "he budget of this token's owner for the day is used up"];
			return await ofCall(await asked("m", key), [...words, "resets at 2026-11-23", "portico person update ID"]);
		},
		async "a task that failed"() {
			scripted.poll = async () => ({
				state: "failed",
				failure: { code: "upstream_refused", reason: "Your account has no credit" },
			});
			const id = await submitted("films");
			await ended(id, "FAILURE");
			return {
				told: await printed("tasks", id),
				page: `/console/tasks/${id}`,
				says: [id, "films", "Your account has no credit", "pay, or send its models elsewhere"],
			};
		},
		async "a dead callback"() {
			const id = await submitted("hooks", { notifyHook: `${receiver.origin}/hook` });
			const dead = async () =>
				asList((await gateway.admin("GET", `/admin/deliveries?status=dead&task=${id}`))["data"]).map(asRecord)[0];
			await until(async () => {
				await pass(10_000, 2_000);
				return (await dead()) !== undefined;
			}, "a dead callback");
			const delivery = String((await dead())?.["id"]);
			return {
				told: await printed("deliveries", "show", delivery),
				page: `/console/callbacks/${delivery}`,
				says: ["hooks", `${receiver.origin}/hook`, "500", "The receiver fails", `redeliver ${delivery}`],
			};
		},
		async "a reload that failed"() {
			const file = join(gateway.folder, "portico.yaml");
			const good = readFileSync(file, "utf8");
			writeFileSync(file, "plugins: [{ use: nobody }]");
			const reload = async () => await gateway.admin("POST", "/admin/reload").catch(() => undefined);
			await reload();
			return {
				told: await printed("status"),
				page: "/console/config",
				says: ["The config file was refused, and what ran goes on for all", "nobody", "portico check"],
				printed: [oneTrouble],
				async mend() {
					writeFileSync(file, good);
					await reload();
				},
			};
		},
		async "a full disk"() {
			const { key } = await gateway.token({ name: "held", quota: 1 });
			database.fill(true);
			await asked("m", key);
			return {
				told: await printed("status"),
				page: "/console/config",
				printed: [oneTrouble],
				says: ["The disk of the database is full", "SQLITE_FULL", "Calls under a quota", "Make room on the disk"],
				async mend() {
					database.fill(false);
					await asked("m", key);
				},
			};
		},
	};
	return {
		gateway,
		clock,
		incidents,
		async stop() {
			database.fill(false);
			let stopped = false;
			const stopping = gateway.stop().finally(() => {
				stopped = true;
			});
			// What a reload replaced may still be ending, and waits for time to pass.
			await until(() => {
				clock.advance(100);
				return stopped;
			}, "the end of the gateway");
			await stopping;
			await upstream.stop();
			await receiver.close();
			await database.close();
			rmSync(folder, { recursive: true, force: true });
		},
	};
};
