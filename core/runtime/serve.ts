/** Serves HTTP on Bun or Deno: the only place that knows how each of them listens. */
import { crookedPatterns, isCrooked, isGuarded, straightPatterns } from "./crooked-paths.ts";

/** What is known of the connection a request came on. */
export interface Connection {
	/** The socket's other end, as the runtime gives it (may be an IPv4 address mapped into IPv6). */
	readonly address: string | undefined;
	/**
	 * Ends the runtime's idle limit for this request; from then on Portico's own limits hold. To call what it gives when the
	 * end of a stream is about to be sent: the runtime's limit holds again, or the connection could idle for ever.
	 */
	holdOpen(): () => void;
	/** To be told of the answer right before it goes on: the runtime's limit holds again for one that is no stream. */
	answered?(response: Response): void;
	/** The path as it was sent is another one than the request's URL says. */
	readonly crooked?: boolean;
}

/** As text, in PEM. */
export interface Certificate {
	readonly cert: string;
	readonly key: string;
}

export interface ListenOptions {
	readonly host: string;
	/** 0 lets the system choose. */
	readonly port: number;
	/** Lets several processes of one machine share the port. */
	readonly reusePort: boolean;
	/** HTTPS with it; plain HTTP without. */
	readonly certificate?: Certificate;
	/** Above every limit of ours, so that ours answer and not the runtime's bare 413. */
	readonly bodyLimitBytes: number;
	/** Seconds that a client may idle that has its whole answer, and does not read it or asks no more: 120 unless said. */
	readonly answeredSeconds?: number;
	handle(request: Request, connection: Connection): Response | Promise<Response>;
}

export interface Listener {
	readonly port: number;
	/** Stops accepting; resolves when every response has been sent. */
	close(): Promise<void>;
	/** Cuts what is still open. */
	cut(): Promise<void>;
}

/** Seconds without a byte after which a connection that nobody vouched for is closed: slow senders never reach a handler. */
const idleSeconds = 30;

/** Events, whose type may name a charset, and whatever else asks proxies to pass it on piece by piece. */
const isStream = ({ headers }: Response): boolean =>
	headers.get("content-type")?.startsWith("text/event-stream") === true || headers.get("x-accel-buffering") === "no";

interface DenoServer {
	readonly addr: { readonly port: number };
	readonly finished: Promise<void>;
	shutdown(): Promise<void>;
}
interface DenoRuntime {
	serve(
		options: Readonly<Record<string, unknown>>,
		handler: (request: Request, info: { remoteAddr: { hostname: string } }) => Response | Promise<Response>,
	): DenoServer;
}

const brokenHandler = (): Response => new Response(null, { status: 500 });

type BunServer = Bun.Server<undefined>;

/** A request on Bun, and the idle limit of its connection. */
class BunConnection implements Connection {
	readonly address: string | undefined;
	readonly crooked: boolean;
	private readonly bun: BunServer;
	private readonly request: Request;
	private readonly answeredSeconds: number;
	private held = false;
	private streaming = false;
	private over = false;

	constructor(request: Request, bun: BunServer, crooked: boolean, answeredSeconds: number) {
		this.address = bun.requestIP(request)?.address;
		this.crooked = crooked;
		this.bun = bun;
		this.request = request;
		this.answeredSeconds = answeredSeconds;
	}

	holdOpen(): () => void {
		this.held = true;
		this.bun.timeout(this.request, 0);
		return () => {
			this.over = true;
			if (this.streaming) this.bun.timeout(this.request, this.answeredSeconds);
		};
	}

	/** A stream is watched by Portico to its end. Once that is sent the runtime takes no new limit. */
	answered(response: Response): void {
		if (!this.held) return;
		this.streaming = !this.over && isStream(response);
		if (!this.streaming) this.bun.timeout(this.request, this.answeredSeconds);
	}
}

const listenOnBun = ({ answeredSeconds = 120, ...options }: ListenOptions): Listener => {
	const answer = (request: Request, bun: BunServer, crooked: boolean, named = request): Response | Promise<Response> =>
		options.handle(named, new BunConnection(request, bun, crooked, answeredSeconds));
	const answerWithoutHost = (request: Request, bun: BunServer): Response | Promise<Response> => {
		const named = new Request(`http://localhost${request.url}`, request);
		return answer(request, bun, isGuarded(named.url), named);
	};
	const server = Bun.serve({
		hostname: options.host,
		port: options.port,
		reusePort: options.reusePort,
		...(options.certificate && { tls: { cert: options.certificate.cert, key: options.certificate.key } }),
		idleTimeout: idleSeconds,
		maxRequestBodySize: options.bodyLimitBytes,
		development: false,
		error: brokenHandler,
		routes: Object.fromEntries([
			...crookedPatterns.map((pattern) => [pattern, (request: Request, bun: BunServer) => answer(request, bun, true)]),
			...straightPatterns.map((pattern) => [
				pattern,
				(request: Request, bun: BunServer) => answer(request, bun, false),
			]),
		]),
		// HTTP/1.0 asks for no Host, and health checks of HAProxy send none: what Bun calls the URL is the path alone then.
		fetch: (request, bun) =>
			request.url.startsWith("/") ? answerWithoutHost(request, bun) : answer(request, bun, isGuarded(request.url)),
	});
	return {
		port: server.port ?? options.port,
		close: () => server.stop(),
		cut: () => server.stop(true),
	};
};

const listenOnDeno = (deno: DenoRuntime, options: ListenOptions): Listener => {
	const abort = new AbortController();
	const server = deno.serve(
		{
			hostname: options.host,
			port: options.port,
			reusePort: options.reusePort,
			...options.certificate,
			signal: abort.signal,
			onListen: () => undefined,
			onError: brokenHandler,
		},
		(request, info) =>
			options.handle(request, {
				address: info.remoteAddr.hostname,
				crooked: isCrooked(request.url),
				holdOpen: () => () => undefined,
			}),
	);
	let over = false;
	const finished = server.finished.then(() => {
		over = true;
	});
	return {
		port: server.addr.port,
		close: () => server.shutdown(),
		cut: async () => {
			// Deno throws where a server is aborted that has already closed.
			if (!over) abort.abort();
			await finished;
		},
	};
};

/** Begins to serve. Throws what the runtime throws when the address is taken. */
export const listen = (options: ListenOptions): Listener => {
	const deno = (globalThis as { Deno?: DenoRuntime }).Deno;
	return deno ? listenOnDeno(deno, options) : listenOnBun(options);
};

/** Where a server that listens there is reached; on every address: by this machine itself. */
export const addressOf = (host: string, port: number | string, secure: boolean): string => {
	const name = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
	return `${secure ? "https" : "http"}://${name.includes(":") ? `[${name}]` : name}:${port}`;
};
