import { expect, test } from "bun:test";
import { listenAt } from "./serve.ts";

const at = (host: string, port: number) => () =>
	listenAt({ host, port, reusePort: false, bodyLimitBytes: 1024, handle: () => new Response(null) });

// 192.0.2.0/24 is for documentation (RFC 5737): no machine has an address of it.
test.each(["192.0.2.1", "no host!"])("%p, which is not this machine's, is told as such", (host) => {
	expect(at(host, 0)).toThrow(
		/^[^:]+:0 cannot be listened on \(.+\)\. server\.host must be an address of this machine: 127\.0\.0\.1, or 0\.0\.0\.0 for all of them\.$/,
	);
});

test("a port that is taken is to be another", () => {
	const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(null) });
	expect(at("127.0.0.1", taken.port ?? 0)).toThrow(
		/^127\.0\.0\.1:\d+ cannot be listened on \(.+\)\. Choose another port with --port\.$/,
	);
	void taken.stop(true);
});
