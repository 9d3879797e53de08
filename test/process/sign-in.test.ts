/** From the first start's link to the command line: people through a process of its own, and two nodes of one store. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startGateway } from "#core/testing";
import { createBrowser, joined, password, secretOf } from "../support/people-world.ts";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { startSqlServer } from "../support/sql-server.ts";

const folder = mkdtempSync(join(tmpdir(), "portico-sign-in-"));
afterAll(async () => {
	await endProcesses();
	rmSync(folder, { recursive: true, force: true });
});

const plugins = [{ use: "people" }, { use: "tokens" }, { use: "chat-completions" }, { use: "demo" }, { use: "router" }];

test("the first start prints one link for an admin; the command line invites, lists and disables while it runs", async () => {
	const config = join(folder, "portico.yaml");
	// A ceiling is taken where a plugin keeps it.
	const keeping = [...plugins, { use: "prices" }, { use: "quota" }];
	const settings = { server: { port: 0 }, database: { url: "file:data/portico.db" }, plugins: keeping };
	writeFileSync(config, JSON.stringify(settings));
	const command = async (...words: string[]) => await runCommand(folder, [...words, "--config", config]);
	const first = await startProcess(folder, config);
	const [link = ""] = /http:\S+\/console\/join#[\w-]{43}/.exec(first.output()) ?? [];
	expect(link).toStartWith(first.address);
	const unserved = 'no page answers there until the plugins have "use: console"';
	expect(first.output()).toContain(`  sign in       ${link}   (${unserved})\n                once, within a day; more`);
	const admin = createBrowser(first.address);
	const terms = { secret: secretOf(link), name: "Ada", password };
	expect((await admin.ask("POST", "/v1/session/join", terms)).body).toMatchObject({ name: "Ada", role: "admin" });

	const invited = await command("person", "invite", "--role", "member", "--ceiling", "5", "--json");
	const invitation = JSON.parse(invited.output) as { link: string; role: string; ceiling: number };
	expect(invitation).toMatchObject({ role: "member", ceiling: 5 });
	expect(invitation.link).toStartWith(`${first.address}/console/join#`);
	expect((await command("person", "invite")).output).toEndWith(`Z)\n(${unserved})\n`);
	const member = createBrowser(first.address);
	const joins = { secret: secretOf(invitation.link), name: "Bob", password };
	const { body } = await member.ask("POST", "/v1/session/join", joins);
	const listed = (await command("person", "list")).output;
	expect(listed).toStartWith("NAME  ROLE    STATE    CEILING   LEFT  BUDGETS  ID\n");
	expect(listed).toContain("Ada   admin   enabled        -      -  -        per_");
	expect(listed).toContain("Bob   member  enabled    $5.00  $5.00  -        per_");
	expect((await command("person", "disable", String(body["id"]))).output).toContain("disabled");
	expect((await member.ask("GET", "/admin/tokens")).status).toBe(401);
	await first.end("SIGTERM");

	const audit = (await command("audit")).output.split("\n");
	expect(audit[0]).toContain(`admin token  disable person  ${String(body["id"])} (Bob)  disabled: false → true`);
	const second = await startProcess(folder, config);
	expect(second.output()).not.toContain("/console/join#");
	// Whoever lost what the first start showed is told here how to go on.
	expect(second.output()).toMatch(/ {2}sign in {7}by invitation: .*portico\S* person invite --role admin\n/);
	expect(second.output()).toMatch(/ {2}tokens {8}one more with: .*portico\S* token create --name NAME\n/);
	await second.end("SIGTERM");
}, 60_000);

test("a session holds on every node of one store, and ends on all", async () => {
	const server = startSqlServer(join(folder, "shared.db"));
	const start = () => startGateway({ config: { database: { url: server.url } }, plugins });
	const [one, two] = [await start(), await start()];
	try {
		const here = await joined(one, "Ada", { role: "admin" });
		const there = createBrowser(two.url);
		there.cookie = here.cookie;
		expect((await there.ask("GET", "/admin/people")).status).toBe(200);
		const created = await there.ask("POST", "/admin/tokens", { name: "made on two" });
		expect((await here.ask("GET", `/admin/tokens/${String(created.body["id"])}`)).body["name"]).toBe("made on two");
		await here.ask("DELETE", "/v1/session");
		expect((await there.ask("GET", "/admin/people")).status).toBe(401);
	} finally {
		await one.stop();
		await two.stop();
		await server.close();
	}
}, 60_000);
