/** The upstream of a soak: answers as asked, and misbehaves where the request names a fault. */
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { delta, done, finish, good, usageEvent } from "../faults/world.ts";

/** Faults a request can name, as its `user`. */
export const faults = ["reset", "reset-mid-stream", "error", "nonsense", "truncated", "slow"] as const;

const misbehave = async (fault: string, response: ServerResponse): Promise<boolean> => {
	if (fault === "reset") response.socket?.resetAndDestroy();
	else if (fault === "error") response.writeHead(500, { "content-type": "text/html" }).end("<html>");
	else if (fault === "nonsense") response.writeHead(200, { "content-type": "application/json" }).end("{");
	else if (fault === "slow") {
		await pause(300);
		return false;
	} else {
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write(delta("Hel"));
		await pause(5);
		if (fault === "truncated") response.end();
		else response.socket?.resetAndDestroy();
	}
	return true;
};

/** Serves on a free port; gives it. */
export const startSoakUpstream = async (): Promise<{ readonly port: number; close(): void }> => {
	const server = createServer(async (request, response) => {
		let text = "";
		for await (const piece of request) text += String(piece);
		const fault = /"user":"fault-([a-z-]+)"/.exec(text)?.[1];
		response.on("error", () => undefined);
		if (fault !== undefined && (await misbehave(fault, response))) return;
		if (!text.includes('"stream":true')) {
			response.writeHead(200, { "content-type": "application/json" }).end(good(false).text);
			return;
		}
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (let event = 0; event < 8 && !response.destroyed; event++) {
			response.write(delta(`word${event} `));
			await pause(4);
		}
		response.end(finish + usageEvent(5, 8) + done);
	});
	server.on("clientError", (_, socket) => socket.destroy());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	return {
		port: typeof address === "object" && address !== null ? address.port : 0,
		close() {
			server.closeAllConnections();
			server.close();
		},
	};
};
