/** What a task must pass before it is taken on: every policy, as a model call would, and the quota, which holds back what it may cost. */
import { type Denial, deny, type Identified, type ModelCall, type Outcome, type Statement, type Target } from "#core";
import type { Prices, TaskUnits } from "../prices/service.ts";
import type { Quota } from "../quota/service.ts";
import type { TaskUpstream } from "./service.ts";

/** What policies granted; settled exactly once. */
export interface Grant {
	settle(outcome: Outcome): void;
}

/** Asks every policy about a call whose model and targets are known. */
export interface Authority {
	authorize(
		call: Identified,
		model: ModelCall,
		targets: readonly [Target, ...Target[]],
	): Promise<{ readonly permits: Grant } | Denial>;
}

/** What is held back for a task. */
export interface Hold {
	/** Statements for the batch that creates the task. */
	readonly keep: readonly Statement[];
}

export interface Accounts {
	/** Holds back what the task may cost at most. */
	hold(
		call: Identified,
		upstream: TaskUpstream,
		order: { readonly model: string; readonly bound: TaskUnits },
		taskId: string,
	): Promise<Hold | Denial>;
	/** Statements that charge what was made (nothing for no units) and give the rest back. */
	settle(taskId: string, upstream: TaskUpstream | undefined, model: string, made: TaskUnits): readonly Statement[];
}

/** Without prices nothing costs anything; without a quota nothing is held. */
export const createAccounts = (quota: Quota | undefined, prices: Prices | undefined): Accounts => {
	const cost = (upstream: TaskUpstream | undefined, model: string, units: TaskUnits): number | undefined => {
		if (Object.values(units).every((count) => count === 0) || upstream?.free === true) return 0;
		const price = prices?.find(model, { requested: model, ...(upstream && { upstream: upstream.name }) });
		return price && prices?.taskCost(units, price);
	};
	return {
		async hold(call, upstream, order, taskId) {
			if (!quota) return { keep: [] };
			const most = cost(upstream, order.model, order.bound);
			if (most === undefined && call.token.settings["quota"] !== undefined) return withoutPrice(order.model);
			const reserved = await quota.reserve(call.token.id, most ?? 0, taskId);
			return "kind" in reserved ? reserved : { keep: reserved.keep() };
		},
		settle: (taskId, upstream, model, made) => quota?.settle(taskId, cost(upstream, model, made) ?? 0) ?? [],
	};
};

const withoutPrice = (model: string): Denial =>
	deny(
		"permission",
		`The model "${model.slice(0, 64)}" has no price for tasks, so a token with a quota may not use it. Ask the operator to set one.`,
		{
			code: "model_without_price",
		},
	);

/** A target as policies see it: tasks reach their upstreams in their own way. */
export const targetOf = (upstream: TaskUpstream, model: string): Target => ({
	upstream: {
		name: upstream.name,
		protocols: [],
		send: () => Promise.reject(new TypeError("a task upstream takes no model calls")),
	},
	model,
	capabilities: {},
});
