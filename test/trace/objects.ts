/**
 * A Portico whose objects are counted: run without garbage collection and without compiled code, so that what a call makes is
 * what stands in the code. Tells its address and key, and for each message how many objects of each type there are.
 */
import { heapStats } from "bun:jsc";
import process from "node:process";
import { Cron } from "croner";
import { startGateway } from "#core/testing";

const [upstream = "", folder = ""] = process.argv.slice(2);

// Nothing falls due: what is written behind many calls is no single one's, nor is what jobs do every second of real time.
Cron.prototype.schedule = function (): Cron {
	return this;
};
const gateway = await startGateway({
	// It is ended amid everything: whoever started it takes the folder away.
	folder,
	clock: { now: () => Date.now(), monotonic: () => performance.now(), after: () => () => undefined },
	plugins: [
		"tokens",
		"expiry",
		"model-list",
		"ip-whitelist",
		{ use: "prices", with: { models: { up: { input: 1, output: 2 } } } },
		"quota",
		"rate-limit",
		"chat-completions",
		{
			use: "router",
			with: {
				upstreams: [{ name: "main", protocol: "chat-completions", url: `${upstream}/v1`, key: "sk-upstream" }],
				models: [{ name: "bench", targets: [{ upstream: "main", model: "up" }] }],
			},
		},
		{ use: "ledger", with: { tags: ["app"] } },
		"call-log",
		"metrics",
	],
});
const { key } = await gateway.token({
	quota: 1000,
	budgets: [{ amount: 1000, per: "day" }],
	tags: { app: "test" },
	models: ["bench"],
	ips: ["127.0.0.0/8"],
	expiresAt: "2099-01-01T00:00:00Z",
});

process.on("message", () => void process.send?.(heapStats().objectTypeCounts));
process.send?.({ url: gateway.url, key });
