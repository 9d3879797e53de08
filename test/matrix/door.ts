/** The same exchanges through the front door: a whole Portico before an upstream that answers what was recorded. */
import { isDeepStrictEqual } from "node:util";
import { asRecord, type Protocol, parseJson } from "#core";
import { type ScriptedUpstream, startGateway, startUpstream, streamOf, type TestGateway } from "#core/testing";
import { chunkings } from "../support/chunkings.ts";
import { type ProtocolName, protocolNames, type Recording, recordings } from "../support/recordings.ts";
import { readAnswer, readStream } from "./clients.ts";
import { differences } from "./compare.ts";
import type { Raised, Told } from "./told.ts";
import { carryRequest, isStream, plainRequest, recordedRequest } from "./translate.ts";
import { failure, type Trial } from "./trial.ts";
import { ownTold } from "./trials.ts";

/** A Portico for each protocol of the upstream, and the upstream behind all of them. */
export interface Door {
	readonly upstream: ScriptedUpstream;
	readonly gateways: ReadonlyMap<ProtocolName, TestGateway>;
	stop(): Promise<void>;
}

const openDoor = async (): Promise<Door> => {
	const upstream = startUpstream();
	const gateways = new Map<ProtocolName, TestGateway>();
	for (const protocol of protocolNames) {
		const upstreams = [
			{ name: "recorded", protocol, url: `${upstream.url}/v1`, key: "sk-of-the-upstream", tenancy: "single" },
		];
		const models = [{ name: "*", targets: [{ upstream: "recorded" }] }];
		gateways.set(
			protocol,
			await startGateway({ plugins: ["tokens", ...protocolNames, { use: "router", with: { upstreams, models } }] }),
		);
	}
	return {
		upstream,
		gateways,
		async stop() {
			for (const gateway of gateways.values()) await gateway.stop();
			await upstream.stop();
		},
	};
};

const nameOf = (protocol: Protocol): ProtocolName => protocol.name as ProtocolName;

/** The recorded answer, a stream cut by one of the chunkings; Google gives the array as events when asked for them. */
const replay = (recording: Recording, chunking: number): Response => {
	const { answer, status } = recording;
	if (answer.form === "json") return Response.json(answer.value, { status });
	const text =
		answer.form === "events" ? answer.text : answer.items.map((item) => `data: ${JSON.stringify(item)}\n\n`).join("");
	return streamOf(chunkings(recording.name.length)[chunking]?.cut(text) ?? [text]);
};

const byEvent = 1;

const askedPath = (path: string): string => (path.startsWith("/v1") ? path : `/v1${path}`);

/** A client of `client` asks for what was recorded of `upstream`. */
const tryDoor = async (
	door: Door,
	client: Protocol,
	upstream: Protocol,
	recording: Recording,
	want: Told | Raised,
): Promise<Trial> => {
	const stream = isStream(recording.answer);
	const base = {
		pair: `${client.name} ← ${upstream.name}`,
		name: recording.name,
		official: recording.official,
		mode: stream ? "door stream" : "door plain",
		invalid: [],
	};
	try {
		const before = recordedRequest(upstream, recording);
		const { path, body } = before ? carryRequest(before.neutral, client) : plainRequest(client, stream);
		door.upstream.answer(() => replay(recording, byEvent));
		const gateway = door.gateways.get(nameOf(upstream));
		const version = nameOf(client) === "generate-content" ? "/v1beta" : "/v1";
		const url = /^\/v1/.test(path) ? path : version + path;
		const response = await gateway?.ask(url, body, { signal: AbortSignal.timeout(10_000) });
		const text = (await response?.text()) ?? "";
		const streamed = response?.headers.get("content-type")?.startsWith("text/event-stream");
		const got = streamed
			? await readStream(nameOf(client), text)
			: await readAnswer(nameOf(client), JSON.parse(text), response?.status);
		const evidence = { url, body, status: response?.status, text, got, want };
		return {
			...base,
			differences: differences(nameOf(client), failure(got), failure(want)),
			crash: undefined,
			evidence,
		};
	} catch (error) {
		return {
			...base,
			differences: [],
			crash: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
		};
	}
};

/** The exchange in its own protocol at one chunking: bytes there and back are as recorded. */
const tryIdentity = async (door: Door, protocol: Protocol, recording: Recording, chunking: number): Promise<Trial> => {
	const base = {
		pair: `${protocol.name} ← ${protocol.name}`,
		name: `${recording.name} ${chunkings()[chunking]?.name}`,
		official: recording.official,
		mode: "door identity",
		invalid: [],
	};
	try {
		const asked = recordedRequest(protocol, recording) ?? plainRequest(protocol, isStream(recording.answer));
		door.upstream.answer(() => replay(recording, chunking));
		door.upstream.received.length = 0;
		const gateway = door.gateways.get(nameOf(protocol));
		const response = await gateway?.ask(askedPath(asked.path), asked.body, { signal: AbortSignal.timeout(10_000) });
		const text = (await response?.text()) ?? "";
		const sent = door.upstream.received.at(-1)?.json;
		const found = [
			...(isSame(recording, text)
				? []
				: [{ what: "the answer", reason: reasonForAnswer(recording, response?.status, text) }]),
			...(isDeepStrictEqual(withoutUsage(sent), withoutUsage(asked.body))
				? []
				: [{ what: "the request", reason: reasonForRequest(asked.body) }]),
		];
		const evidence = { asked: asked.body, sent, status: response?.status, recorded: recording.answer, text };
		return { ...base, differences: found, crash: undefined, evidence };
	} catch (error) {
		return {
			...base,
			differences: [],
			crash: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
		};
	}
};

/** Where events are edited they get the line ends that Portico writes; an array is compared by its items. */
const isSame = ({ answer }: Recording, text: string): boolean => {
	if (answer.form === "events") return text.replaceAll("\r\n", "\n") === answer.text.replaceAll("\r\n", "\n");
	if (answer.form === "array") return isDeepStrictEqual(parseJson(text), answer.items);
	return text === JSON.stringify(answer.value);
};

const reasonForAnswer = (
	{ answer, request }: Recording,
	status: number | undefined,
	text: string,
): string | undefined => {
	if (answer.form === "json" && request?.["stream"] === true) return "recorded whole although a stream was asked";
	if (status !== 200 && answer.form === "events" && answer.text.includes('"error"'))
		return "an error before the first word is an error of HTTP";
	const goesOn = answer.form === "events" && text.startsWith(answer.text);
	return goesOn || text.includes("broke_off") ? "the recorded stream breaks off before its end" : undefined;
};

const reasonForRequest = (asked: unknown): string | undefined =>
	asRecord(asked)["previous_response_id"] === undefined
		? undefined
		: "Portico keeps the conversation and sends it whole";

/** Portico asks for usage of its own, and takes it out of the answer again. */
const withoutUsage = (body: unknown): unknown =>
	typeof body === "object" && body !== null ? { ...body, stream_options: undefined } : body;

/** How many of the chunkings a stream is tried at; one byte at a time is left to shorter streams. */
const chunkingsFor = ({ answer }: Recording): readonly number[] => {
	if (answer.form === "json") return [0];
	const short = answer.form === "events" && answer.text.length < 3_000;
	return [...chunkings().keys()].filter((number) => short || chunkings()[number]?.name !== "by byte");
};

/** Every answered exchange that `of` takes, for clients of every protocol. */
export async function* doorTrials(
	protocols: ReadonlyMap<ProtocolName, Protocol>,
	of: (recording: Recording) => boolean,
): AsyncGenerator<Trial> {
	const door = await openDoor();
	try {
		for (const [name, upstream] of protocols)
			for (const recording of recordings(name).filter((one) => one.status < 400 && of(one)))
				yield* await tryAll(door, [...protocols.values()], upstream, recording);
	} finally {
		await door.stop();
	}
}

const tryAll = async (
	door: Door,
	clients: readonly Protocol[],
	upstream: Protocol,
	recording: Recording,
): Promise<readonly Trial[]> => {
	const trials: Trial[] = [];
	const want = await ownTold(recording);
	for (const client of clients)
		if (client !== upstream) trials.push(await tryDoor(door, client, upstream, recording, want));
	// other vendors have addresses of their own
	for (const chunking of recording.official ? chunkingsFor(recording) : [])
		trials.push(await tryIdentity(door, upstream, recording, chunking));
	return trials;
};
