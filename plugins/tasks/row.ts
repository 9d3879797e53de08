/** Rows of the table as tasks. JSON columns were written by this plugin; they are read with the same care as any. */
import {
	asBoolean,
	asList,
	asNumber,
	asRecord,
	asText,
	definedOnly,
	editWords,
	isRecord,
	parseJson,
	type WireRecord,
} from "#core";
import type { Said } from "../prices/service.ts";
import { nameAt } from "./catalogue.ts";
import type {
	ResultFile,
	Task,
	TaskFailure,
	TaskJob,
	TaskResult,
	TaskStatus,
	TaskUnits,
	TaskUpstream,
} from "./service.ts";

/** A task with what only its worker needs. */
export interface WorkRow {
	readonly task: Task;
	readonly upstream: string;
	readonly upstreamId: string | undefined;
	readonly memo: WireRecord;
	readonly parent: { readonly upstreamId: string; readonly memo: WireRecord } | undefined;
	/** Submissions begun, the present one included. */
	readonly submissions: number;
	/** Submissions that the upstream was too busy for; of a task that was given up, requests to stop it that were not answered. */
	readonly tries: number;
	readonly polls: number;
	readonly strange: number;
	readonly missing: number;
	readonly deadlineAt: number;
	readonly baseUrl: string;
	readonly fingerprint: string;
	/** The most it costs, in micro-dollars; undefined where no price was known. */
	readonly most: number | undefined;
	/** What its request says that a price may go by; undefined where that cannot be told. */
	readonly said: Said | undefined;
	/** Where it was asked for from, and the tags of its call. */
	readonly address: string | undefined;
	readonly tags: Readonly<Record<string, string>> | undefined;
	/** Texts that guards changed, with what the upstream is sent in their place. */
	readonly sent: ReadonlyMap<string, string>;
	/** What is put back in what the upstream says. */
	readonly restore: ReadonlyMap<string, string>;
}

const statuses: ReadonlySet<string> = new Set<TaskStatus>(["NOT_START", "IN_PROGRESS", "SUCCESS", "FAILURE"]);

const isStatus = (value: unknown): value is TaskStatus => typeof value === "string" && statuses.has(value);

const json = (value: unknown): WireRecord => asRecord(parseJson(asText(value) ?? ""));

const fileOf = (value: unknown): ResultFile => {
	const file = asRecord(value);
	return {
		role: asText(file.role) ?? "",
		url: asText(file.url) ?? "",
		mediaType: asText(file.mediaType) ?? "application/octet-stream",
	};
};

const resultOf = (value: unknown): TaskResult | undefined => {
	if (typeof value !== "string") return undefined;
	const result = json(value);
	return definedOnly({
		files: asList(result.files).map(fileOf),
		title: asText(result.title),
		duration: asNumber(result.duration),
		told: isRecord(result.told) ? result.told : undefined,
		extra: isRecord(result.extra) ? result.extra : undefined,
	});
};

const failureOf = (value: unknown): TaskFailure | undefined => {
	if (typeof value !== "string") return undefined;
	const failure = json(value);
	return { code: asText(failure.code) ?? "", reason: asText(failure.reason) ?? "" };
};

const unitsOf = (value: unknown): TaskUnits => {
	const { images, inputImages, partialImages, seconds, songs } = asRecord(value);
	return definedOnly({
		images: asNumber(images),
		inputImages: asNumber(inputImages),
		partialImages: asNumber(partialImages),
		seconds: asNumber(seconds),
		songs: asNumber(songs),
	});
};

/** Throws when the row is of no known status, which the table itself forbids. */
export const taskOf = (row: WireRecord): Task => {
	const request = json(row.request);
	if (!isStatus(row.status)) throw new TypeError("a task is in no known state");
	const time = (name: string): number => asNumber(row[name]) ?? 0;
	const text = (name: string): string => asText(row[name]) ?? "";
	return definedOnly({
		id: text("id"),
		tokenId: text("token_id"),
		kind: text("kind"),
		action: text("action"),
		model: text("model"),
		prompt: asText(request.prompt) ?? "",
		details: asRecord(request.details),
		bound: unitsOf(request.bound),
		state: asText(request.state),
		status: row.status,
		progress: time("progress"),
		result: resultOf(row.result),
		failure: failureOf(row.failure),
		callbackUrl: text("callback_url"),
		submittedAt: time("submitted_at"),
		startedAt: time("started_at"),
		finishedAt: time("finished_at"),
		updatedAt: time("changed_at"),
		expiresAt: time("expires_at"),
	});
};

/** A task as its upstream gets it. */
export const jobOf = (row: WorkRow, upstream: TaskUpstream, input: WireRecord = {}): TaskJob => {
	const { id, action, model, submittedAt } = row.task;
	const { memo, upstreamId, parent, sent } = row;
	const prompt = sent.get(row.task.prompt) ?? row.task.prompt;
	const details = sent.size === 0 ? row.task.details : asRecord(editWords(row.task.details, sent));
	const known = definedOnly({ upstreamId, parent });
	return { id, action, model: nameAt(upstream, model), prompt, details, input, memo, submittedAt, ...known };
};

const wordsOf = (pairs: unknown): ReadonlyMap<string, string> =>
	new Map(
		Array.isArray(pairs) ? pairs.map((pair): [string, string] => [asText(pair[0]) ?? "", asText(pair[1]) ?? ""]) : [],
	);

const saidOf = (words: WireRecord): Said =>
	Object.fromEntries(
		Object.entries(words).map(([name, word]) => [name, asText(word) ?? asNumber(word) ?? asBoolean(word) ?? null]),
	);

const tagsOf = (tags: WireRecord): Readonly<Record<string, string>> =>
	Object.fromEntries(Object.entries(tags).flatMap(([name, tag]) => (typeof tag === "string" ? [[name, tag]] : [])));

export const workRowOf = (row: WireRecord): WorkRow => {
	const request = json(row.request);
	const parent = typeof row.parent === "string" ? json(row.parent) : undefined;
	const count = (name: string): number => asNumber(row[name]) ?? 0;
	return {
		task: taskOf(row),
		upstream: asText(row.upstream) ?? "",
		upstreamId: asText(row.upstream_id),
		memo: json(row.memo),
		parent: parent && { upstreamId: asText(parent.upstreamId) ?? "", memo: asRecord(parent.memo) },
		submissions: count("submissions"),
		tries: count("tries"),
		polls: count("polls"),
		strange: count("strange"),
		missing: count("missing"),
		deadlineAt: count("deadline_at"),
		baseUrl: asText(row.base_url) ?? "",
		fingerprint: asText(row.fingerprint) ?? "",
		most: asNumber(request.most),
		said: isRecord(request.said) ? saidOf(request.said) : undefined,
		address: asText(request.address),
		tags: isRecord(request.tags) ? tagsOf(request.tags) : undefined,
		sent: wordsOf(request.sent),
		restore: wordsOf(request.restore),
	};
};
