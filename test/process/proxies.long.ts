/**
 * The proxies of `config/proxies` in front of a real process, by their own files with only addresses changed: a stream comes
 * piece by piece, a client's address is its own whatever the client says, and a node that is not ready gets no calls.
 */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { endProcesses, type PorticoProcess, runCommand, startProcess } from "../support/process.ts";
import { freePort } from "../support/sqld.ts";

const shipped = (name: string): string => readFileSync(resolve(import.meta.dir, "../../config/proxies", name), "utf8");
/** The host that the files name, and that clients ask for. */
const host = "portico.example.com";

let folder: string;
let vendor: ScriptedUpstream;
let proxy: ChildProcess | undefined;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-proxies-"));
	vendor = startUpstream();
});
afterEach(async () => {
	if (proxy) await new Promise((ended) => proxy?.once("exit", ended).kill("SIGTERM"));
	proxy = undefined;
	await endProcesses();
	await vendor.stop();
	rmSync(folder, { recursive: true, force: true });
});

/** A node that trusts a proxy on this machine, with a token that only 127.0.0.2 may use. */
const startNode = async (): Promise<{ readonly portico: PorticoProcess; readonly key: string }> => {
	const upstreams = [{ name: "vendor", protocol: "chat-completions", url: vendor.url, key: "k" }];
	const router = { use: "router", with: { upstreams, models: [{ name: "m", targets: [{ upstream: "vendor" }] }] } };
	const plugins = [...["tokens", "ip-whitelist", "chat-completions"].map((use) => ({ use })), router];
	const server = { port: 0, trustedProxies: ["127.0.0.1"], hosts: [host] };
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server, plugins }));
	const portico = await startProcess(folder, undefined);
	const { output } = await runCommand(folder, ["token", "create", "--name", "near", "--ips", "127.0.0.2", "--json"]);
	return { portico, key: String(JSON.parse(output).key) };
};

interface Front {
	/** What clients ask. */
	readonly url: string;
	/** How curl gets there. */
	readonly words: readonly string[];
}

const until = async (holds: () => boolean): Promise<void> => {
	for (const began = performance.now(); !holds(); await new Promise((done) => setTimeout(done, 50)))
		if (performance.now() - began > 60_000) throw new Error("it did not come to that in a minute");
};

const reached = ({ url, words }: Front): boolean =>
	spawnSync("curl", ["-s", "-f", ...words, `${url}/readyz`]).status === 0;

const portOf = (portico: PorticoProcess): string => new URL(portico.address).port;

const startNginx = async (portico: PorticoProcess): Promise<Front> => {
	const port = await freePort();
	const pair = ["-keyout", join(folder, "own.key"), "-out", join(folder, "own.crt")];
	const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", `/CN=${host}`];
	execFileSync("openssl", ["req", "-x509", ...kind, ...pair], { stdio: "ignore" });
	const server = shipped("nginx.conf")
		.replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
		.replace("/etc/ssl/portico.crt", join(folder, "own.crt"))
		.replace("/etc/ssl/portico.key", join(folder, "own.key"))
		.replace("127.0.0.1:8787", `127.0.0.1:${portOf(portico)}`);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${kind};`);
	const user = process.getuid?.() === 0 ? "user root;" : "";
	const main = `${user} daemon off; pid nginx.pid; error_log error.log; events {}`;
	writeFileSync(join(folder, "nginx.conf"), `${main} http { access_log off; ${temporary.join(" ")} ${server} }`);
	const words = ["-p", folder, "-c", "nginx.conf", "-e", "error.log"];
	const { status, stderr } = spawnSync("nginx", [...words, "-t"], { encoding: "utf8" });
	expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.not.stringContaining("[warn]") });
	proxy = spawn("nginx", words, { stdio: "ignore" });
	return { url: `https://${host}:${port}`, words: ["-k", "--resolve", `${host}:${port}:127.0.0.1`] };
};

/** Its three nodes: this one, and two that are not there. */
const startCaddy = async (portico: PorticoProcess): Promise<Front> => {
	const port = await freePort();
	const dead = await freePort();
	const site = shipped("Caddyfile.nodes")
		.replace(/^:80 /m, `http://${host}:${port} `)
		.replace("node1:8787 node2:8787 node3:8787", `127.0.0.1:${dead} 127.0.0.1:${portOf(portico)} localhost:${dead}`);
	expect(site).toContain(`127.0.0.1:${dead} 127.0.0.1:`);
	writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n\tauto_https off\n\tdefault_bind 127.0.0.1\n}\n${site}`);
	const home = join(folder, "home");
	mkdirSync(home);
	const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
	const words = ["--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"];
	const { status, stderr } = spawnSync("caddy", ["validate", ...words], { encoding: "utf8", env });
	expect({ status, stderr }).toMatchObject({ status: 0 });
	proxy = spawn("caddy", ["run", ...words], { stdio: "ignore", env });
	return { url: `http://${host}:${port}`, words: ["--resolve", `${host}:${port}:127.0.0.1`] };
};

const fronts = { nginx: startNginx, caddy: startCaddy } as const;

const ask = ({ url, words }: Front, { key, from, more = [] }: Asking): ChildProcess => {
	const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] });
	const headers = ["-H", `authorization: Bearer ${key}`, "-H", "content-type: application/json"];
	const call = ["-s", "-N", "-w", "\n%{http_code}", ...words, "--interface", from, ...headers, ...more, "-d", body];
	return spawn("curl", [...call, `${url}/v1/chat/completions`], { stdio: ["ignore", "pipe", "ignore"] });
};

interface Asking {
	readonly key: string;
	/** The client's address. */
	readonly from: string;
	readonly more?: readonly string[];
}

/** All that curl wrote, and what it has by now. */
const readingOf = (curl: ChildProcess): { readonly whole: Promise<string>; text(): string } => {
	let text = "";
	curl.stdout?.on("data", (piece) => {
		text += String(piece);
	});
	return { whole: new Promise((done) => curl.once("close", () => done(text))), text: () => text };
};

const event = (delta: object, finish: string | null = null): string =>
	`data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** A stream whose second piece is sent when the test says so. */
const heldStream = (go: Promise<void>): Response => {
	const encoder = new TextEncoder();
	const pieces = [
		event({ role: "assistant", content: "first" }),
		event({ content: "second" }, "stop"),
		"data: [DONE]\n\n",
	];
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			const piece = pieces.shift();
			if (piece === undefined) return controller.close();
			if (piece.includes("second")) await go;
			controller.enqueue(encoder.encode(piece));
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
};

describe.each(Object.entries(fronts))("%s", (name, start) => {
	test.skipIf(Bun.which(name) === null)(
		"a stream comes piece by piece, and a client has its own address (skipped where it is not installed)",
		async () => {
			const { portico, key } = await startNode();
			const front = await start(portico);
			await until(() => reached(front));

			const { promise: held, resolve: go } = Promise.withResolvers<void>();
			vendor.answer(() => heldStream(held));
			const reading = readingOf(ask(front, { key, from: "127.0.0.2" }));
			await until(() => reading.text().includes("first"));
			expect(reading.text()).not.toContain("second");
			go();
			expect(await reading.whole).toMatch(/second[\s\S]*\n200$/);

			for (const more of [[], ["-H", "x-forwarded-for: 127.0.0.2"], ["-H", "forwarded: for=127.0.0.2"]])
				expect(await readingOf(ask(front, { key, from: "127.0.0.3", more })).whole).toEndWith("\n403");
			expect(vendor.received).toHaveLength(1);
			await portico.end("SIGTERM");
		},
		120_000,
	);
});
