/**
 * Exchanges with providers: a few of our own, and real ones, recorded by public projects. The latter live outside the
 * repository, in the folder that PORTICO_SHARED names (`../shared` unless set). Where it is absent the same tests run on our
 * own alone; those that ask for more (published schemas, numbers) are skipped, and say so.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { isRecord } from "#core";
import { ownExchanges } from "./exchanges/own.ts";

export const protocolNames = ["chat-completions", "responses", "messages", "generate-content"] as const;
export type ProtocolName = (typeof protocolNames)[number];

/** What came back: a JSON document, a stream of server-sent events, or Gemini's stream as a JSON array. */
export type RecordedAnswer =
	| { readonly form: "json"; readonly value: unknown }
	| { readonly form: "events"; readonly text: string }
	| { readonly form: "array"; readonly items: readonly unknown[] };

export interface Recording {
	readonly protocol: ProtocolName;
	/** Where to find it: file and line, then the case the source gave it. */
	readonly name: string;
	/** True for the provider's own host, false for another vendor that speaks the protocol. */
	readonly official: boolean;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Absent where the source kept none. */
	readonly request?: Readonly<Record<string, unknown>>;
	readonly status: number;
	readonly answer: RecordedAnswer;
	/** Blobs were cut, so that base64 in it may be no picture. */
	readonly truncated: boolean;
	readonly features: readonly string[];
}

/** The folder of shared test data. */
export const sharedFolder = resolve(process.env["PORTICO_SHARED"] ?? join(import.meta.dir, "../../../shared"));

/** Pass to `test.skipIf`: true, with a word about it on the first asking, where there are no recordings. */
export const withoutShared: boolean = !existsSync(join(sharedFolder, "recordings"));
if (withoutShared) console.warn(`Tests run without recordings: ${sharedFolder} is not there (set PORTICO_SHARED).`);

/** How many of something the recordings must have at least; of our own exchanges some are enough. */
export const atLeast = (count: number): number => (withoutShared ? 1 : count);

const suffixes: Readonly<Record<string, ProtocolName>> = {
	chat: "chat-completions",
	responses: "responses",
	messages: "messages",
	gemini: "generate-content",
};

const officialVendors = new Set(["openai", "anthropic", "google", "googleai"]);

/** All exchanges, or those of one protocol, in a fixed order: our own first. */
export const recordings = (of?: ProtocolName): readonly Recording[] => [
	...ownExchanges.filter(({ protocol }) => of === undefined || protocol === of),
	...shared(of),
];

const shared = (of: ProtocolName | undefined): readonly Recording[] => {
	if (withoutShared) return [];
	const folder = join(sharedFolder, "recordings");
	return readdirSync(folder)
		.sort()
		.flatMap((file) => {
			const suffix = /__([a-z]+)(-compat|-responseonly)?\.jsonl\.gz$/.exec(file);
			const protocol = suffixes[suffix?.[1] ?? ""];
			if (!protocol || (of && protocol !== of)) return [];
			return readLines(join(folder, file)).flatMap((line, at) => {
				const read = readRecording(line, protocol, `${file.replace(".jsonl.gz", "")}:${at + 1}`);
				return read ? [{ ...read, official: read.official && suffix?.[2] !== "-compat" }] : [];
			});
		});
};

const readLines = (path: string): readonly string[] =>
	gunzipSync(readFileSync(path))
		.toString("utf8")
		.split("\n")
		.filter((line) => line !== "");

const readRecording = (line: string, protocol: ProtocolName, place: string): Recording | undefined => {
	const row: unknown = JSON.parse(line);
	if (!isRecord(row)) return undefined;
	const answer = readAnswer(row["response"]);
	if (!answer) return undefined;
	const maker = typeof row["package"] === "string" ? row["package"] : row["vendor"];
	return {
		protocol,
		name: `${place} ${String(row["case"] ?? row["file"])}`,
		official: officialVendors.has(String(maker)) && officialVendors.has(String(row["vendor"])),
		url: String(row["url"]),
		headers: isRecord(row["request_headers"]) ? (row["request_headers"] as Record<string, string>) : {},
		...(isRecord(row["request"]) && { request: row["request"] }),
		status: Number(row["status"]),
		answer,
		truncated: Boolean(row["truncated_blobs"]),
		features: Array.isArray(row["features"]) ? row["features"].map(String) : [],
	};
};

const readAnswer = (response: unknown): RecordedAnswer | undefined => {
	if (Array.isArray(response)) return { form: "array", items: response };
	if (!isRecord(response)) return undefined;
	if (typeof response["sse"] === "string") return { form: "events", text: response["sse"] };
	// a body that was not JSON was kept as `text` alone; Responses bodies have a `text` of their own
	if (typeof response["text"] === "string") return undefined;
	return { form: "json", value: response };
};
