/**
 * How fast callbacks drain: so many deliveries due at once, to one receiver in a process of its own, from one node.
 *
 *   npm run bench:deliveries [-- COUNT] [-- --json]
 *
 * Exits with 1 when they are fewer a second than the budget, or one is lost.
 */
import { spawn } from "node:child_process";
import { parseArgs } from "node:util";
import { systemClock } from "../../core/wire/system-clock.ts";
import type { MovedClock } from "../support/moved-clock.ts";
import { createOutbox } from "../support/outbox.ts";

const { values: flags, positionals } = parseArgs({ options: { json: { type: "boolean" } }, allowPositionals: true });
const count = Number(positionals[0] ?? 10_000);
/** Deliveries a second. */
const budget = 2000;

const receiver = `
let posts = 0;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", async fetch(request) {
	if (request.method === "GET") return new Response(String(posts));
	await request.arrayBuffer();
	posts++;
	return new Response(null, { status: 200 });
} });
console.log(server.port);`;

const child = spawn(process.execPath, ["-e", receiver], { stdio: ["ignore", "pipe", "inherit"] });
const port = await new Promise<string>((resolve) => child.stdout.once("data", (data) => resolve(String(data).trim())));
const origin = `http://127.0.0.1:${port}`;

const box = await createOutbox({ clock: systemClock as MovedClock });
await box.secrets.create("owner");
const body = JSON.stringify({
	id: "task_0",
	action: "IMAGINE",
	status: "SUCCESS",
	prompt: "a cat",
	imageUrl: "https://cdn.example/x.png",
	progress: "100%",
});
await box.store.run("INSERT INTO things SELECT 't' || value, 'owner', 'NOT_START', 1, ?, ?, ? FROM json_each(?)", [
	`${origin}/hook`,
	body,
	Date.now(),
	JSON.stringify(Array.from({ length: count }, (_, index) => index)),
]);

const began = performance.now();
const spent = process.cpuUsage();
await box.tick();
for (;;) {
	const [row] = await box.store.run("SELECT count(*) AS n FROM deliveries WHERE state = 'delivered'");
	if (row?.n === count) break;
	await new Promise((resolve) => setTimeout(resolve, 20));
}
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(spent);
const posts = Number(await (await fetch(origin)).text());
const micros = (user + system) / count;
const text = `${count} deliveries in ${seconds.toFixed(2)} s: ${Math.round(count / seconds)} a second; ${micros.toFixed(0)} µs of processor time each; ${posts} posts received`;
console.log(flags.json ? JSON.stringify({ perSecond: count / seconds, budget, micros, lost: count - posts }) : text);
child.kill();
box.store.close();
process.exit(posts >= count && count / seconds >= budget ? 0 : 1);
