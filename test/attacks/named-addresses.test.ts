/**
 * Promise: an address that an upstream names is fetched by the rules of callbacks, hop by hop, and leads a client's browser
 * nowhere but to the web.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { fetchNamed, isPrivateUpstream, isWebAddress } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, type TestGateway } from "#core/testing";
import { createConnection } from "../../plugins/tasks/connection.ts";
import { UpstreamWatches } from "../../plugins/tasks/upstream-watch.ts";

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
	for (const one of running.splice(0)) await one.stop();
});
const upstream = (): ScriptedUpstream => {
	const started = startUpstream(() => new Response("secret of this network"));
	running.push(started);
	return started;
};
const { signal } = new AbortController();
const log = { debug() {}, info() {}, warn() {}, error() {}, of: () => log };

describe("a file that a public upstream names", () => {
	const from = async (named: (inner: string) => string, resolve: Record<string, string> = {}) => {
		const inner = upstream();
		const address = named(inner.url);
		const asked = fetchNamed(address, {
			signal,
			allowPrivateNetworks: false,
			resolve: async (name) => [resolve[name] ?? "203.0.113.1"],
		});
		const outcome = await asked.then(
			(response) => response.status,
			(error: unknown) => (error instanceof TypeError ? "refused" : error),
		);
		return { outcome, received: inner.received.length };
	};

	test.each<[string, (inner: string) => string]>([
		["the loopback interface", (inner) => `${inner}/x`],
		["localhost", (inner) => `http://localhost:${new URL(inner).port}/x`],
		["the loopback interface in one number", (inner) => `http://2130706433:${new URL(inner).port}/`],
		["a mapped address", (inner) => `http://[::ffff:127.0.0.1]:${new URL(inner).port}/`],
		["a cloud's metadata", () => "http://169.254.169.254/latest/meta-data"],
		["a file", () => "file:///etc/passwd"],
		["a script", () => "javascript:alert(1)"],
		["a name that resolves to this machine", (inner) => `http://cdn.example:${new URL(inner).port}/`],
	])("at %s is not fetched", async (_, named) => {
		const resolve = { "cdn.example": "127.0.0.1", localhost: "127.0.0.1" };
		expect(await from(named, resolve)).toEqual({ outcome: "refused", received: 0 });
	});

	test("is fetched from what was checked, with no word of the key", async () => {
		const inner = upstream();
		const { port } = new URL(inner.url);
		const asked: string[] = [];
		const response = await fetchNamed(`http://cdn.example:${port}/a?b=c`, {
			signal,
			allowPrivateNetworks: true,
			resolve: async (name) => {
				asked.push(name);
				return ["127.0.0.1"];
			},
		});
		expect(await response.text()).toBe("secret of this network");
		expect(asked).toEqual(["cdn.example"]);
		expect(inner.received[0]?.headers.get("host")).toBe(`cdn.example:${port}`);
		expect(inner.received[0]?.headers.has("authorization")).toBe(false);
	});

	test("an upstream is private by its configured address alone", async () => {
		const resolve = async (name: string) => [name === "gpu.corp.example" ? "10.0.0.5" : "203.0.114.9"];
		expect(await isPrivateUpstream("http://127.0.0.1:8000/v1", resolve)).toBe(true);
		expect(await isPrivateUpstream("http://gpu.corp.example/v1", resolve)).toBe(true);
		expect(await isPrivateUpstream("https://api.example/v1", resolve)).toBe(false);
	});
});

test("a public upstream's redirect into this network is not followed, and sees no key", async () => {
	const inner = upstream();
	const asked: [string, string | null][] = [];
	const connection = createConnection(
		{
			url: "https://203.0.114.9/v1",
			headers: () => ({ authorization: "Bearer upstream-key" }),
			fetch: async (url, init) => {
				asked.push([url, new Headers(init.headers).get("authorization")]);
				return new Response(null, { status: 302, headers: { location: `${inner.url}/private` } });
			},
		},
		{
			log,
			watch: new UpstreamWatches({
				clock: { now: () => 0 },
				log,
				keyRefused: () => undefined,
				failing: () => undefined,
				recovered: () => undefined,
			}).of("upstream"),
		},
	);
	const failure = await connection.fetchFile("/files/1", signal).catch((error: unknown) => error);
	expect(failure).toBeInstanceOf(TypeError);
	expect(asked).toEqual([["https://203.0.114.9/v1/files/1", "Bearer upstream-key"]]);
	expect(inner.received).toEqual([]);
	for (const named of [`${inner.url}/x`, "file:///etc/passwd", "javascript:alert(1)", "data:text/html,x"])
		expect(await connection.fetchFile(named, signal).catch((error: unknown) => error)).toBeInstanceOf(TypeError);
	expect(inner.received).toEqual([]);
});

describe("the address of a result, at the front door", () => {
	const pictureAt = async (url: string): Promise<{ gateway: TestGateway; answer: Response }> => {
		const images = startUpstream(() => Response.json({ created: 1, data: [{ url }] }));
		running.push(images);
		const gateway = await startGateway({
			plugins: [
				"tokens",
				"webhooks",
				"tasks",
				{
					use: "image",
					with: {
						upstreams: [{ name: "pictures", type: "openai-images", url: `${images.url}/v1`, key: "k", models: ["*"] }],
					},
				},
			],
		});
		running.push(gateway);
		return { gateway, answer: await gateway.ask("/v1/images/generations", { model: "m", prompt: "x" }) };
	};

	test.each(["javascript:alert(document.cookie)", "file:///etc/passwd", "data:text/html,<script>alert(1)</script>"])(
		"%s is told to nobody",
		async (url) => {
			const { gateway, answer } = await pictureAt(url);
			expect(await answer.text()).not.toContain(url.slice(0, 12));
			expect(answer.status).toBeGreaterThanOrEqual(400);
			const listed = await (await gateway.ask("/v1/tasks")).text();
			expect(listed).not.toContain(url.slice(0, 12));
		},
	);

	test("of the web is", async () => {
		const { answer } = await pictureAt("https://cdn.example/a.png");
		expect(await answer.json()).toMatchObject({ data: [{ url: "https://cdn.example/a.png" }] });
	});

	test("is one of the web only with http or https", () => {
		for (const address of ["javascript:x", "file:///x", "data:,x", "blob:x", "/x", "", "ftp://x/"])
			expect(isWebAddress(address)).toBe(false);
		expect(isWebAddress("HTTPS://cdn.example/x")).toBe(true);
	});
});
