/** Lists of tasks, page by page. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { made, resetScript, scripted } from "../../test/support/scripted-kind.ts";
import { idOf, receiver, stopAll, world } from "../../test/support/scripted-tasks.ts";

beforeEach(resetScript);
afterEach(stopAll);

interface Page {
	readonly data: readonly { readonly id: string }[];
	readonly last_id: string | null;
	readonly has_more: boolean;
}

const several = async () => {
	const at = await world();
	scripted.submit = async () => ({ outcome: "done", made });
	const ids: string[] = [];
	for (let index = 0; index < 5; index++) {
		ids.push(await idOf(at));
		await at.pass(500);
	}
	const page = async (query: string) => (await at.json(`/v1/tasks?limit=2&${query}`)).body as unknown as Page;
	return { at, ids, page };
};

test.each(["asc", "desc"])("whose last task was removed is followed by the rest (%s)", async (order) => {
	const { at, ids, page } = await several();
	const { createTaskStore } = await import("./task-store.ts");
	const store = createTaskStore(at.store);
	const seen: string[] = [];
	let query = `order=${order}`;
	for (let more = true; more; ) {
		const { data, last_id, has_more } = await page(query);
		seen.push(...data.map(({ id }) => id));
		await store.removeAll(data.map(({ id }) => id));
		query = `order=${order}&after=${last_id}`;
		more = has_more;
	}
	expect(seen).toEqual(order === "asc" ? ids : ids.toReversed());
});

test("an empty `after` is none, and one that no task ever had is followed by nothing", async () => {
	const { ids, page } = await several();
	expect((await page("after=")).data.map(({ id }) => id)).toEqual([ids[4] ?? "", ids[3] ?? ""]);
	for (const after of ["nonsense", "task_", `task_${"z".repeat(32)}`])
		expect((await page(`after=${after}`)).data).toEqual([]);
});

test("an empty `after` is none in the lists of callbacks and of the operator's tasks too", async () => {
	const [at, hook] = [await world(), await receiver()];
	const id = await idOf(at, { notifyHook: `${hook.origin}/x` });
	expect((await at.json("/v1/deliveries?after=")).body["data"]).toHaveLength(1);
	expect(await at.admin("GET", "/admin/tasks?after=")).toMatchObject({ data: [{ id }] });
});
