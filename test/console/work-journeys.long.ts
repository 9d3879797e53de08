/** Asynchronous work: tasks and callbacks: each page as a person lives it, against a gateway as it ships. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { sql } from "drizzle-orm";
import { hasBrowser, patience } from "./browser.ts";
import { type Journey, startJourney } from "./journey.ts";

setDefaultTimeout(patience);

describe.skipIf(!hasBrowser)("somebody", () => {
	let at: Journey;
	beforeAll(async () => {
		at = await startJourney();
	});
	afterAll(() => at.stop());

	test("begins with a task that this gateway takes on, and sees at a glance why one failed", async () => {
		await at.go("Tasks");
		const command = (await at.page.getByRole("region", { name: "A task" }).textContent()) ?? "";
		const body = JSON.parse(/-d '(.*)'$/.exec(command)?.[1] ?? "") as object;
		const { key } = await at.gateway.token({ name: "beginner" });
		const init = { headers: { authorization: `Bearer ${key}` } };
		const asked = { ...body, prompt: "/fail out of paint", notifyHook: "" };
		expect((await at.gateway.ask("/v1/tasks", asked, init)).status).toBe(202);
		await at.page.getByRole("row", { name: /out of paint.*beginner.*Failed.*demo_failure/ }).waitFor();
		await at.page.getByRole("button", { name: "Waiting", exact: true }).click();
		await at.page.getByText("No task is in this state.").waitFor();
		await at.page.getByRole("link", { name: "Show every task" }).click();
		await at.page.getByRole("row", { name: /out of paint/ }).waitFor();
		// A picture is no tokens, not even none.
		await at.go("Calls");
		await at.page.getByRole("row", { name: /beginner.*demo-image – – .*Failed demo_failure/ }).waitFor();
	});

	test("follows a task to its result", async () => {
		const { key } = await at.gateway.token({ name: "painter" });
		const headers = { authorization: `Bearer ${key}` };
		const body = { kind: "image", model: "demo", prompt: "A door in the sun" };
		const task = (await (await at.gateway.ask("/v1/tasks", body, { headers })).json()) as { id: string };
		await at.go("Tasks");
		await at.page.getByRole("link", { name: "A door in the sun" }).click();
		await at.sheet().locator(".state", { hasText: "Done" }).waitFor();
		expect(await at.sheet().getByRole("link", { name: "image" }).getAttribute("href")).toContain(task.id);
		await at.sheet().getByRole("link", { name: "painter" }).waitFor();
		await at.button("Close").click();
	});

	test("reads how far a task is, and the beginning of a long prompt in whole letters", async () => {
		const task = { id: "task_long", kind: "image", model: "m", status: "IN_PROGRESS", progress: 37 };
		const prompt = `${"a".repeat(59)}🚀🚀`;
		await at.page.route(/admin\/tasks\?/, (route) => route.fulfill({ json: { data: [{ ...task, prompt }] } }));
		await at.go("Tasks");
		await at.page.getByRole("row", { name: /Running 37 %/ }).waitFor();
		await at.page.getByRole("link", { name: `${"a".repeat(59)}🚀…`, exact: true }).waitFor();
		await at.page.unroute(/admin\/tasks\?/);
	});

	test("sees why tasks wait: their upstream fails, and where one of them stands", async () => {
		const lastFailure = { message: "It could not be reached. (ECONNREFUSED)", advice: "Start it." };
		const away = { upstream: "studio", of: "tasks", circuit: "half-open", failingSince: new Date().toISOString() };
		const upstreams = [
			{ ...away, lastFailure, failing: true },
			{ ...away, upstream: "idle", failing: false },
			// No circuit keeps calls away from it, for its key alone is refused.
			{ upstream: "vendor", circuit: "closed", keys: [false], failing: true },
		];
		await at.page.route("**/admin/troubles", (route) => route.fulfill({ json: { data: [], upstreams, workers: 1 } }));
		const standing = "It waits for its turn at studio.";
		const task = { id: "task_waits", kind: "image", model: "m", status: "NOT_START", standing };
		await at.page.route("**/admin/tasks/task_waits", (route) => route.fulfill({ json: task }));
		await at.page.goto("/console/tasks/task_waits");
		await at.sheet().getByText(standing).waitFor();
		await at.button("Close").click();
		await at.page.getByText("The upstream studio fails: It could not be reached. (ECONNREFUSED)").waitFor();
		await at.page.getByText("Start it.").waitFor();
		expect(await at.page.getByText("The upstream idle").count()).toBe(0);
		await at.page.getByRole("link", { name: /Tasks.*1 failing/ }).waitFor();
		await at.page.getByRole("link", { name: /Models.*1 failing/ }).waitFor();
		await at.page.unroute("**/admin/troubles");
		await at.page.unroute("**/admin/tasks/task_waits");
	});

	test("tells the files of a result apart", async () => {
		const files = ["a", "b"].map((name) => ({ role: "image", url: `https://files.example/${name}.png` }));
		const task = { id: "task_two", kind: "image", model: "m", status: "SUCCESS", output: { files } };
		await at.page.route("**/admin/tasks/task_two", (route) => route.fulfill({ json: task }));
		await at.page.goto("/console/tasks/task_two");
		const second = at.sheet().getByRole("link", { name: "image 2", exact: true });
		expect(await second.getAttribute("href")).toEndWith("/b.png");
		await at.button("Close").click();
		await at.page.unroute("**/admin/tasks/task_two");
	});

	test("sends a dead callback again, and tests an address", async () => {
		const { id: token } = await at.gateway.token({ name: "called back" });
		const url = `${at.hook.origin}/hook`;
		await at.gateway.store.write([
			sql`INSERT INTO deliveries (id, owner, subject, sequence, event, url, origin, body, state, created_at, due_at, finished_at)
				VALUES ('msg_dead_1', ${token}, 'task_dead', 1, 'SUCCESS', ${url}, ${at.hook.origin}, '{"a":1}', 'dead', ${Date.now()}, 1, 1)`,
		]);
		await at.go("Callbacks");
		await at.page.getByRole("button", { name: "Dead", exact: true }).click();
		await at.page.getByRole("link", { name: "SUCCESS" }).click();
		await at.button("Send again").click();
		await at.sheet().locator(".state", { hasText: "Delivered" }).waitFor();
		await at
			.sheet()
			.getByText(/by hand/)
			.waitFor();
		expect(at.hook.received.map(({ path, body }) => [path, body.toString()])).toEqual([["/hook", '{"a":1}']]);
		await at.button("Close").click();

		await at.page.getByRole("button", { name: "Test an address" }).click();
		await at.sheet().getByLabel("Address").fill(`${at.hook.origin}/tried`);
		await at.button("Send").click();
		await at.sheet().getByText("Delivered", { exact: true }).waitFor();
		expect(at.hook.received.at(-1)?.path).toBe("/tried");
		await at.sheet().getByLabel("Address").fill("ftp://nowhere");
		await at.button("Send").click();
		await at.sheet().getByRole("alert").waitFor();
		await at.button("Close").click();
	});

	test("sends all dead callbacks again once asked whether they mean it", async () => {
		await at.gateway.store.write([sql`UPDATE deliveries SET state = 'dead' WHERE id = 'msg_dead_1'`]);
		const before = at.hook.received.length;
		await at.go("Callbacks");
		const all = at.page.getByRole("button", { name: "Send all dead again" });
		await all.click();
		await at.sheet().getByText("What was sent cannot be taken back").waitFor();
		await at.button("Cancel").click();
		expect(at.hook.received.length).toBe(before);
		expect(await all.evaluate((one) => one === document.activeElement)).toBe(true);
		await all.click();
		await at.button("Send 1 again").click();
		await at.page.getByText("1 callback is being sent again.").waitFor();
		await at.page
			.getByRole("row", { name: /SUCCESS.*Delivered/ })
			.first()
			.waitFor();
	});

	test("and no page asked others, broke the policy or threw", () => {
		expect(at.wrongs()).toEqual([]);
	});
});
