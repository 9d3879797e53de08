/** Upstreams over TLS whose certificates are not to be trusted, or that speak none: 502, no key sent, and nothing said of why to strangers. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type Server as PlainServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server } from "node:tls";
import { endProcesses, type PorticoProcess, startProcess } from "../support/process.ts";
import { good, response } from "./world.ts";

const upstreamKey = "upstream-secret-3390";
let folder: string;
let portico: PorticoProcess;
const servers: (Server | PlainServer)[] = [];
/** Requests that each upstream got to see. */
const requests = new Map<string, string[]>();

const file = (name: string): string => join(folder, name);
const openssl = (...words: string[]): void =>
	void execFileSync("openssl", words, { cwd: folder, stdio: ["ignore", "ignore", "ignore"] });
const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** A certificate for a name, by an authority or by itself, valid for so many days from now. */
const certify = (name: string, subject: string, days: number, authority: string | undefined): void => {
	openssl("req", ...curve, "-subj", "/CN=upstream", "-keyout", `${name}.key`, "-out", `${name}.csr`);
	writeFileSync(file(`${name}.ext`), `subjectAltName=${subject}`);
	const by =
		authority === undefined
			? ["-signkey", `${name}.key`]
			: ["-CA", `${authority}.pem`, "-CAkey", `${authority}.key`, "-CAcreateserial"];
	openssl(
		"x509",
		"-req",
		"-in",
		`${name}.csr`,
		...by,
		"-days",
		String(days),
		"-extfile",
		`${name}.ext`,
		"-out",
		`${name}.pem`,
	);
};

const authority = (name: string): void =>
	openssl(
		"req",
		"-x509",
		...curve,
		"-days",
		"2",
		"-subj",
		`/CN=${name}`,
		"-keyout",
		`${name}.key`,
		"-out",
		`${name}.pem`,
	);

const listening = async (server: Server | PlainServer): Promise<number> => {
	servers.push(server);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return typeof address === "object" && address !== null ? address.port : 0;
};

const serve = async (name: string): Promise<number> => {
	const seen: string[] = [];
	requests.set(name, seen);
	const server = createServer(
		{ key: readFileSync(file(`${name}.key`)), cert: readFileSync(file(`${name}.pem`)) },
		(socket) => {
			socket.on("error", () => undefined);
			socket.on("data", (data) => {
				seen.push(String(data));
				socket.end(response("application/json", good(false).text, "200 OK", { Connection: "close" }));
			});
		},
	);
	server.on("tlsClientError", () => undefined);
	return await listening(server);
};

/** No TLS at all, where the config says https. */
const servePlain = async (name: string): Promise<number> => {
	requests.set(name, []);
	return await listening(
		createPlainServer((socket) => {
			socket.on("error", () => undefined);
			socket.once(
				"data",
				() => void socket.end(response("text/plain", "no", "400 Bad Request", { Connection: "close" })),
			);
		}),
	);
};

const kinds = [
	["trusted", "IP:127.0.0.1", 1, "inner"],
	["expired", "IP:127.0.0.1", -1, "inner"],
	["another-host", "DNS:elsewhere.example", 1, "inner"],
	["another-authority", "IP:127.0.0.1", 1, "stranger"],
	["self-signed", "IP:127.0.0.1", 1, undefined],
] as const;

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "portico-certificates-"));
	authority("inner");
	authority("stranger");
	const upstreams: object[] = [];
	for (const [name, subject, days, by] of kinds) {
		certify(name, subject, days, by);
		const url = `https://127.0.0.1:${await serve(name)}/v1`;
		upstreams.push({ name, url, protocol: "chat-completions", key: upstreamKey });
	}
	const plain = `https://127.0.0.1:${await servePlain("no-tls")}/v1`;
	upstreams.push({ name: "no-tls", url: plain, protocol: "chat-completions", key: upstreamKey });
	const models = [...kinds.map(([name]) => name), "no-tls"].map((name) => ({ name, targets: [{ upstream: name }] }));
	const plugins = [
		{ use: "tokens" },
		{ use: "chat-completions" },
		{ use: "call-log" },
		{ use: "router", with: { upstreams, models } },
	];
	const config = file("portico.yaml");
	writeFileSync(config, JSON.stringify({ server: { port: 0 }, database: { url: "file:data/portico.db" }, plugins }));
	portico = await startProcess(folder, config, { NODE_EXTRA_CA_CERTS: file("inner.pem") });
}, 60_000);

afterAll(endProcesses);
afterAll(async () => {
	await portico.end("SIGTERM");
	for (const server of servers) server.close();
	rmSync(folder, { recursive: true, force: true });
});

const ask = async (model: string): Promise<{ readonly status: number; readonly text: string }> => {
	const answer = await fetch(`${portico.address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${portico.key}`, "content-type": "application/json" },
		body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
	});
	return { status: answer.status, text: await answer.text() };
};

test("one that is in order is answered", async () => {
	expect(await ask("trusted")).toMatchObject({ status: 200 });
	expect(requests.get("trusted")?.join()).toContain(upstreamKey);
});

test.each([
	["expired", /CERT_HAS_EXPIRED/],
	["another-host", /ALTNAME/],
	["another-authority", /UNABLE_TO|SELF_SIGNED|ISSUER/],
	["self-signed", /SELF_SIGNED/],
	["no-tls", /EPROTO/],
])("%s: 502, the key is not sent, and the operator is told why", async (name, reason) => {
	const { status, text } = await ask(name);
	expect(status).toBe(502);
	expect(text).toContain(`The upstream \\"${name}\\" could not be reached`);
	expect(text).not.toMatch(/127\.0\.0\.1|upstream-secret/);
	expect(requests.get(name)).toEqual([]);
	await portico.says(new RegExp(`"upstream":"${name}".*"reason":"[^"]*(?:${reason.source})`));
});

test("afterwards the one that is in order is still answered, and no key is in the log", async () => {
	expect(await ask("trusted")).toMatchObject({ status: 200 });
	expect(portico.output()).not.toContain(upstreamKey);
});
