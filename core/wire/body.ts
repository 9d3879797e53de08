/** Reads a request body under a limit, whatever the client said about it. */
import type { Clock } from "../contract/clock.ts";
import { Fault } from "../contract/fault.ts";
import type { HeldBytes } from "../contract/held-bytes.ts";
import { systemClock } from "./system-clock.ts";
import { type Unpacked, unpackedBody, unpackingOf } from "./unpacking.ts";

/** How long a body may take to arrive, in milliseconds; a large one may take longer, as long as it keeps coming. */
export interface Pace {
	readonly clock: Clock;
	readonly patienceMs: number;
}

const usualPace: Pace = { clock: systemClock, patienceMs: 60_000 };
/** After the patience is over, a body must bring so much a millisecond; time saved counts for so long at most. */
const leastBytesPerMs = 16;
const longestRestMs = 10_000;
/**
 * What is read of a body that is refused, for many clients hear no answer before they have sent all: bytes, milliseconds, and
 * milliseconds in which nothing comes.
 */
const mostWasted = 64 * 1024 * 1024;
const longestWasteMs = 5_000;
const longestSilenceMs = 1_000;
/** Larger bodies are watched as they come. */
const readAtOnce = 1024 * 1024;

const tooLarge = (limit: number): Fault =>
	new Fault({
		kind: "too_large",
		message: `The request body is larger than ${limit} bytes, the limit here. Send less, or refer to large files by address.`,
		headers: { connection: "close" },
	});

const tooSlow = (): Fault =>
	new Fault({
		kind: "client_timeout",
		// Bun sends `100 Continue` to those alone who write it so; Java's HttpClient writes `100-Continue`, and would wait for ever.
		message:
			"The request body did not arrive in time. Send it again, and faster; a client that waits for `100 Continue` must leave its `Expect` header out, or write it `100-continue`.",
		headers: { connection: "close" },
	});

const tooDense = (): Fault =>
	new Fault({
		kind: "too_large",
		message:
			"The request body is more than a hundred times larger unpacked than it was sent; send it as it is, without content-encoding.",
		headers: { connection: "close" },
	});

const brokenOff = (cause: unknown): Fault =>
	new Fault(
		{ kind: "invalid_request", message: "The request body broke off or could not be decompressed; send it again." },
		cause,
	);

/** Resolves with what is waited for, or rejects with a `Fault` when it fails or takes longer. */
const within = <T>(work: Promise<T>, milliseconds: number, clock: Clock): Promise<T> =>
	new Promise((resolve, reject) => {
		const cancel = clock.after(milliseconds, () => reject(tooSlow()));
		work.then(
			(value) => {
				cancel();
				resolve(value);
			},
			(cause: unknown) => {
				cancel();
				reject(brokenOff(cause));
			},
		);
	});

const unsupported = (message: string): Fault => new Fault({ kind: "unsupported_media_type", message });

/** The refusal of a media type that cannot be JSON; an absent one is taken for JSON. */
const wrongType = (type: string | null): Fault | undefined => {
	if (type === null || type === "application/json") return undefined;
	const [media = "", ...parameters] = type.toLowerCase().split(";");
	const name = media.trim();
	if (name !== "" && name !== "application/json" && !name.endsWith("+json"))
		return unsupported(`The content-type is "${name.slice(0, 64)}"; send application/json.`);
	for (const parameter of parameters) {
		const charset = /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/.exec(parameter)?.[1];
		if (charset !== undefined && charset !== "utf-8" && charset !== "utf8")
			return unsupported(`The charset is "${charset.slice(0, 32)}"; send JSON encoded as UTF-8.`);
	}
	return undefined;
};

const decoded = (request: Request, body: ReadableStream<Uint8Array>): Unpacked => {
	const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
	if (encoding === "identity" || encoding === "") return { stream: body, isTooDense: () => false };
	const unpacking = unpackingOf(encoding);
	if (!unpacking)
		throw unsupported(
			`The content-encoding is "${encoding.slice(0, 32)}"; send it as it is, or with gzip, deflate or zstd.`,
		);
	return unpackedBody(body, unpacking);
};

const bytesOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((size, chunk) => size + chunk.length, 0);

/** The chunks as one piece; a single one is not copied. */
export const join = (chunks: readonly Uint8Array[], size = bytesOf(chunks)): Uint8Array => {
	const [only] = chunks;
	if (chunks.length === 1 && only !== undefined) return only;
	const whole = new Uint8Array(size);
	let at = 0;
	for (const chunk of chunks) {
		whole.set(chunk, at);
		at += chunk.length;
	}
	return whole;
};

/**
 * Of a declared length that is small the body is read at once: the runtime holds it to that, and one read is cheaper than many.
 * Every call comes here, and an async function around the reading is dearer: what is wrong at once is a rejection made by hand.
 */
const read = (
	request: Request,
	isJson: boolean,
	limit: number,
	held: HeldBytes | undefined,
	pace: Pace,
): Promise<Uint8Array> => {
	const { headers } = request;
	const wrong = isJson ? wrongType(headers.get("content-type")) : undefined;
	if (wrong) return Promise.reject(wrong);
	const declared = Number(headers.get("content-length") ?? 0);
	if (declared > limit) return refuseDeclared(request, limit, declared, pace);
	if (declared === 0 || declared > readAtOnce || headers.has("content-encoding"))
		return readInPieces(request, limit, held, pace);
	const full = held?.hold(declared);
	return full ? Promise.reject(new Fault(full)) : within(request.bytes(), pace.patienceMs, pace.clock);
};

/**
 * The whole body, decompressed, or a `Fault`: too large (nothing of it is kept when the length is declared), wrong type, too slow,
 * broken off, or no room for it in what calls may hold (`call.held`).
 */
export const readBody = (request: Request, limit: number, held?: HeldBytes, pace = usualPace): Promise<Uint8Array> =>
	read(request, true, limit, held, pace);

/** The same for a body of any media type. */
export const readBytes = (request: Request, limit: number, held?: HeldBytes, pace = usualPace): Promise<Uint8Array> =>
	read(request, false, limit, held, pace);

/** Whatever the compiler takes a reader's type from: the browser's, or the runtime's. */
interface Reader {
	read(): Promise<
		| { readonly done: true; readonly value?: Uint8Array | undefined }
		| { readonly done: false; readonly value: Uint8Array }
	>;
}

/** Reads on and forgets it, for as long as something comes; never rejects. */
const passOver = async (reader: Reader, clock: Clock): Promise<void> => {
	const until = clock.monotonic() + longestWasteMs;
	try {
		for (let left = mostWasted; left > 0; ) {
			const { done, value } = await within(reader.read(), Math.min(longestSilenceMs, until - clock.monotonic()), clock);
			if (done) return;
			left -= value.length;
		}
	} catch {
		// The refusal is told to whoever is still there.
	}
};

const refuseDeclared = async ({ body }: Request, limit: number, declared: number, { clock }: Pace): Promise<never> => {
	if (body !== null && declared - limit <= mostWasted) {
		const reader = body.getReader();
		await passOver(reader, clock);
		reader.cancel().catch(() => undefined);
	}
	throw tooLarge(limit);
};

const readInPieces = async (
	request: Request,
	limit: number,
	held: HeldBytes | undefined,
	pace: Pace,
): Promise<Uint8Array> => {
	const { clock } = pace;
	if (request.body === null) return new Uint8Array(0);
	const chunks: Uint8Array[] = [];
	let [size, last] = [0, 0];
	const { stream, isTooDense } = decoded(request, request.body);
	const reader = stream.getReader();
	const timeAfter = paceOf(pace);
	try {
		for (;;) {
			const { done, value } = await within(reader.read(), timeAfter(last), clock);
			if (done) return join(chunks, size);
			last = value.length;
			size += last;
			if (size > limit) {
				// What unpacks to so much is not unpacked any further.
				if (!request.headers.has("content-encoding")) await passOver(reader, clock);
				throw tooLarge(limit);
			}
			if (isTooDense(size)) throw tooDense();
			const full = held?.hold(value.length);
			if (full) throw new Fault(full);
			chunks.push(value);
		}
	} catch (error) {
		reader.cancel().catch(() => undefined);
		throw error;
	}
};

/** Tells how many milliseconds the next piece may take, given how long the last one was. */
const paceOf = ({ clock, patienceMs }: Pace): ((bytes: number) => number) => {
	let until = clock.monotonic() + patienceMs;
	return (bytes) => {
		const now = clock.monotonic();
		until = Math.max(until, Math.min(until + bytes / leastBytesPerMs, now + longestRestMs));
		return until - now;
	};
};
