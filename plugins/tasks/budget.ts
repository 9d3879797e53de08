/** What a task must pass before it is taken on: every policy, as a model call would, and the quota, which holds back what it may cost. */
import { sql } from "drizzle-orm";
import {
	type Denial,
	definedOnly,
	deny,
	type Identified,
	isDenial,
	type Outcome,
	type Statement,
	type Target,
	type TaskAsk,
} from "#core";
import type { Prices, Said, TaskFacts, TaskUnits } from "../prices/service.ts";
import type { LedgerWriter, Quota } from "../quota/service.ts";
import { nameAt } from "./catalogue.ts";
import { bothSay, saidBy } from "./prompt.ts";
import type { WorkRow } from "./row.ts";
import type { Task, TaskOrder, TaskUpstream } from "./service.ts";

/** What policies granted; settled exactly once. */
interface Grant {
	readonly tags?: Readonly<Record<string, string>> | undefined;
	settle(outcome: Outcome): void;
}

/** What guards changed: each text with what is sent in its place, and what is put back in what is made. */
export interface TaskWords {
	readonly sent: ReadonlyMap<string, string>;
	readonly restore: ReadonlyMap<string, string>;
}

/** Asks every policy and every guard about a call whose model and targets are known. */
export interface Authority {
	authorize(call: Identified, task: TaskAsk): Promise<{ readonly permits: Grant; readonly words?: TaskWords } | Denial>;
	/** Writes the row of a task that was not taken on. */
	refused(call: Identified, task: Pick<TaskAsk, "kind" | "model">, denial: Denial): void;
}

/** What is held back for a task. */
export interface Hold {
	/** Statements for the batch that creates the task. */
	readonly keep: readonly Statement[];
	/** The most it costs, in micro-dollars; undefined where no price is known. */
	readonly most?: number;
	/** What its request says that the price may go by; undefined where that cannot be told. */
	readonly said?: Said;
}

/** A new task as it goes to its upstream. */
interface HeldOrder extends Pick<TaskOrder, "model" | "prompt" | "details" | "input" | "bound"> {
	/** The task that it goes on from. */
	readonly parent: Pick<WorkRow, "said"> | undefined;
}

/** What of a task's row its charge goes by, and its row in the ledger tells. */
type SettledRow = Pick<WorkRow, "upstream" | "most" | "said" | "address" | "tags">;

export interface TaskBudget {
	/** Holds back what the task may cost at most, at whichever of the upstreams it is done in the end; the first is asked first. */
	hold(
		call: Identified,
		upstreams: readonly [TaskUpstream, ...TaskUpstream[]],
		order: HeldOrder,
		taskId: string,
	): Promise<Hold | Denial>;
	/** Statements for the batch that settles a task: they charge what was made, give the rest back, and write its row in the ledger. */
	settle(row: SettledRow, task: Task, made: TaskUnits): readonly Statement[];
	/** Statements that give back what was held for a task that was never made. */
	release(taskId: string): readonly Statement[];
}

interface TaskBudgetOptions {
	/** Without a quota nothing is held. */
	readonly quota: Quota | undefined;
	/** Without prices nothing costs anything. */
	readonly prices: Prices | undefined;
	/** Without a ledger nothing is written down. */
	readonly writer: () => LedgerWriter | undefined;
	upstream(name: string): TaskUpstream | undefined;
}

export const createTaskBudget = ({ quota, prices, writer, ...options }: TaskBudgetOptions): TaskBudget => {
	const cost = (upstream: string, model: string, units: TaskUnits, facts: TaskFacts): number | undefined => {
		const known = options.upstream(upstream);
		if (Object.values(units).every((count) => count === 0) || known?.free === true) return 0;
		const price = prices?.find(nameAt(known, model), { requested: model, upstream });
		return price && prices?.taskCost(units, price, facts);
	};
	const row = (
		task: Task,
		{ upstream, address, tags }: SettledRow,
		charged: number | undefined,
	): readonly Statement[] => {
		const ledger = writer();
		if (!ledger?.task) return [];
		const { id, tokenId, kind, model, failure, finishedAt: at } = task;
		const charge = { id, tokenId, kind, model, upstream, at, succeeded: task.status === "SUCCESS" };
		const durationMs = at - task.submittedAt;
		return ledger.statements([
			ledger.task({ ...charge, durationMs, ...definedOnly({ charged, failure, address, tags }) }),
		]);
	};
	return {
		async hold(call, upstreams, order, taskId) {
			const said = order.parent ? bothSay(saidBy(order), order.parent.said) : saidBy(order);
			const costs = upstreams.map(({ name }) => cost(name, order.model, order.bound, definedOnly({ said })));
			const most = costs[0] === undefined ? undefined : Math.max(...costs.map((one) => one ?? 0));
			const held = definedOnly({ most, said });
			if (!quota) return { keep: [], ...held };
			const { settings, owner } = call.token;
			const own = settings["quota"] !== undefined || settings["budgets"] !== undefined;
			const limited = own || owner?.ceiling !== undefined || owner?.compiled?.has("budgets") === true;
			if (most === undefined && limited) return withoutPrice(order.model);
			const reserved = await quota.reserve(call.token, most ?? 0, taskId);
			if (isDenial(reserved)) return reserved;
			// Where a twin was faster or an input found no room there is no task, and what is held must not outlast this process.
			return { keep: reserved.keep(sql`EXISTS (SELECT 1 FROM tasks WHERE id = ${taskId})`), ...held };
		},
		settle(settled, task, made) {
			const { upstream, most, said } = settled;
			const facts = definedOnly({ said, told: task.result?.told });
			// A price that was lost on the way is not 0: what was held is charged. Nothing is charged higher.
			const found = cost(upstream, task.model, made, facts) ?? most;
			const charged = found === undefined ? undefined : Math.min(found, most ?? found);
			return [...(quota?.settle(task.id, charged ?? 0) ?? []), ...row(task, settled, charged)];
		},
		release: (taskId) => quota?.settle(taskId, 0) ?? [],
	};
};

const withoutPrice = (model: string): Denial =>
	deny(
		"permission",
		`The model "${model.slice(0, 64)}" has no price for tasks, so a token with a quota may not use it. Ask the operator to set one.`,
		{
			code: "model_not_priced",
		},
	);

/** A target as policies see it: tasks reach their upstreams in their own way. */
export const targetOf = (upstream: TaskUpstream, model: string): Target => ({
	upstream: {
		name: upstream.name,
		protocols: [],
		send: () => Promise.reject(new TypeError("a task upstream takes no model calls")),
	},
	model: nameAt(upstream, model),
	capabilities: {},
});
