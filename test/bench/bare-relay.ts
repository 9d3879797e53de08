/** The least a gateway can be on this runtime: reads the body, forwards it, returns the bytes. What Portico is measured against. */
const upstream = process.argv[2] ?? "";

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	idleTimeout: 0,
	async fetch(request) {
		const body = await request.arrayBuffer();
		const { pathname } = new URL(request.url);
		const response = await fetch(upstream + pathname, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: "Bearer sk-bench" },
			body,
		});
		return new Response(response.body, { headers: { "content-type": response.headers.get("content-type") ?? "" } });
	},
});
console.log(`listening ${server.port}`);
