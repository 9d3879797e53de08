/** What `npm run build` makes, in a copy of what a package holds, and plugins of strangers beside it. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");
const strangers = join(root, "test/foreign");

let folder: string;
let portico: string;
let operator: string;

const run = (...words: string[]) => {
	const { status, stdout, stderr } = spawnSync("node", [join(portico, "bin/portico.mjs"), ...words], {
		cwd: operator,
		encoding: "utf8",
	});
	return { status, output: stdout, errors: stderr };
};

const configure = (plugins: readonly object[]): void => {
	const usual = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "demo", with: { wordMs: 0 } },
		{ use: "router", with: { models: [{ name: "demo", targets: [{ upstream: "demo" }] }] } },
	];
	writeFileSync(
		join(operator, "portico.yaml"),
		JSON.stringify({ server: { port: 0 }, plugins: [...usual, ...plugins] }),
	);
};

beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-built-"));
	portico = join(folder, "portico");
	operator = join(folder, "operator");
	mkdirSync(join(operator, "node_modules"), { recursive: true });
	for (const part of [
		"bin",
		"core",
		"plugins",
		"templates",
		"config",
		"package.json",
		"package-lock.json",
		"tsconfig.json",
	])
		cpSync(join(root, part), join(portico, part), {
			recursive: true,
			filter: (path) => !/[\\/](?:fixtures|page|built)$|\.(?:test|long)\.ts$/.test(path),
		});
	symlinkSync(join(root, "node_modules"), join(portico, "node_modules"));
	expect(run("bun", join(portico, "bin/build.ts"))).toMatchObject({ status: 0, errors: "" });
	// Whatever still asked the sources for Portico's own code would fail from here on.
	rmSync(join(portico, "core/mod.ts"));
	rmSync(join(portico, "core/main.ts"));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("it runs without the sources, and finds what lies beside them", () => {
	expect(run("version").output).toContain("runtime  Bun");
	expect(run("print-config").output).toContain("plugins:");
	expect(run("plugin", "new", "mine")).toMatchObject({ status: 0, errors: "" });
	rmSync(join(operator, "mine"), { recursive: true });
});

test("plugins by path, by an absolute path and as packages get the running #core", () => {
	cpSync(join(strangers, "path/office-hours"), join(operator, "office-hours"), { recursive: true });
	cpSync(join(strangers, "package"), join(operator, "node_modules/portico-prompt-limit"), { recursive: true });
	const lonely = join(folder, "etc/portico/plugins/lonely.ts");
	mkdirSync(join(lonely, ".."), { recursive: true });
	writeFileSync(
		lonely,
		`import { add, definePlugin, routes, t } from "#core";
		import { quota } from "#core/plugins/quota";
		import * as face from "portico";
		export default definePlugin({
			name: "lonely", summary: "Uses all that is shared.", config: t.Object({}), needs: {}, gives: [routes],
			setup: () => {
				if (face.definePlugin !== definePlugin || quota.id !== "quota") throw new Error("another copy");
				return { offers: [add(routes, { method: "GET", path: "/lonely", access: "public", handle: () => new Response("here") })] };
			},
		});`,
	);
	const quota = [{ use: "prices" }, { use: "quota" }];
	configure([...quota, { use: "./office-hours" }, { use: "portico-prompt-limit" }, { use: lonely }]);
	expect(run("check")).toMatchObject({ status: 0, errors: "" });
});

test("it serves, answers, and copies its database in a thread of its own", async () => {
	configure([]);
	const launcher = join(portico, "bin/portico.mjs");
	const server = spawn("node", [launcher, "serve"], { cwd: operator, stdio: ["ignore", "pipe", "ignore"] });
	const ended = new Promise((over) => server.once("exit", over));
	try {
		let greeting = "";
		for await (const piece of server.stdout) {
			greeting += String(piece);
			if (greeting.includes("try it")) break;
		}
		const [, address = "", key = ""] = /serves at (\S+)[\s\S]*?(sk-\w+)/.exec(greeting) ?? [];
		const response = await fetch(`${address}/v1/chat/completions`, {
			method: "POST",
			headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
			body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello" }] }),
		});
		expect(await response.json()).toMatchObject({ choices: [{ message: { role: "assistant" } }] });
		expect(run("db", "backup", "copy.db")).toMatchObject({ status: 0, output: expect.stringContaining("wrote ") });
		expect(readFileSync(join(operator, "copy.db"), "latin1")).toStartWith("SQLite format 3");
	} finally {
		server.kill("SIGTERM");
	}
	expect(await ended).toBe(0);
}, 30_000);

test("bytecode of another runtime is passed over", () => {
	const bytecode = join(portico, "built/portico.js.jsc");
	const whole = readFileSync(bytecode);
	expect(whole.length).toBeGreaterThan(1_000_000);
	try {
		writeFileSync(bytecode, Buffer.from(whole).fill(7, 0, 64));
		expect(run("version").status).toBe(0);
		rmSync(bytecode);
		expect(run("version").status).toBe(0);
	} finally {
		writeFileSync(bytecode, whole);
	}
});

test("a clone runs its sources once they are newer", () => {
	expect(existsSync(join(portico, ".git"))).toBe(false);
	mkdirSync(join(portico, ".git"));
	expect(run("help").status).toBe(0);
	const soon = new Date(Date.now() + 60_000);
	utimesSync(join(portico, "core/share.ts"), soon, soon);
	const { status, errors } = run("help");
	expect({ status: status === 0, errors }).toEqual({ status: false, errors: expect.stringContaining("core/main.ts") });
	rmSync(join(portico, ".git"), { recursive: true });
	expect(run("help").status).toBe(0);
});
