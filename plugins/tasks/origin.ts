/**
 * What a new task goes on from. An upstream's account serves all tokens, so what an order names in it must be one of its
 * own token's tasks or a part of such a task's result; then the same upstream does this one too.
 */
import { asList, asRecord, asText, type Denial, deny, editWords, Fault, type WireRecord } from "#core";
import { type NamedId, namedIds } from "./named-ids.ts";
import type { WorkRow } from "./row.ts";
import type { Task, TaskOrder, TaskUpstream } from "./service.ts";
import type { TaskStore } from "./task-store.ts";

export interface Origin {
	readonly parent: WorkRow | undefined;
	/** With the upstream's own names for what is the token's. */
	readonly input: WireRecord;
	/** The first name that is not the token's: no upstream may read it unless its account is one client's. */
	readonly stranger: NamedId | undefined;
}

/** More than any service takes; what comes after is not looked up, and so is nobody's. */
const mostNames = 20;

const refuse = (denial: Denial): never => {
	throw new Fault(denial);
};

const usable = (row: WorkRow): boolean => row.task.status !== "FAILURE" && row.upstreamId !== undefined;

const checkUsable = (row: WorkRow): WorkRow =>
	usable(row)
		? row
		: refuse(
				deny("invalid_request", "The task to go on from has failed, or has not been taken on yet.", {
					code: "task_not_finished",
				}),
			);

const clipsOf = ({ result }: Task): readonly WireRecord[] => asList(result?.extra?.clips).map(asRecord);

/** What the upstream calls the result's first part; undefined where it has no name of its own. */
export const firstClip = ({ task }: WorkRow): string | undefined => asText(clipsOf(task)[0]?.id);

/** What the upstream calls the task, or the part of its result, that this is the client's name for. */
const nameAtUpstream = (row: WorkRow, id: string): string => {
	if (!id.startsWith(row.task.id)) return id;
	const part = id.slice(row.task.id.length + 1);
	return (part === "" ? undefined : asText(clipsOf(row.task)[Number(part)]?.id)) ?? row.upstreamId ?? id;
};

/** A button is pressed on the task's own message; where its upstream lists none, there is none to compare with. */
const isButtonOf = (parent: WorkRow | undefined, { at }: NamedId): boolean =>
	at === "customId" && parent?.task.status === "SUCCESS" && asList(parent.task.result?.extra?.buttons).length === 0;

export const findOrigin = async (
	taskStore: Pick<TaskStore, "work" | "holder">,
	tokenId: string,
	order: TaskOrder,
	input: WireRecord,
): Promise<Origin> => {
	const followed = order.follows === undefined ? undefined : await taskStore.work(order.follows);
	if (order.follows !== undefined && followed?.task.tokenId !== tokenId)
		refuse(deny("not_found", "The task to go on from does not exist.", { code: "task_not_found" }));

	const named = namedIds(input);
	const owners = new Map<string, WorkRow>();
	for (const id of new Set(named.slice(0, mostNames).map(({ id }) => id))) {
		const owner = id === "" ? undefined : await taskStore.holder(tokenId, id);
		if (owner?.task.kind === order.kind) owners.set(id, owner);
	}
	const [firstOwner] = owners.values();
	const found = followed ?? firstOwner;
	const parent = found && checkUsable(found);
	const own = [...owners].filter(([, owner]) => usable(owner) && owner.upstream === parent?.upstream);
	const names = new Map(own.map(([id, owner]) => [id, nameAtUpstream(owner, id)]));
	return {
		parent,
		input: names.size === 0 ? input : asRecord(editWords(input, names)),
		stranger: named.find((one) => !names.has(one.id) && !isButtonOf(parent, one)),
	};
};

/** Those that may be told what the order names. Throws `Fault` where there is none. */
export const mayBeTold = (
	upstreams: readonly TaskUpstream[],
	{ stranger }: Pick<Origin, "stranger">,
): readonly TaskUpstream[] => {
	if (!stranger || upstreams.length === 0) return upstreams;
	const single = upstreams.filter(({ tenancy }) => tenancy === "single");
	if (single.length > 0) return single;
	const parameter = stranger.at.slice(0, 64);
	return refuse(
		deny(
			"not_found",
			`${parameter}: this token has no task or result of that name, and what the upstream has or reaches besides is not the token's. Name a task of this token or a part of its result, or send the content itself, as data or at a public address.`,
			{ code: "unknown_reference", parameter },
		),
	);
};
