/** A callback receiver on a raw socket, so that tests can answer in every wrong way there is. */
import net from "node:net";

export interface Received {
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** The body's bytes. */
	readonly body: Buffer;
	/** Real milliseconds since the receiver was started. */
	readonly at: number;
}

/** What to do once a request has been read. `index` counts requests from 0. */
export type Answer = (socket: net.Socket, request: Received, index: number) => void;

export interface Receiver {
	readonly port: number;
	readonly origin: string;
	readonly received: Received[];
	/** Connections that were opened, whether or not anything was sent on them. */
	readonly connections: number;
	/** Connections that are open now, and the most there ever were. */
	readonly open: number;
	readonly mostOpen: number;
	close(): Promise<void>;
}

/** Writes an answer with this status and an empty body. */
export const status =
	(code: number, headers = ""): Answer =>
	(socket) =>
		socket.write(`HTTP/1.1 ${code} Whatever\r\n${headers}content-length: 0\r\n\r\n`);

/** Never answers. */
export const silent: Answer = () => undefined;

const parse = (bytes: Buffer, at: number): Received | undefined => {
	const end = bytes.indexOf("\r\n\r\n");
	if (end === -1) return undefined;
	const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
	const [method = "", path = ""] = first.split(" ");
	const headers: Record<string, string> = {};
	for (const line of lines)
		headers[line.slice(0, line.indexOf(":")).toLowerCase()] = line.slice(line.indexOf(":") + 1).trim();
	const body = bytes.subarray(end + 4);
	if (body.length < Number(headers["content-length"] ?? 0)) return undefined;
	return { method, path, headers, body, at };
};

export const startReceiver = async (answer: Answer = status(200), host = "127.0.0.1"): Promise<Receiver> => {
	const received: Received[] = [];
	const sockets = new Set<net.Socket>();
	const started = performance.now();
	let connections = 0;
	let mostOpen = 0;
	const server = net.createServer((socket) => {
		connections++;
		sockets.add(socket);
		mostOpen = Math.max(mostOpen, sockets.size);
		let bytes: Buffer = Buffer.alloc(0);
		let done = false;
		socket.on("error", () => undefined);
		socket.on("close", () => sockets.delete(socket));
		socket.on("data", (chunk: Buffer) => {
			if (done) return;
			bytes = Buffer.concat([bytes, chunk]);
			const request = parse(bytes, performance.now() - started);
			if (!request) return;
			done = true;
			received.push(request);
			answer(socket, request, received.length - 1);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, host, resolve));
	const { port } = server.address() as net.AddressInfo;
	return {
		port,
		origin: `http://127.0.0.1:${port}`,
		received,
		get connections() {
			return connections;
		},
		get open() {
			return sockets.size;
		},
		get mostOpen() {
			return mostOpen;
		},
		async close() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
};
