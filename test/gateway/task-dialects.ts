/** The ways in which clients submit tasks, each with the shape and the words of its errors, for the tests of bad input. */
import { expect } from "bun:test";
import { asRecord, asText } from "#core";
import { startGateway, type TestGateway } from "#core/testing";
import { createMovedClock, type MovedClock } from "../support/moved-clock.ts";

/** What is wrong, whatever a dialect calls it. */
export type Trouble =
	| "key"
	| "expired"
	| "invalid"
	| "large"
	| "type"
	| "model"
	| "absent"
	| "ip"
	| "quota"
	| "rate"
	| "reused";

/** A status, and the word that the dialect's clients look for in the body. */
export type Told = readonly [status: number, word: string];

export interface Dialect {
	readonly name: string;
	readonly path: string;
	readonly good: Record<string, unknown>;
	/** Checks the shape and gives what the error is called there. */
	readonly wordOf: (body: unknown) => string;
	readonly told: Readonly<Record<Trouble, Told>>;
	/** Changes of the good body that are wrong in this dialect. */
	readonly wrong: Readonly<Record<string, Record<string, unknown>>>;
	/** The body that asks for another model; absent where the path names it. */
	readonly model?: (name: string) => Record<string, unknown>;
	readonly modelPath?: (name: string) => string;
	/** Of an answer to a submission. */
	readonly idOf: (body: Record<string, unknown>) => unknown;
}

const text = (value: unknown): string => {
	expect(typeof value).toBe("string");
	return asText(value) ?? "";
};

const sentence = (value: unknown): void => expect(text(value).length).toBeGreaterThan(10);

const openAi: Pick<Dialect, "wordOf" | "told"> = {
	wordOf(body) {
		const error = asRecord(asRecord(body)["error"]);
		sentence(error["message"]);
		expect(error).toHaveProperty("param");
		return text(error["code"] ?? error["type"]);
	},
	told: {
		key: [401, "invalid_api_key"],
		expired: [401, "token_expired"],
		invalid: [400, "invalid_"],
		large: [413, "request_too_large"],
		type: [415, "unsupported_media_type"],
		model: [404, "model_not_found"],
		absent: [404, "task_not_found"],
		ip: [403, "ip_not_allowed"],
		quota: [429, "insufficient_quota"],
		rate: [429, "rate_limit_exceeded"],
		reused: [409, "idempotency_key_reused"],
	},
};

const midjourney: Pick<Dialect, "wordOf" | "told"> = {
	wordOf(body) {
		const { code, description, result, type } = asRecord(body);
		expect(typeof code).toBe("number");
		expect(result).toBeNull();
		sentence(description);
		return `${code} ${text(type)}`;
	},
	told: {
		key: [401, "4 "],
		expired: [401, "4 token_expired"],
		invalid: [400, "4 invalid_"],
		large: [413, "4 too_large"],
		type: [415, "4 unsupported_media_type"],
		model: [404, "4 model_not_found"],
		absent: [404, "4 task_not_found"],
		ip: [403, "4 ip_not_allowed"],
		quota: [403, "4 quota_not_enough"],
		rate: [429, "23 "],
		reused: [409, "4 idempotency_key_reused"],
	},
};

const kling: Pick<Dialect, "wordOf" | "told"> = {
	wordOf(body) {
		const { code, message, request_id: id } = asRecord(body);
		expect(typeof code).toBe("number");
		sentence(message);
		expect(text(id)).not.toBe("");
		return String(code);
	},
	told: {
		key: [401, "1000"],
		expired: [401, "1000"],
		invalid: [400, "1200"],
		large: [413, "1200"],
		type: [415, "1200"],
		model: [404, "1202"],
		absent: [404, "1203"],
		ip: [403, "1103"],
		quota: [429, "1102"],
		rate: [429, "1302"],
		reused: [409, "1200"],
	},
};

const google: Pick<Dialect, "wordOf" | "told"> = {
	wordOf(body) {
		const { code, message, status } = asRecord(asRecord(body)["error"]);
		expect(typeof code).toBe("number");
		sentence(message);
		return text(status);
	},
	told: {
		key: [401, "UNAUTHENTICATED"],
		expired: [401, "UNAUTHENTICATED"],
		invalid: [400, "INVALID_ARGUMENT"],
		large: [413, "INVALID_ARGUMENT"],
		type: [415, "INVALID_ARGUMENT"],
		model: [404, "NOT_FOUND"],
		absent: [404, "NOT_FOUND"],
		ip: [403, "PERMISSION_DENIED"],
		quota: [429, "RESOURCE_EXHAUSTED"],
		rate: [429, "RESOURCE_EXHAUSTED"],
		reused: [409, "ABORTED"],
	},
};

const suno: Pick<Dialect, "wordOf" | "told"> = {
	wordOf(body) {
		const { code, message, data } = asRecord(body);
		expect(data).toBeNull();
		sentence(message);
		return text(code);
	},
	told: {
		key: [401, "unauthorized"],
		expired: [401, "unauthorized"],
		invalid: [400, "invalid_request"],
		large: [413, "invalid_request"],
		type: [415, "invalid_request"],
		model: [404, "model_not_found"],
		absent: [404, "task_not_exist"],
		ip: [403, "forbidden"],
		quota: [403, "quota_not_enough"],
		rate: [429, "rate_limited"],
		reused: [409, "conflict"],
	},
};

const prompts = {
	"no prompt": { prompt: undefined },
	"an empty prompt": { prompt: "  " },
	"a prompt that is a number": { prompt: 7 },
	"a prompt that is a list": { prompt: ["x"] },
	"a prompt of 100,001 characters": { prompt: "x".repeat(100_001) },
};

const names = {
	"a model that is a number": { model: 7 },
	"a model that is a record": { model: { toString: 1 } },
	"a model with a line break": { model: "dear\r\nx-evil: 1" },
	"a model that climbs": { model: "../../v1/other" },
	"a model of 201 characters": { model: "m".repeat(201) },
};

const counts = {
	"n 0": { n: 0 },
	"n -1": { n: -1 },
	"n 1.5": { n: 1.5 },
	"n 10,000": { n: 10_000 },
	'n "many"': { n: "many" },
	"n that is a record": { n: { valueOf: 1 } },
};

const lengths = (field: string) => ({
	[`${field} 0`]: { [field]: 0 },
	[`${field} -1`]: { [field]: -1 },
	[`${field} 1e9`]: { [field]: 1e9 },
	[`${field} "long"`]: { [field]: "long" },
	[`${field} that is a record`]: { [field]: { valueOf: 1 } },
});

const kept = { "a field of 100 KB to be kept": { size: "9".repeat(100_000) } };

const modelField = (model: string): Record<string, unknown> => ({ model });

export const dialects: readonly Dialect[] = [
	{
		name: "the uniform route",
		path: "/v1/tasks",
		good: { kind: "image", prompt: "a cat", model: "dear" },
		...openAi,
		wrong: {
			...prompts,
			...names,
			...counts,
			"no kind": { kind: undefined },
			"an unknown kind": { kind: "__proto__" },
			"a kind that is a number": { kind: 7 },
			"an action that is no word": { action: "drop table" },
			"an action that is a number": { action: 7 },
			"the length of a clip as text": { kind: "video", input: { seconds: "long" } },
			"a field of 100 KB to be kept": { input: { size: "9".repeat(90_000) } },
		},
		model: modelField,
		idOf: ({ id }) => id,
	},
	{
		name: "OpenAI's images",
		path: "/v1/images/generations",
		good: { prompt: "a cat", model: "dear", async: true },
		...openAi,
		wrong: { ...prompts, ...names, ...counts, ...kept },
		model: modelField,
		idOf: ({ id }) => id,
	},
	{
		name: "OpenAI's edits",
		path: "/v1/images/edits",
		good: { prompt: "a cat", model: "dear", async: true, image: "data:image/png;base64,iVBORw0KGgo=" },
		...openAi,
		wrong: {
			...prompts,
			...names,
			...counts,
			...kept,
			"no picture": { image: undefined },
			"an empty list of pictures": { image: undefined, images: [] },
			"17 pictures": { images: Array(16).fill({ image_url: "https://cdn.example/cat.png" }) },
			"a picture that is a number": { image: 7 },
			"a picture in a list in a list": { image: [["aGk="]] },
			"a picture that is a record of its own": { images: [{ image_url: { toString: 1 } }] },
			"a picture that is text": { image: "data:text/plain;base64,aGVsbG8=" },
			"a picture of no bytes": { image: "data:image/png;base64," },
			"a picture on this machine's disk": { images: [{ image_url: "file:///etc/passwd" }] },
			"two masks": { mask: ["aGk=", "aGk="] },
		},
		model: modelField,
		idOf: ({ id }) => id,
	},
	{
		name: "Midjourney's",
		path: "/mj/submit/imagine",
		good: { prompt: "a cat", model: "dear" },
		...midjourney,
		wrong: { ...prompts, ...names },
		model: modelField,
		idOf: ({ result }) => result,
	},
	{
		name: "Kling's pictures",
		path: "/kling/v1/images/generations",
		good: { prompt: "a cat", model_name: "dear" },
		...kling,
		wrong: {
			...prompts,
			...counts,
			"a model_name that is a number": { model_name: 7 },
			"an id of 100 KB to be kept": { external_task_id: "x".repeat(90_000) },
		},
		model: (model_name) => ({ model_name }),
		idOf: ({ id }) => id,
	},
	{
		name: "OpenAI's videos",
		path: "/v1/videos",
		good: { prompt: "a cat", model: "dear" },
		...openAi,
		wrong: { ...prompts, ...names, ...lengths("seconds"), ...kept },
		model: modelField,
		idOf: ({ id }) => id,
	},
	{
		name: "new-api's videos",
		path: "/v1/video/generations",
		good: { prompt: "a cat", model: "dear" },
		...openAi,
		wrong: {
			...prompts,
			...names,
			...lengths("duration"),
			...kept,
			"seconds hidden in metadata": { metadata: { seconds: 1e9 } },
			"a width that is a record": { width: { toString: 1 }, height: 1 },
		},
		model: modelField,
		idOf: ({ id }) => id,
	},
	{
		name: "Kling's videos",
		path: "/kling/v1/videos/text2video",
		good: { prompt: "a cat", model_name: "dear" },
		...kling,
		wrong: { ...prompts, ...lengths("duration"), "a model_name that is a number": { model_name: 7 } },
		model: (model_name) => ({ model_name }),
		idOf: ({ id }) => id,
	},
	{
		name: "Google's videos",
		path: "/v1beta/models/dear:predictLongRunning",
		good: { instances: [{ prompt: "a cat" }] },
		...google,
		wrong: {
			"no instances": { instances: undefined },
			"an instance without a prompt": { instances: [{}] },
			"a prompt that is a number": { instances: [{ prompt: 7 }] },
			"a sampleCount of 4": { parameters: { sampleCount: 4 } },
			'a sampleCount of "4"': { parameters: { sampleCount: "4" } },
			"a duration of 1e9": { parameters: { durationSeconds: 1e9 } },
		},
		modelPath: (model) => `/v1beta/models/${model}:predictLongRunning`,
		idOf: ({ name }) => asText(name)?.split("/").at(-1),
	},
	{
		name: "Suno's",
		path: "/suno/submit/music",
		good: { gpt_description_prompt: "a song", mv: "dear" },
		...suno,
		wrong: {
			"no words at all": { gpt_description_prompt: undefined },
			"a description that is a number": { gpt_description_prompt: 7 },
			"a title that is a list": { title: ["x"] },
			"an mv that is a number": { mv: 7 },
			"tags of 90 KB to be kept": { tags: "x".repeat(90_000) },
		},
		model: (mv) => ({ mv }),
		idOf: ({ data }) => data,
	},
];

/** Portico's own keys at the upstreams of `startTaskDoors`. */
export const upstreamKey = "upstream-secret-5517";

export interface TaskDoors extends TestGateway {
	readonly moved: MovedClock;
	close(): Promise<void>;
}

/** A gateway with every policy and every kind of task; nothing answers at its upstreams, and no time passes. */
export const startTaskDoors = async (): Promise<TaskDoors> => {
	const moved = createMovedClock();
	const upstream = (type: string) => ({
		upstreams: [{ name: `${type}-up`, type, url: "http://127.0.0.1:1", key: upstreamKey, models: ["dear", "dear2"] }],
	});
	const gateway = await startGateway({
		clock: moved,
		plugins: [
			"tokens",
			"expiry",
			"model-list",
			"ip-whitelist",
			{ use: "prices", with: { models: { "dear*": { perImage: 0.5, perSecond: 0.1, perSong: 0.5 } } } },
			"quota",
			"rate-limit",
			"ledger",
			"webhooks",
			{ use: "tasks", with: { bodyLimitMegabytes: 0.125 } },
			{ use: "image", with: upstream("openai-images") },
			{ use: "video", with: upstream("openai-videos") },
			{ use: "music", with: upstream("suno-api") },
		],
	});
	return {
		...gateway,
		moved,
		async close() {
			const stopping = gateway.stop();
			moved.advance(10_000);
			await stopping;
		},
	};
};
