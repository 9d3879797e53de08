/** A gateway filled in bulk, and what a call and a task cost in it. */
import { type SQL, sql } from "drizzle-orm";
import { startGateway, type TestGateway } from "#core/testing";

/** What there is much of. */
export interface Size {
	readonly tokens?: number;
	readonly models?: number;
	readonly rows?: number;
	readonly openTasks?: number;
	/** The tokens that call belong to some of them, each with a budget. */
	readonly persons?: number;
}

export interface GrownPortico {
	/** Microseconds of processor time a call, of so many. */
	calls(count: number): Promise<number>;
	/** The same for a task, from its submission to its end. */
	tasks(count: number): Promise<number>;
	stop(): Promise<void>;
}

const callers = 50;
const personPrefix = "per_bench_";
const connection = { address: "127.0.0.1", holdOpen: () => () => undefined };
const day = 24 * 60 * 60 * 1000;

const numbers = (count: number): SQL =>
	sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

const inBulk = async ({ store }: TestGateway, count: number, insert: (from: number, many: number) => SQL) => {
	const atOnce = 250_000;
	for (let made = 0; made < count; made += atOnce) await store.write([insert(made, Math.min(atOnce, count - made))]);
};

const fill = async (
	gateway: TestGateway,
	{ tokens = 0, rows = 0, openTasks = 0, persons = 0 }: Size,
): Promise<void> => {
	await inBulk(
		gateway,
		tokens,
		(from, many) =>
			sql`INSERT INTO tokens (id, name, digest, preview, settings, disabled, deleted, created_at, revision)
				${numbers(many)} SELECT 'tok_' || (${from} + i), 'bench', hex(randomblob(32)), 'sk-…', '{}', 0, 0, 0, i FROM n`,
	);
	await inBulk(
		gateway,
		rows,
		(from, many) =>
			sql`INSERT INTO ledger (id, at, token, model, ending, input_tokens, cached_tokens, output_tokens, reasoning_tokens, cost, excess, detail)
				${numbers(many)} SELECT 'req_' || printf('%012x', ${from} + i) || hex(randomblob(10)), ${from} + i,
				'tok_' || (i % 1000), 'bench', 'completed', 10, 0, 20, 0, 30, 0, '{"protocol":"chat-completions","status":200}' FROM n`,
	);
	await inBulk(
		gateway,
		persons,
		(from, many) =>
			sql`INSERT INTO persons (id, name, name_key, role, password, ceiling, limits, disabled, created_at)
				${numbers(many)} SELECT ${personPrefix} || (${from} + i), 'person ' || (${from} + i), 'person ' || (${from} + i),
				'member', '', 1000000000, '{}', 0, 0 FROM n`,
	);
	// They run for days at an upstream that is asked after them in hours.
	const now = Date.now();
	await inBulk(
		gateway,
		openTasks,
		(from, many) =>
			sql`INSERT INTO tasks (id, token_id, kind, action, model, request, status, sequence, callback_url, callback, base_url,
					submitted_at, started_at, changed_at, expires_at, upstream, upstream_id, due_at, deadline_at, fingerprint)
				${numbers(many)} SELECT 'task_' || lower(hex(randomblob(16))), 'tok_' || (i % 1000), 'image', 'IMAGINE', 'bench',
				'{"prompt":"a cat","details":{}}', 'IN_PROGRESS', 2, '', '{}', 'http://localhost', ${now} - i, ${now}, ${now},
				${now + 30 * day}, 'demo-image', 'job_' || (${from} + i), ${now + day} + i, ${now + 3 * day}, 'bench' FROM n`,
	);
};

const plugins = (models: number, persons: number) => [
	...(persons > 0 ? ["people"] : []),
	"tokens",
	"expiry",
	"model-list",
	"ip-whitelist",
	{ use: "prices", with: { default: { input: 1, output: 4 } } },
	"rate-limit",
	"quota",
	"chat-completions",
	{ use: "demo", with: { wordMs: 0, taskSeconds: 0.1 } },
	{
		use: "router",
		with: {
			models: Array.from({ length: models }, (_, index) => ({
				name: `model-${index}`,
				targets: [{ upstream: "demo" }],
			})),
		},
	},
	"ledger",
	"tasks",
	"image",
];

const spentBy = async (work: () => Promise<void>): Promise<number> => {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return user + system;
};

/** Builds it and fills it. */
export const buildGateway = async (size: Size): Promise<GrownPortico> => {
	const { models = 1, persons = 0 } = size;
	const gateway = await startGateway({ config: { server: { logLevel: "warn" } }, plugins: plugins(models, persons) });
	await fill(gateway, size);
	const keys: string[] = [];
	for (let index = 0; index < callers; index++) {
		// From one end of the list to the other.
		const owner = `${personPrefix}${1 + Math.floor((index * persons) / callers)}`;
		const settings = { quota: 1_000, models: ["model-*"], ips: ["127.0.0.0/8"], ...(persons > 0 && { owner }) };
		keys.push((await gateway.token(settings)).key);
	}
	const tasker = await gateway.token();

	const post = async (path: string, key: string, body: object): Promise<void> => {
		const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
		const request = new Request(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
		const response = await gateway.portico.handle(request, connection);
		if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
		await response.arrayBuffer();
	};
	/** So many, some of them at the same time. */
	const all = async (count: number, atOnce: number, one: (index: number) => Promise<void>): Promise<void> => {
		for (let index = 0; index < count; index += atOnce)
			await Promise.all(Array.from({ length: atOnce }, (_, offset) => one(index + offset)));
	};
	const openTasks = async (): Promise<number> => {
		const [row] = await gateway.store.all(
			sql`SELECT count(*) AS open FROM tasks WHERE token_id = ${tasker.id} AND due_at IS NOT NULL`,
		);
		return Number(row?.["open"]);
	};

	return {
		calls: async (count) =>
			(await spentBy(async () => {
				await all(count, callers, (index) =>
					post("/v1/chat/completions", keys[index % callers] ?? "", {
						model: `model-${index % models}`,
						max_tokens: 20,
						messages: [{ role: "user", content: "Say hello." }],
					}),
				);
				await gateway.admin("GET", "/admin/usage?by=token&from=2020-01-01");
			})) / count,
		// One that fails is looked after as any other, and no picture is made.
		tasks: async (count) =>
			(await spentBy(async () => {
				await all(count, 20, () =>
					post("/v1/tasks", tasker.key, { kind: "image", model: "demo", prompt: "a cat /fail out of paint" }),
				);
				while ((await openTasks()) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
			})) / count,
		stop: () => gateway.stop(),
	};
};
