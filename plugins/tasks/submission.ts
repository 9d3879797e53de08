/** Takes an order on: everything that can refuse it is asked first, then one batch creates the task, its hold and its first callback. */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import {
	asRecord,
	type Denial,
	definedOnly,
	editWords,
	Fault,
	type Identified,
	invalidParameter,
	isDenial,
	isFault,
	type Outcome,
	orderedId,
	type Store,
	unknownModel,
	type WireRecord,
} from "#core";
import type { Webhooks } from "../webhooks/service.ts";
import type { Authority, Hold, TaskBudget } from "./budget.ts";
import { targetOf } from "./budget.ts";
import type { Catalogue } from "./catalogue.ts";
import { inputOf } from "./input.ts";
import type { InputRoom } from "./input-room.ts";
import { checkOrder } from "./order-checks.ts";
import { findOrigin, firstClip, mayBeTold, type Origin } from "./origin.ts";
import { bytesOf, promptOf } from "./prompt.ts";
import type { WorkRow } from "./row.ts";
import type { Task, TaskKind, TaskOrder, TaskUpstream } from "./service.ts";
import type { TaskStore } from "./task-store.ts";
import { insert, type NewTask } from "./transitions.ts";

interface SubmissionOptions {
	readonly store: Store;
	readonly taskStore: TaskStore;
	readonly catalogue: Catalogue;
	readonly authority: Authority;
	readonly accounts: TaskBudget;
	readonly inputRoom: InputRoom;
	readonly webhooks: Webhooks | undefined;
	baseUrl(call: Identified): string;
	readonly keepMs: number;
	now(): number;
	/** Called once the task exists. */
	made(task: Task): void;
}

const longestKey = 255;
const longestState = 1000;
const minute = 60_000;

const refuse = (denial: Denial): never => {
	throw new Fault(denial);
};

/** The key by which a client may ask for the same task again. Throws `Fault`. */
export const idempotencyKeyOf = (call: Identified): string | undefined => {
	const key = call.request.headers.get("idempotency-key")?.trim();
	if (key === undefined || key === "") return undefined;
	if (key.length > longestKey)
		refuse({ kind: "invalid_request", message: `The Idempotency-Key is longer than ${longestKey} characters.` });
	return key;
};

/** What must be the same for a repeated key to mean the same request. */
const fingerprintOf = (order: TaskOrder): string =>
	createHash("sha256").update(JSON.stringify(order)).digest("base64url");

const accepted: Outcome = { ending: "completed", sent: true, contentBytes: 0, pieces: 0 };
const unsent: Outcome = { ending: "refused", sent: false, contentBytes: 0, pieces: 0 };

/** What the upstream is told of the task that a new one goes on from. */
const parentFor = (parent: WorkRow | undefined): Pick<NewTask, "parent"> => {
	if (parent?.upstreamId === undefined) return {};
	const { upstreamId, memo } = parent;
	return { parent: { upstreamId, memo: { ...memo, ...definedOnly({ clip: firstClip(parent) }) } } };
};

export const createSubmission = (options: SubmissionOptions) => {
	const { store, taskStore, accounts, webhooks } = options;

	const repeated = async (
		call: Identified,
		key: string | undefined,
		fingerprint: string,
	): Promise<Task | undefined> => {
		if (key === undefined) return undefined;
		const row = await taskStore.byIdempotencyKey(call.token.id, key);
		if (row && row.fingerprint !== fingerprint)
			refuse({
				kind: "conflict",
				code: "idempotency_key_reused",
				message: "This Idempotency-Key was sent before with another request; use a new key for a new task.",
			});
		return row?.task;
	};

	const callbackUrlFor = (order: TaskOrder): string => {
		const url = order.callbackUrl ?? "";
		if (url === "") return "";
		if (!webhooks)
			return refuse({
				kind: "unsupported",
				parameter: "notifyHook",
				message: "Callbacks are switched off here; leave notifyHook out and ask for the task instead.",
			});
		const checked = webhooks.check(url);
		return "url" in checked ? checked.url : refuse({ ...checked, parameter: "notifyHook" });
	};

	const upstreamsFor = (order: TaskOrder, origin: Origin): readonly [TaskUpstream, ...TaskUpstream[]] => {
		const { parent } = origin;
		const all = options.catalogue.candidates(order.kind, order.model, order.action);
		const [first, ...others] = mayBeTold(parent ? all.filter(({ name }) => name === parent.upstream) : all, origin);
		return first ? [first, ...others] : refuse(unknownModel(order.model));
	};

	const newTask = (
		call: Identified,
		order: TaskOrder,
		kind: TaskKind,
		upstream: TaskUpstream,
		callbackUrl: string,
	): Omit<NewTask, "fingerprint"> => {
		const now = options.now();
		const task: Task = {
			id: `task_${orderedId(now)}`,
			tokenId: call.token.id,
			kind: order.kind,
			action: order.action,
			model: order.model,
			prompt: order.prompt,
			details: order.details,
			bound: order.bound,
			status: "NOT_START",
			progress: 0,
			callbackUrl,
			submittedAt: now,
			startedAt: 0,
			finishedAt: 0,
			updatedAt: now,
			expiresAt: now + options.keepMs,
			...(order.state !== undefined && { state: order.state.slice(0, longestState) }),
		};
		const deadlineAt = now + (upstream.timeoutMinutes ?? kind.timeoutMinutes) * minute;
		return {
			task,
			caller: call.caller,
			input: order.input,
			upstream: upstream.name,
			deadlineAt,
			baseUrl: options.baseUrl(call),
		};
	};

	/** Gives back what is held for a task that is not created. */
	const letGo = async ({ id }: Task): Promise<void> => {
		const released = accounts.release(id);
		if (released.length > 0) await store.write(released);
	};

	/** Creates the task. When a twin with the same key was faster, that one is the answer and this one's hold is let go. */
	const create = async (call: Identified, kind: TaskKind, made: NewTask, hold: Hold): Promise<Task> => {
		const { task } = made;
		const bytes = Buffer.byteLength(JSON.stringify(made.input));
		const written = await store.write([
			...insert(kind, made, options.inputRoom.fits(call.token, bytes)),
			...hold.keep,
			sql`SELECT id FROM tasks WHERE id = ${task.id}`,
		]);
		const twin = await repeated(call, made.idempotencyKey, made.fingerprint);
		if (twin && twin.id !== task.id) {
			await letGo(task);
			return twin;
		}
		if (written.at(-1)?.rows.length === 0) {
			await letGo(task);
			return refuse(await options.inputRoom.denial(call.token, bytes));
		}
		options.made(task);
		return task;
	};

	const takeOn = async (call: Identified, order: TaskOrder): Promise<Task> => {
		checkOrder(order);
		const kind = options.catalogue.kind(order.kind);
		if (!kind) throw invalidParameter("kind", `There is no task kind "${order.kind.slice(0, 32)}" here.`);
		const given = inputOf(order);
		const idempotencyKey = idempotencyKeyOf(call);
		const fingerprint = fingerprintOf(order);
		const earlier = await repeated(call, idempotencyKey, fingerprint);
		if (earlier) return earlier;

		const callbackUrl = callbackUrlFor(order);
		const origin = await findOrigin(taskStore, call.token.id, order, given);
		const { input, parent } = origin;
		const upstreams = upstreamsFor(order, origin);
		const [upstream] = upstreams;
		const [target, ...targets] = upstreams.map((one) => targetOf(one, order.model));
		if (!target) return refuse(unknownModel(order.model));
		const granted = await options.authority.authorize(call, {
			kind: order.kind,
			model: order.model,
			targets: [target, ...targets],
			requestBytes: bytesOf(order),
			prompt: () => promptOf(order),
		});
		if (isDenial(granted)) return refuse(granted);
		let outcome = unsent;
		try {
			const { words, permits } = granted;
			const sentOf = (fields: WireRecord): WireRecord => (words ? asRecord(editWords(fields, words.sent)) : fields);
			const sent = sentOf(input);
			const made = newTask(call, { ...order, input: sent }, kind, upstream, callbackUrl);
			const held = { ...order, details: sentOf(order.details), input: sent, parent };
			const hold = await accounts.hold(call, upstreams, held, made.task.id);
			// What keeps this one out may be its own twin, which was faster.
			if (isDenial(hold)) return (await repeated(call, idempotencyKey, fingerprint)) ?? refuse(hold);
			const task = await create(
				call,
				kind,
				{
					...made,
					fingerprint,
					...definedOnly({ idempotencyKey, most: hold.most, said: hold.said, words, tags: permits.tags }),
					...definedOnly({ address: call.address }),
					...parentFor(parent),
				},
				hold,
			);
			outcome = accepted;
			return task;
		} finally {
			granted.permits.settle(outcome);
		}
	};

	return async (call: Identified, order: TaskOrder): Promise<Task> => {
		try {
			return await takeOn(call, order);
		} catch (error) {
			if (isFault(error)) options.authority.refused(call, order, error.denial);
			throw error;
		}
	};
};
