/** A call spends from several accounts, and some of them may have no limit: a crash charges all of them the same. */
import { afterEach, expect, test } from "bun:test";
import { World, type WorldNode } from "../../test/support/quota-world.ts";
import { personAccount } from "./account-names.ts";
import {
	type AccountLimit,
	accountsOf,
	followOnAll,
	type Holding,
	holdNow,
	holdOnAll,
	isLack,
	markOnAll,
	settleOnAll,
} from "./holding.ts";

let world: World;
afterEach(() => world.close());

const node = (): WorldNode => world.nodes[0] as WorldNode;
const token = (): string => `${world.prefix}t`;
const person = (): string => `${world.prefix}p`;

type Limits = { readonly quota: number | undefined; readonly ceiling: number | undefined };

const open = async (): Promise<void> => {
	world = new World({ nodes: 1 });
	await world.open();
};

const accounts = ({ quota, ceiling }: Limits): readonly [AccountLimit, ...AccountLimit[]] => {
	const owner = { id: person(), ...(ceiling !== undefined && { ceiling }) };
	return accountsOf({ id: token(), owner, compiled: new Map() }, quota, 0);
};

const hold = async (id: string, limits: Limits, amount: number): Promise<Holding> => {
	const held = await holdOnAll(node().accounts, { id, model: { name: "m" } }, accounts(limits), {
		least: amount,
		most: amount,
	});
	if (isLack(held)) throw new Error("the call was refused");
	return held;
};

const charged = () => [
	world.account(token()).used,
	world.account(personAccount(person())).used,
	world.recorded(token()),
];

const dieAndComeBack = async (): Promise<void> => {
	world.kill(node(), true);
	await world.start(node());
};

test.each([
	{ quota: undefined, ceiling: 1_000 },
	{ quota: 1_000, ceiling: undefined },
	{ quota: 1_000, ceiling: 1_000 },
])("all it held, or its last mark: %o", async (limits) => {
	await open();
	if (limits.quota !== undefined) world.setQuota(token(), limits.quota);
	if (limits.ceiling !== undefined) world.setQuota(personAccount(person()), limits.ceiling);
	await hold("whole", limits, 100);
	const marked = await hold("marked", limits, 50);
	markOnAll(node().accounts, marked, 30);
	markOnAll(node().accounts, marked, 40);
	// A mark beyond what is held is all that is held, and no longer the mark before.
	const nearlyDone = await hold("nearly done", limits, 20);
	markOnAll(node().accounts, nearlyDone, 10);
	markOnAll(node().accounts, nearlyDone, 25);
	// The second time at once, from what the node has set aside.
	const quick = holdNow(node().accounts, { id: "quick", model: { name: "m" } }, accounts(limits), 7);
	await quick?.kept;
	expect(quick).toBeDefined();
	await dieAndComeBack();
	expect(charged()).toEqual([167, 167, 167]);
	await dieAndComeBack();
	expect(charged()).toEqual([167, 167, 167]);
});

/** A call that finds too little on its second account gives back the first, and holds both anew once there is more. */
const holdAtSecondTry = async (id: string, limits: Limits, amount: number): Promise<Holding> => {
	const call = { id, model: { name: "m" } };
	await hold("first", limits, 1);
	const lack = await holdOnAll(node().accounts, call, accounts(limits), { least: 500, most: 500 });
	if (!isLack(lack)) throw new Error("the call was not refused");
	return hold(id, limits, amount);
};

test("what a call was charged that had held, given back and held again", async () => {
	await open();
	const limits = { quota: 10_000, ceiling: 100 };
	world.setQuota(token(), limits.quota);
	world.setQuota(personAccount(person()), limits.ceiling);
	const held = await holdAtSecondTry("again", limits, 50);
	settleOnAll(node().accounts, held, 5);
	await dieAndComeBack();
	expect(charged()).toEqual([6, 6, 6]);
});

test("nothing, where nothing was held", async () => {
	await open();
	followOnAll(
		node().accounts,
		{ id: "counted", model: { name: "m" } },
		accounts({ quota: undefined, ceiling: undefined }),
	);
	await dieAndComeBack();
	expect(charged()).toEqual([0, 0, 0]);
});

test.each([
	{ journal: "lost", used: 30 },
	{ journal: "kept", used: 130 },
])(
	"a slice out of a restored backup, its journal $journal: charged $used, the rest goes back",
	async ({ journal, used }) => {
		await open();
		world.setQuota(token(), 1_000);
		const limits = { quota: 1_000, ceiling: undefined };
		settleOnAll(node().accounts, await hold("settled", limits, 30), 30);
		await world.pass(1_000);
		await hold("running", limits, 100);
		world.kill(node(), true);
		if (journal === "lost") for (const left of node().journals.left()) left.remove();
		world.restoreAsItIs();
		await world.start(node());
		await world.pass(60_000);
		await world.reap();
		expect(world.account(token())).toEqual({ quota: 1_000, used, leased: 0 });
	},
);
