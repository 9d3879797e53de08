/** The page as the server gives it: its headers, its files, what they weigh, and that a bundle made before is the same. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { bundlePage } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { pageRoutes } from "./page-routes.ts";
import { page } from "./page-source.ts";

let gateway: TestGateway;
let html = "";
let assets: string[] = [];

const get = (path: string) => fetch(gateway.url + path);

beforeAll(async () => {
	gateway = await startGateway({ plugins: ["tokens", "console"] });
	html = await (await get("/console")).text();
	assets = [...html.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
});

afterAll(() => gateway.stop());

test.each(["/console", "/console/", "/console/tokens", "/console/tokens/tok_1", "/console/join"])(
	"%s is the page, guarded",
	async (path) => {
		const response = await get(path);
		expect(response.status).toBe(200);
		expect(response.headers.get("content-type")).toStartWith("text/html");
		expect(response.headers.get("cache-control")).toBe("no-cache");
		expect(response.headers.get("x-content-type-options")).toBe("nosniff");
		expect(response.headers.get("referrer-policy")).toBe("no-referrer");
		const policy = response.headers.get("content-security-policy") ?? "";
		expect(policy).toStartWith("default-src 'none'");
		expect(policy).toContain("frame-ancestors 'none'");
		expect(policy).not.toMatch(/unsafe|\*|http|blob/);
	},
);

test("a browser at the bare address is led to the page; a program is told what answers", async () => {
	const ask = (accept: string) => fetch(`${gateway.url}/`, { redirect: "manual", headers: { accept } });
	const led = await ask("text/html,application/xhtml+xml,*/*;q=0.8");
	expect([led.status, led.headers.get("location"), led.headers.get("vary")]).toEqual([302, "/console", "accept"]);
	for (const accept of ["*/*", "application/json"])
		expect(await (await ask(accept)).json()).toMatchObject({ name: "portico" });
	const without = await startGateway({ plugins: ["tokens"] });
	const told = await fetch(`${without.url}/`, { headers: { accept: "text/html" } });
	expect(await told.json()).toMatchObject({ name: "portico" });
	await without.stop();
});

test("the page holds no script and no style of its own", () => {
	expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
	expect(html).toContain("<noscript>");
});

test("its files are named after their content and kept for ever", async () => {
	expect(assets.map((path) => path.split(".").at(-1)).sort()).toEqual(["css", "js", "woff2", "woff2"]);
	for (const path of assets) {
		const response = await get(path);
		expect(response.status).toBe(200);
		expect(response.headers.get("cache-control")).toContain("immutable");
		expect(response.headers.get("x-content-type-options")).toBe("nosniff");
		expect(path).toMatch(/-[0-9a-z]{8}\.\w+$/);
	}
});

test.each(["/console/assets/main.js", "/console/assets/..%2findex.ts", "/console/assets/x/y"])(
	"%s is no file of it",
	async (path) => {
		const response = await get(path);
		expect(response.status).toBe(404);
		expect(response.headers.get("content-type")).toStartWith("application/json");
	},
);

test("a file goes out compressed to whoever takes that", async () => {
	const [script = ""] = assets.filter((path) => path.endsWith("js"));
	const plain = await fetch(gateway.url + script, { headers: { "accept-encoding": "identity" } });
	expect(plain.headers.get("content-encoding")).toBeNull();
	expect(plain.headers.get("vary")).toBe("accept-encoding");
	const packed = await fetch(gateway.url + script, { headers: { "accept-encoding": "gzip, br" }, decompress: false });
	expect(packed.headers.get("content-encoding")).toBe("gzip");
	const bytes = new Uint8Array(await packed.arrayBuffer());
	expect(new TextDecoder().decode(gunzipSync(bytes))).toBe(await plain.text());
});

/** A script and what it cannot begin without. */
const withImports = async (path: string, seen = new Map<string, string>()): Promise<ReadonlyMap<string, string>> => {
	if (seen.has(path)) return seen;
	const text = await (await get(path)).text();
	seen.set(path, text);
	for (const [, name] of text.matchAll(/(?:from|import)\s*"\.\/(part-[^"]+)"/g))
		await withImports(`/console/assets/${name}`, seen);
	return seen;
};

test("no page weighs more than 60 KB, compressed and without letters", async () => {
	const weight = (text: string): number => gzipSync(text).length;
	const sum = (texts: Iterable<string>): number => [...texts].reduce((all, text) => all + weight(text), 0);
	const script = assets.find((asset) => asset.endsWith("js")) ?? "";
	const style = await (await get(assets.find((asset) => asset.endsWith("css")) ?? "")).text();
	const first = await withImports(script);
	const everywhere = weight(html) + weight(style) + sum(first.values());
	const parts = [...(first.get(script) ?? "").matchAll(/import\("\.\/(part-[^"]+)"\)/g)].map(([, name]) => name);
	expect(parts.length).toBeGreaterThanOrEqual(9);
	for (const part of parts) {
		const loaded = await withImports(`/console/assets/${part}`);
		const more = [...loaded].filter(([path]) => !first.has(path)).map(([, text]) => text);
		expect(everywhere + sum(more)).toBeLessThanOrEqual(60_000);
	}
});

test("what was bundled before is served as if it were bundled now", async () => {
	const folder = mkdtempSync(join(tmpdir(), "portico-page-"));
	try {
		const made = await bundlePage(page);
		for (const { name, bytes } of made) writeFileSync(join(folder, name), bytes);
		const read = await bundlePage({ entry: join(folder, "no-source.tsx"), built: folder });
		expect(readdirSync(folder).length).toBeGreaterThan(4);
		expect(Object.fromEntries(read.map((file) => [file.name, file]))).toEqual(
			Object.fromEntries(made.map((file) => [file.name, file])),
		);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

test("without source and bundle the page says what to do", async () => {
	const [show] = pageRoutes({ entry: "/nowhere/main.tsx", built: "/nowhere/built" });
	const response = await show?.handle({} as never);
	expect(response?.status).toBe(503);
	expect(await response?.text()).toContain("npm run console");
});
