/** A command asks the server of its machine over HTTPS, whose certificate is no authority's. Written for `node:test`. */
import assert from "node:assert/strict";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { fetchOwn } from "../../core/runtime/fetch-own.ts";
import { createAuthority, textOf } from "../support/authority.ts";

const authority = createAuthority();
const { cert, key } = authority.sign("gateway");
const server = createServer({ cert: textOf(cert), key: textOf(key) }, (request, answer) => {
	let text = "";
	request.on("data", (data) => {
		text += String(data);
	});
	request.on("end", () => {
		const { method, headers } = request;
		answer.statusCode = method === "DELETE" ? 204 : 201;
		answer.end(method === "DELETE" ? undefined : `${method} ${headers.authorization} ${text}`);
	});
});
authority.remove();

after(() => {
	server.closeAllConnections();
	server.close();
});

test("it is asked although nobody vouches for it, and its answer is whole", async () => {
	await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
	const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}/admin/tokens`;
	const headers = { authorization: "Bearer a" };
	const made = await fetchOwn(new Request(address, { method: "POST", headers, body: "{}" }));
	assert.deepEqual([made.status, await made.text()], [201, "POST Bearer a {}"]);
	const removed = await fetchOwn(new Request(address, { method: "DELETE", headers }), AbortSignal.timeout(10_000));
	assert.deepEqual([removed.status, await removed.text()], [204, ""]);
	await assert.rejects(fetchOwn(new Request(address, { headers }), AbortSignal.abort()));
});
