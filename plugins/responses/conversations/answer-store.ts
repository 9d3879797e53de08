/** Kept answers in the database. Everything is found by token and id: an answer of another token does not exist. */

import { and, eq, sql } from "drizzle-orm";
import {
	type AccessToken,
	asList,
	asNumber,
	asRecord,
	asText,
	deny,
	Fault,
	type HeldBytes,
	isRecord,
	parseJson,
	type Store,
	type WireRecord,
} from "#core";
import { answers } from "../tables.ts";
import type { AnswerRoom } from "./answer-room.ts";
import { forgetting, itemIds, type KeptAt, keeping, longestChain, pruneStep, pruning } from "./answer-writes.ts";
import { inQueries } from "./in-queries.ts";
import { Turns } from "./turns.ts";

/** One kept answer. */
export interface KeptAnswer {
	readonly id: string;
	readonly previous: string | undefined;
	/** What the client sent for it, without the conversation before. */
	readonly input: readonly unknown[];
	readonly answer: WireRecord;
	/** The upstream that keeps it too, and the model by whose name it is reached. */
	readonly keptAt?: KeptAt;
}

/** Conversations of up to so many bytes are put together at once; of larger ones a single one at a time, for each who asks in turn. */
export const largeBytes = 1024 * 1024;

/** Whose answers are asked for. */
export type Asker = Pick<AccessToken, "id" | "owner">;

interface AnswerStoreOptions {
	readonly store: Store;
	readonly room: AnswerRoom;
	/** The most bytes that are put together for one call. */
	readonly conversationBytes: number;
}

const tooLong = (bytes: number, limit: number): Fault =>
	new Fault(
		deny(
			"invalid_request",
			`The conversation that this request goes on from is too long: it takes ${bytes} bytes, and at most ${limit} are put together here. Begin a new one with a summary of it, or send large files by address.`,
			{ code: "conversation_too_long", parameter: "previous_response_id" },
		),
	);

/** What is large is read and put together in steps: others have their turn between them. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Row {
	readonly id: unknown;
	readonly previous: unknown;
	readonly input: unknown;
	readonly answer: unknown;
}

const keptOf = (row: Row): KeptAnswer => ({
	id: String(row.id),
	previous: asText(row.previous),
	input: asList(parseJson(String(row.input))),
	answer: asRecord(parseJson(String(row.answer))),
});

export class AnswerStore {
	private readonly store: Store;
	private readonly options: AnswerStoreOptions;
	private readonly large = new Turns();

	constructor(options: AnswerStoreOptions) {
		this.store = options.store;
		this.options = options;
	}

	async find(token: string, id: string): Promise<KeptAnswer | undefined> {
		const rows = await this.store.db
			.select()
			.from(answers)
			.where(and(eq(answers.token, token), eq(answers.id, id)))
			.limit(1);
		const [row] = rows;
		return row && keptOf(row);
	}

	/**
	 * The conversation that ends with this answer, oldest first; undefined when it is not there, or when an answer
	 * before it is gone: half a conversation would mislead the model.
	 */
	async conversation(asker: Asker, id: string, held?: HeldBytes): Promise<readonly KeptAnswer[] | undefined> {
		const { id: token } = asker;
		const chain = await this.store.all(sql`
			WITH RECURSIVE chain (id, previous, bytes, depth) AS (
				SELECT id, previous, bytes, 0 FROM responses_answers INDEXED BY responses_answers_chain WHERE token = ${token} AND id = ${id}
				UNION ALL
				SELECT a.id, a.previous, a.bytes, chain.depth + 1
				FROM chain JOIN responses_answers a INDEXED BY responses_answers_chain ON a.token = ${token} AND a.id = chain.previous
				WHERE chain.depth < ${longestChain}
			)
			SELECT id, previous, bytes FROM chain ORDER BY depth DESC`);
		if (chain.length === 0 || asText(chain[0]?.["previous"]) !== undefined) return undefined;
		const bytes = chain.reduce((sum, row) => sum + (asNumber(row["bytes"]) ?? 0), 0);
		return await this.together(asker, bytes, held, async () => {
			const kept: KeptAnswer[] = [];
			for (const row of chain) {
				if (bytes > largeBytes) await nextTurn();
				const one = await this.find(token, String(row["id"]));
				if (one === undefined) return undefined;
				kept.push(one);
			}
			return kept;
		});
	}

	/** Reads so many bytes together, when that is not too much: large amounts one after the other. */
	private async together<T>(
		{ id, owner }: Asker,
		bytes: number,
		held: HeldBytes | undefined,
		read: () => Promise<T>,
	): Promise<T> {
		this.admit(bytes, held);
		if (bytes <= largeBytes) return await read();
		return await this.large.take(owner?.id ?? id, async () => {
			await nextTurn();
			return await read();
		});
	}

	/** Throws `Fault` for more than one call may have put together, or for which there is no room. */
	private admit(bytes: number, held: HeldBytes | undefined): void {
		const { conversationBytes } = this.options;
		if (bytes > conversationBytes) throw tooLong(bytes, conversationBytes);
		const denial = held?.hold(bytes);
		if (denial) throw new Fault(denial);
	}

	/** Whether an answer or an item of one of these ids is, or was, kept for any token. */
	async isKnown(ids: readonly string[]): Promise<boolean> {
		for (const some of inQueries(ids)) {
			const rows = await this.store.all(sql`
				SELECT 1 FROM responses_answers WHERE id IN (${some}) UNION ALL
				SELECT 1 FROM responses_items WHERE id IN (${some}) UNION ALL
				SELECT 1 FROM responses_deleted WHERE id IN (${some}) LIMIT 1`);
			if (rows.length > 0) return true;
		}
		return false;
	}

	/** Those of these ids that are no items of answers kept for this token. */
	async strangers(token: string, ids: readonly string[]): Promise<readonly string[]> {
		const own = new Set<unknown>();
		for (const some of inQueries(ids)) {
			const rows = await this.store.all(sql`SELECT id FROM responses_items WHERE token = ${token} AND id IN (${some})`);
			for (const { id } of rows) own.add(id);
		}
		return ids.filter((id) => !own.has(id));
	}

	/** Where else an answer is kept. */
	async keptAt(token: string, id: string): Promise<KeptAt | undefined> {
		const [row] = await this.store.all(
			sql`SELECT model, upstream FROM responses_answers WHERE token = ${token} AND id = ${id} LIMIT 1`,
		);
		const [model, upstream] = [asText(row?.["model"]), asText(row?.["upstream"])];
		return model === undefined || upstream === undefined ? undefined : { model, upstream };
	}

	/**
	 * Output items by their ids; what is not found is left out. An id may be there several times, as its item will be in what
	 * is put together: a reference is short, and what it names may be long.
	 */
	async items(asker: Asker, ids: readonly string[], held?: HeldBytes): Promise<ReadonlyMap<string, WireRecord>> {
		const once = new Set(ids);
		const found = await this.itemsOnce(asker, [...once], held);
		if (once.size === ids.length) return found;
		const sizes = new Map<string, number>();
		let again = 0;
		for (const id of ids) {
			const size = sizes.get(id);
			again += size ?? 0;
			if (size === undefined) sizes.set(id, Buffer.byteLength(JSON.stringify(found.get(id) ?? "")));
		}
		this.admit(again, held);
		return found;
	}

	private async itemsOnce(
		asker: Asker,
		ids: readonly string[],
		held: HeldBytes | undefined,
	): Promise<ReadonlyMap<string, WireRecord>> {
		const { id: token } = asker;
		const answerBytes = new Map<string, number>();
		for (const some of inQueries(ids)) {
			const rows = await this.store.all(sql`
				SELECT DISTINCT a.id, a.bytes FROM responses_items i
				JOIN responses_answers a INDEXED BY responses_answers_chain ON a.token = i.token AND a.id = i.answer
				WHERE i.token = ${token} AND i.id IN (${some})`);
			for (const row of rows) answerBytes.set(String(row["id"]), asNumber(row["bytes"]) ?? 0);
		}
		const bytes = [...answerBytes.values()].reduce((sum, one) => sum + one, 0);
		return await this.together(asker, bytes, held, async () => {
			const found = new Map<string, WireRecord>();
			for (const id of answerBytes.keys()) {
				if (bytes > largeBytes) await nextTurn();
				for (const item of asList((await this.find(token, id))?.answer["output"]))
					if (isRecord(item) && typeof item["id"] === "string") found.set(item["id"], item);
			}
			return found;
		});
	}

	/** Keeps an answer; one of the same id is replaced. Answers it goes on from stay as long as it does. */
	async keep(token: string, kept: KeptAnswer, now: number): Promise<void> {
		const { id, previous = null, input, answer, keptAt } = kept;
		const { room } = this.options;
		const [inputText, answerText] = [JSON.stringify(input), JSON.stringify(answer)];
		const bytes = Buffer.byteLength(inputText) + Buffer.byteLength(answerText);
		if (!room.takes(bytes))
			throw new Fault(deny("too_large", "the answer is larger than all that is kept of one token"));
		const rows = { token, id, previous, inputText, answerText, bytes, keptAt, items: itemIds(answer), now };
		const asks = room.add(token, bytes);
		const written = await this.store.write([...keeping(rows), ...(asks ? [asks] : [])]);
		if (asks) await room.made(written.at(-1)?.rows ?? []);
	}

	/** Forgets an answer and its items, but for their ids; false when there was none. */
	async forget(token: string, id: string, now: number): Promise<boolean> {
		const written = await this.store.write(forgetting(token, id, now));
		return (written.at(-1)?.rows.length ?? 0) > 0;
	}

	/** Removes answers that were last used, and ids of those that were deleted, before `time`, some at a time. */
	async prune(time: number, signal: AbortSignal): Promise<void> {
		for (;;) {
			const written = await this.store.write(pruning(time));
			if (written.every(({ changes }) => changes < pruneStep) || signal.aborted) return;
		}
	}
}
