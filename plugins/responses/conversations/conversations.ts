/** Goes on from kept answers: puts their conversation before a request's own input, and keeps what was answered. */
import {
	asList,
	asText,
	type Clock,
	type Conversations,
	changeJsonBody,
	type Denial,
	definedOnly,
	deny,
	Fault,
	type HeldBytes,
	isFault,
	isRecord,
	type JsonBody,
	type Log,
	type ModelAsk,
	type Target,
	type WireRecord,
} from "#core";
import { mayConcern, openSummaries } from "../compaction/open-summaries.ts";
import type { SealedSummaries } from "../compaction/sealed-summaries.ts";
import { withoutBroughtBack } from "../sent-input.ts";
import { type AnswerStore, type Asker, type KeptAnswer, largeBytes, nextTurn } from "./answer-store.ts";
import { KeptReasoning } from "./kept-reasoning.ts";
import { bareReasoning, foreignReference, isToldRun, noAnswer, ownReasoning, referenceOf } from "./references.ts";

interface ConversationOptions {
	/** Absent when nothing is to be kept. */
	readonly answers: AnswerStore | undefined;
	readonly summaries: SealedSummaries;
	readonly clock: Clock;
	readonly log: Log;
}

const previousNotFound = (id: string): Denial =>
	deny("invalid_request", `Previous response with id '${id.slice(0, 80)}' not found.`, {
		code: "previous_response_not_found",
		parameter: "previous_response_id",
	});

const comparedNotFound = (id: string): Denial => {
	const at = "prompt_cache_options.comparison_response_id";
	return deny("not_found", `${at}: the upstream keeps no response with id '${id.slice(0, 80)}' for this token.`, {
		parameter: at,
	});
};

const itemNotFound = (id: string, at: string): Denial =>
	deny(
		"not_found",
		`Item with id '${id.slice(0, 80)}' not found. Items are kept only with answers for which \`store\` is not false; send the item itself instead of a reference.`,
		{ parameter: at },
	);

const reasoningNotFound = (id: string, at: string): Denial =>
	deny(
		"not_found",
		`Reasoning with id '${id.slice(0, 80)}' not found. It is kept only with answers for which \`store\` is not false; leave the item out, or send it with its \`encrypted_content\` (ask for it by \`include: ["reasoning.encrypted_content"]\`).`,
		{ parameter: at },
	);

const runNotFound = (id: string, at: string): Denial =>
	deny(
		"not_found",
		`Code that ran with id '${id.slice(0, 80)}' not found. It is kept only with answers for which \`store\` is not false; leave the item out, or tell what it did in a message.`,
		{ parameter: at },
	);

/** An input as its items: a bare text is a message of the user. */
const itemsOf = (input: unknown): readonly unknown[] =>
	typeof input === "string" ? [{ role: "user", content: input }] : asList(input);

/** All that was said up to the end of the last answer, as input. */
const spoken = (conversation: readonly KeptAnswer[]): readonly unknown[] =>
	conversation.flatMap(({ input, answer }) => [...input, ...asList(answer["output"])]);

const expanded = (body: JsonBody, input: readonly unknown[]): JsonBody =>
	changeJsonBody(body, { input, previous_response_id: undefined });

/** Dated names of the asked model stay; any other is behind an alias, which is the name the client knows. */
const modelOf = ({ model }: WireRecord, asked: string): string =>
	typeof model === "string" && model.startsWith(asked) ? model : asked;

interface Unknown {
	readonly id: string;
	readonly denial: Denial;
}

interface Resolved {
	readonly items: readonly unknown[];
	readonly missing?: Denial;
	readonly runs: readonly Unknown[];
}

class KeptConversations implements Conversations {
	private readonly options: ConversationOptions;
	private readonly reasoning: KeptReasoning;

	constructor(options: ConversationOptions) {
		this.options = options;
		this.reasoning = new KeptReasoning(options.clock);
	}

	async load(ask: ModelAsk, token: Asker, held?: HeldBytes): Promise<ModelAsk> {
		const { input, prompt_cache_options: caching } = ask.body.value;
		const strange = await this.strangeReasoning(asList(input), token);
		const asked = isRecord(caching) ? { ...ask, ...(await this.asksCache(caching, token)) } : ask;
		const loaded = await this.withConversation(strange ? { ...asked, looksUp: strange } : asked, token, held);
		// What was put together is sent in a later turn.
		if (loaded.body.bytes.length > largeBytes) await nextTurn();
		if (mayConcern(loaded)) return await openSummaries(loaded, this.options.summaries);
		return this.reasoning.load(loaded, token.id, held);
	}

	private async withConversation(ask: ModelAsk, token: Asker, held?: HeldBytes): Promise<ModelAsk> {
		const body = ask.body.value;
		const foreign = foreignReference(body);
		const previous = asText(body["previous_response_id"]);
		const references = asList(body["input"]).flatMap((item) => referenceOf(item) ?? []);
		if (previous === undefined && references.length === 0) return foreign ? { ...ask, onlyUpstream: foreign } : ask;
		const { items: own, missing, runs } = await this.resolved(itemsOf(body["input"]), references, token, held);
		const before = previous === undefined ? [] : await this.before(previous, token, held);
		const denial = missing ?? (before === undefined ? previousNotFound(previous ?? "") : undefined);
		if (before === undefined || denial) {
			await this.refuseKnown(previous === undefined ? references : [previous, ...references], denial);
			return { ...ask, ...(denial && { onlyUpstream: denial }) };
		}
		const runsElsewhere = runs[0]?.denial;
		await this.refuseKnown(
			runs.map(({ id }) => id),
			runsElsewhere,
		);
		const only = definedOnly({ looksUp: runsElsewhere, onlyUpstream: foreign });
		if (previous === undefined) return { ...ask, ...only, body: expanded(ask.body, own) };
		const continues = { id: previous, items: before.length };
		return { ...ask, ...only, body: expanded(ask.body, [...before, ...own]), continues };
	}

	/** Reasoning that only its id stands for is looked up by an upstream of this protocol, so it has to be the caller's own. */
	private async strangeReasoning(input: readonly unknown[], token: Asker): Promise<Denial | undefined> {
		const ids = input.flatMap((item) => bareReasoning(item) ?? []);
		if (ids.length === 0) return undefined;
		const { answers } = this.options;
		const strangers = answers ? await answers.strangers(token.id, ids) : ids;
		const [first] = strangers;
		if (first === undefined) return undefined;
		const at = input.findIndex((item) => bareReasoning(item) === first);
		const denial = reasoningNotFound(first, `input[${at}]`);
		await this.refuseKnown(strangers, denial);
		return denial;
	}

	/** What only the upstream can do that holds the cache: fill it, and compare with an answer, which has to be the caller's own. */
	private async asksCache(caching: WireRecord, token: Asker): Promise<Pick<ModelAsk, "looksUp" | "onlyProtocol">> {
		const warms = caching["prewarm"] === true && { onlyProtocol: noAnswer };
		const compared = asText(caching["comparison_response_id"]) ?? "";
		if (compared === "" || (await this.options.answers?.keptAt(token.id, compared))) return { ...warms };
		const denial = comparedNotFound(compared);
		await this.refuseKnown([compared], denial);
		return { ...warms, looksUp: denial };
	}

	/** All that was said up to the end of an answer; undefined when this token has no such answer. */
	private async before(id: string, token: Asker, held?: HeldBytes): Promise<readonly unknown[] | undefined> {
		const conversation = await this.options.answers?.conversation(token, id, held);
		return conversation && spoken(conversation);
	}

	/** What is known here, and is another's, deleted or no longer whole, is asked of nobody, whoever the upstream serves. */
	private async refuseKnown(ids: readonly string[], denial: Denial | undefined): Promise<void> {
		if (denial && (await this.options.answers?.isKnown(ids))) throw new Fault(denial);
	}

	/**
	 * The items, each reference replaced by what it refers to. Also the first reference that leads nowhere, and runs of code
	 * that are not the token's own.
	 */
	private async resolved(
		input: readonly unknown[],
		references: readonly string[],
		token: Asker,
		held: HeldBytes | undefined,
	): Promise<Resolved> {
		if (references.length === 0) return { items: input, runs: [] };
		const found = await this.options.answers?.items(token, references, held);
		let missing: Denial | undefined;
		const runs: Unknown[] = [];
		const items = input.map((item, index) => {
			const id = referenceOf(item);
			if (id === undefined) return item;
			const kept = found?.get(id);
			if (kept !== undefined) return kept;
			if (isToldRun(item)) runs.push({ id, denial: runNotFound(id, `input[${index}]`) });
			else if (ownReasoning(item) === undefined) missing ??= itemNotFound(id, `input[${index}]`);
			return item;
		});
		return { items, runs, ...definedOnly({ missing }) };
	}

	async save(ask: ModelAsk, token: Asker, answer: unknown, target?: Target): Promise<void> {
		const { answers, clock, log } = this.options;
		if (ask.call.operation === "generate") this.reasoning.save(ask, token.id, answer);
		const kept = answers && keepable(ask, answer, target);
		if (!kept) return;
		try {
			await answers.keep(token.id, kept, clock.now());
		} catch (error) {
			const reason = isFault(error) ? error.denial.message : error instanceof Error ? error.name : typeof error;
			log.error("an answer could not be kept; its client cannot go on from it", { answer: kept.id, reason });
		}
	}
}

/** The answer as it is kept; undefined for what is none, or is not to be kept. */
const keepable = (ask: ModelAsk, answer: unknown, target?: Target): KeptAnswer | undefined => {
	if (ask.call.operation !== "generate" || ask.body.value["store"] === false || !isRecord(answer)) return undefined;
	const id = asText(answer["id"]);
	if (answer["object"] !== "response" || id === undefined || id === "") return undefined;
	const input = withoutBroughtBack(itemsOf(ask.body.value["input"]), ask);
	const { continues } = ask;
	// An upstream that names every answer alike would make a conversation go on from itself: it is kept whole then.
	const linked = continues !== undefined && continues.id !== id;
	return {
		id,
		previous: linked ? continues.id : undefined,
		input: linked ? input.slice(continues.items) : input,
		// Upstreams of other protocols keep nothing, and those of this one what they answered under its own id.
		...(target?.upstream.remembers &&
			target.upstream.protocols.includes(ask.protocol.name) && {
				keptAt: { model: ask.call.name, upstream: target.upstream.name },
			}),
		answer: {
			...answer,
			model: modelOf(answer, ask.call.name),
			...(continues && { previous_response_id: continues.id }),
		},
	};
};

/** Conversations over the kept answers; without any, every id is unknown. */
export const createConversations = (options: ConversationOptions): KeptConversations => new KeptConversations(options);

/** The answer's own input and all before it, as `GET …/input_items` lists it. */
export const inputOf = (conversation: readonly KeptAnswer[]): readonly unknown[] => {
	const last = conversation.at(-1);
	return last === undefined ? [] : [...spoken(conversation.slice(0, -1)), ...last.input];
};
