/** A task goes to another upstream only where config says that both serve its model, and never when the first may have taken it on. */
import { afterEach, expect, test } from "bun:test";
import { createMovedClock, until } from "../support/moved-clock.ts";
import { attackWorld } from "./world.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
	for (const close of open.splice(0).reverse()) await close();
});

/** The upstreams' names, in the order in which each was asked to make the clip, until the task ended. */
const journey = async (
	submission: () => Response,
	models: readonly (readonly string[])[],
): Promise<{ readonly asked: readonly string[]; readonly code: string }> => {
	const clock = createMovedClock();
	const asked: string[] = [];
	const server = Bun.serve({
		hostname: "127.0.0.1",
		port: 0,
		fetch(request) {
			asked.push(new URL(request.url).pathname.split("/")[1] ?? "");
			return submission();
		},
	});
	open.push(() => server.stop(true));
	const upstreams = models.map((names, index) => ({
		name: `studio-${index}`,
		type: "openai-videos",
		url: `http://127.0.0.1:${server.port}/studio-${index}`,
		models: names,
	}));
	const world = await attackWorld({ clock, plugins: ["tasks", { use: "video", with: { upstreams } }] });
	open.push(async () => {
		const stopping = world.stop();
		clock.advance(10_000);
		await stopping;
	});
	const submitted = await world.gateway.ask("/v1/tasks", { kind: "video", model: "clip-2", prompt: "the sea" });
	const { id } = (await submitted.json()) as { id: string };
	let code = "";
	await until(async () => {
		clock.advance(1_000);
		const shown = (await (await world.gateway.ask(`/v1/tasks/${id}`)).json()) as { error: { code: string } | null };
		code = shown.error?.code ?? "";
		return code !== "";
	});
	return { asked, code };
};

const busy = (): Response => Response.json({ error: { message: "Rate limit reached" } }, { status: 429 });
const lost = (): Response => new Response("<h1>Bad gateway</h1>", { status: 502 });

test.each([
	["both name the model", [["clip-2"], ["clip-*"]], ["studio-0", "studio-1", "studio-0", "studio-1"]],
	["the other takes what nobody names", [["clip-2"], ["*"]], ["studio-0", "studio-0", "studio-0", "studio-0"]],
	["the other serves another model", [["clip-*"], ["clip-3"]], ["studio-0", "studio-0", "studio-0", "studio-0"]],
	["neither names it, and both take all", [["*"], ["*"]], ["studio-0", "studio-1", "studio-0", "studio-1"]],
])("a busy upstream, where %s", async (_name, models, expected) => {
	expect(await journey(busy, models)).toEqual({ asked: expected, code: "upstream_busy" });
});

test("an upstream that may have taken the task on is the only one that is asked", async () => {
	expect(await journey(lost, [["clip-2"], ["clip-2"]])).toEqual({ asked: ["studio-0"], code: "submission_unknown" });
});
