/** Asks an inspector over HTTP: one POST within a time limit, to an address that was checked and is the one dialled. */
import type { IncomingMessage } from "node:http";
import { type Clock, dialable, pinnedRequest, type Resolve } from "#core";

interface InspectorOptions {
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** From the start of name resolution to the end of the answer. */
	readonly timeoutMs: number;
	/** The address may be private. */
	readonly privateNetwork: boolean;
	readonly clock: Clock;
	readonly resolve: Resolve;
}

/** Gives the JSON of a good answer. Rejects with `TypeError` whatever else there is. */
export type Inspector = (question: object) => Promise<unknown>;

const longestAnswer = 16 * 1024 ** 2;

const notDialled = {
	blocked: "its address is private or special; set privateNetwork if it may be",
	unknown: "its name leads nowhere",
} as const;

const read = async (message: IncomingMessage): Promise<unknown> => {
	if (message.statusCode !== 200) {
		message.destroy();
		throw new TypeError(`it answered with status ${message.statusCode ?? "none"}`);
	}
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of message as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > longestAnswer) throw new TypeError("its answer is too long");
		chunks.push(chunk);
	}
	try {
		return JSON.parse(Buffer.concat(chunks).toString("utf8"));
	} catch {
		throw new TypeError("its answer is no JSON");
	}
};

export const createInspector = (options: InspectorOptions): Inspector => {
	const url = new URL(options.url);
	return async (question) => {
		const body = Buffer.from(JSON.stringify(question));
		const late = Promise.withResolvers<never>();
		let over = false;
		let giveUp: () => void = () => undefined;
		const cancel = options.clock.after(options.timeoutMs, () => {
			over = true;
			late.reject(new TypeError(`it did not answer within ${options.timeoutMs} ms`));
			giveUp();
		});
		const ask = async (): Promise<unknown> => {
			const found = await dialable(url.hostname, options.resolve, options.privateNetwork);
			if (over) throw new TypeError("its name was looked up too late");
			if (typeof found === "string") throw new TypeError(notDialled[found]);
			const message = await new Promise<IncomingMessage>((resolve, reject) => {
				const request = pinnedRequest(url, found[0] ?? "", "POST", {
					...options.headers,
					"content-type": "application/json",
					accept: "application/json",
					"content-length": body.byteLength,
				});
				giveUp = () => void request.destroy();
				request.on("response", resolve);
				request.on("error", () => reject(new TypeError("it could not be reached")));
				request.end(body);
			});
			return await read(message);
		};
		try {
			return await Promise.race([ask(), late.promise]);
		} finally {
			cancel();
		}
	};
};
