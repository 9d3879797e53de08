/** TLS on each runtime and with workers: a certificate changes while a stream runs, and a pair that does not fit is refused. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect } from "node:tls";
import { type ScriptedUpstream, startUpstream } from "#core/testing";
import { writeCertificate } from "../support/own-certificate.ts";
import { endProcesses, runCommand, startProcess } from "../support/process.ts";
import { sqldProgram } from "../support/sqld.ts";

let folder: string;
let vendor: ScriptedUpstream;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "portico-secure-"));
	vendor = startUpstream();
	for (const name of ["first", "second"]) writeCertificate(folder, name);
	use("first");
	const upstreams = [{ name: "vendor", protocol: "chat-completions", url: vendor.url, key: "k" }];
	const models = [{ name: "demo", targets: [{ upstream: "vendor" }] }];
	const plugins = [{ use: "tokens" }, { use: "chat-completions" }, { use: "router", with: { upstreams, models } }];
	const server = { port: 0, tls: { cert: "own.crt", key: "own.key" } };
	const database = { url: "file:data/portico.db" };
	writeFileSync(join(folder, "portico.yaml"), JSON.stringify({ server, database, plugins }));
});
afterEach(async () => {
	await endProcesses();
	await vendor.stop();
	rmSync(folder, { recursive: true, force: true });
});

const use = (name: string): void => {
	for (const end of ["key", "crt"]) copyFileSync(join(folder, `${name}.${end}`), join(folder, `own.${end}`));
};

/** The name in the certificate that a new connection is shown. */
const shownBy = (address: string): Promise<string> =>
	new Promise((found, failed) => {
		const port = Number(new URL(address).port);
		const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
			found(String(socket.getPeerCertificate().subject.CN));
			socket.end();
		});
		socket.once("error", failed);
	});

const ask = (address: string, key: string | undefined, stream: boolean) =>
	fetch(`${address}/v1/chat/completions`, {
		method: "POST",
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
		body: JSON.stringify({ model: "demo", stream, messages: [{ role: "user", content: "Hello" }] }),
		tls: { rejectUnauthorized: false },
	});

const answer = (): Response =>
	Response.json({
		id: "c",
		object: "chat.completion",
		created: 1,
		model: "demo",
		choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	});

const event = (content: string, finish: string | null): string => {
	const choices = [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }];
	return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "demo", choices })}\n\n`;
};

/** A stream that ends when it is told to. */
const heldStream = () => {
	const { promise: held, resolve: go } = Promise.withResolvers<void>();
	const encoder = new TextEncoder();
	const body = new ReadableStream<Uint8Array>({
		async start(controller) {
			controller.enqueue(encoder.encode(event("before", null)));
			await held;
			controller.enqueue(encoder.encode(`${event("after", "stop")}data: [DONE]\n\n`));
			controller.close();
		},
	});
	return { response: new Response(body, { headers: { "content-type": "text/event-stream" } }), go };
};

const ways = {
	"on Bun": { words: [], starter: ["node"], workers: 1 },
	"on Deno": {
		words: [],
		starter: [resolve(import.meta.dir, "../../node_modules/.bin/deno"), "run", "-A"],
		workers: 1,
	},
	"with two workers": { words: ["--workers", "2"], starter: ["node"], workers: 2 },
} as const;

describe.each(Object.entries(ways))("%s", (_, { words, starter, workers }) => {
	test.skipIf(workers > 1 && sqldProgram() === undefined)(
		"HTTPS, and a new certificate without a restart, under a stream that goes on",
		async () => {
			const portico = await startProcess(folder, undefined, {}, words, starter);
			// A worker that still starts would meet the pair that does not fit.
			if (workers > 1) await portico.says(/a worker serves[\s\S]*a worker serves/);
			expect(portico.address).toStartWith("https://127.0.0.1:");
			expect(await shownBy(portico.address)).toBe("first");
			vendor.answer(answer);
			expect((await ask(portico.address, portico.key, false)).status).toBe(200);
			expect((await runCommand(folder, ["token", "list"])).output).toContain("first token");

			const { response, go } = heldStream();
			vendor.answer(() => response);
			const stream = await ask(portico.address, portico.key, true);
			copyFileSync(join(folder, "second.key"), join(folder, "own.key"));
			await portico.says(/the new certificate cannot be used/);
			expect(await shownBy(portico.address)).toBe("first");
			use("second");
			await portico.says(
				new RegExp(Array.from({ length: workers }, () => "serves with a new certificate").join("[\\s\\S]*")),
			);
			for (let connection = 0; connection < 8; connection++) expect(await shownBy(portico.address)).toBe("second");
			go();
			expect(await stream.text()).toMatch(/before[\s\S]*after[\s\S]*\[DONE\]/);
			vendor.answer(answer);
			expect((await ask(portico.address, portico.key, false)).status).toBe(200);
			expect(await portico.end("SIGTERM")).toBe(0);
		},
		120_000,
	);
});

test("a pair that does not fit is refused at the start and by check", async () => {
	copyFileSync(join(folder, "second.key"), join(folder, "own.key"));
	for (const command of ["check", "serve"])
		expect(await runCommand(folder, [command])).toMatchObject({
			code: 1,
			errors: expect.stringContaining("is not the key of"),
		});
});
