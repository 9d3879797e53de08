/** Names are looked up by threads that wait for their servers: one a core is too few where several servers hang. */
import { expect, test } from "bun:test";
import { join } from "node:path";

const launcher = join(import.meta.dir, "../../bin/portico.mjs");

/** Gives twenty threads work, if it has them, and says how many it had when the first was done. */
const program = `
	const { pbkdf2 } = require("node:crypto");
	const { readdirSync, readFileSync } = require("node:fs");
	const names = () => readdirSync("/proc/self/task").map((id) => readFileSync(\`/proc/self/task/\${id}/comm\`, "utf8"));
	const done = () => {
		console.log(names().filter((name) => name.startsWith("Bun Pool")).length);
		process.exit();
	};
	for (let index = 0; index < 20; index++) pbkdf2("password", "salt", 1_000_000, 32, "sha256", done);
`;

const threads = async (set: Readonly<Record<string, string>>): Promise<number> => {
	const { UV_THREADPOOL_SIZE: _own, ...environment } = process.env;
	const child = Bun.spawn(["node", launcher, "bun", "-e", program], { env: { ...environment, ...set } });
	return Number(await new Response(child.stdout).text());
};

test.skipIf(process.platform !== "linux")("Portico has more threads than a small machine has cores", async () => {
	expect(await threads({})).toBeGreaterThanOrEqual(20);
});

test.skipIf(process.platform !== "linux")("how many is the operator's to say", async () => {
	expect(await threads({ UV_THREADPOOL_SIZE: "3" })).toBe(3);
});
