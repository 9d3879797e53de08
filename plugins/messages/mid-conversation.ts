/**
 * What messages change amid a conversation beside what they say: the tools that are offered from there on, the effort, how
 * long their words are shown, and the summary that stands for what was said before it. Anthropic's servers keep track of it
 * so that the prompt before it stays cached; another protocol is told how things stand when the answer is asked for.
 */
import { asList, asRecord, asText, membersOf, type WireRecord } from "#core";

/** One change: `told` is the block, `at` where it stands. */
interface ToolChange {
	readonly told: WireRecord;
	readonly at: string;
}

const inBlocks = function* (content: unknown, at: string): Generator<ToolChange> {
	for (const [index, value] of asList(content).entries()) {
		const block = asRecord(value);
		const place = `${at}[${index}]`;
		const { type } = block;
		if (type === "tool_addition" || type === "tool_removal") yield { told: block, at: place };
		else if (type === "mid_conv_system") yield* inBlocks(block["content"], `${place}.content`);
		else if (type === "compaction") yield* inBlocks(block["tool_changes"], `${place}.tool_changes`);
	}
};

/** Every change of the tools, in order. */
const toolChanges = function* (messages: unknown): Generator<ToolChange> {
	for (const [index, message] of asList(messages).entries())
		yield* inBlocks(asRecord(message)["content"], `messages[${index}].content`);
};

const definitionIn = ({ told }: ToolChange): WireRecord | undefined => {
	const { type, definition } = asRecord(told["tool"]);
	return told["type"] === "tool_addition" && type === "tool_definition" ? asRecord(definition) : undefined;
};

/** The name of the tool that a change is about; undefined for what is no tool of the request's own. */
const changedTool = ({ tool }: WireRecord): string | undefined => {
	const { type, name, definition } = asRecord(tool);
	if (type === "tool_definition") return asText(asRecord(definition)["name"]);
	return type === "tool_reference" ? asText(name) : undefined;
};

/** A change in words, for where it stands; undefined for one of tools that only Anthropic's servers know. */
export const changeInWords = (told: WireRecord): string | undefined => {
	const name = changedTool(told);
	if (name === undefined) return undefined;
	return `From here on the tool \`${name}\` is ${told["type"] === "tool_removal" ? "not " : ""}available.`;
};

/** A tool as the client defines it, and where. */
export interface Offer {
	readonly told: unknown;
	readonly at: string;
}

/** Tools in the order in which they are offered, found by name. */
class Offers {
	private readonly all = new Set<Offer>();
	private readonly byName = new Map<unknown, Offer[]>();

	add(offer: Offer): void {
		const { name } = asRecord(offer.told);
		const same = this.byName.get(name);
		if (same) same.push(offer);
		else this.byName.set(name, [offer]);
		this.all.add(offer);
	}

	remove(name: unknown): void {
		for (const offer of this.byName.get(name) ?? []) this.all.delete(offer);
		this.byName.delete(name);
	}

	list(): readonly Offer[] {
		return [...this.all];
	}
}

/** The tools that are offered when the answer is asked for. */
const offeredTools = (tools: unknown, messages: unknown): readonly Offer[] => {
	const offers = new Offers();
	for (const [index, told] of asList(tools).entries()) offers.add({ told, at: `tools[${index}]` });
	const withdrawn = new Set<unknown>();
	for (const change of toolChanges(messages)) {
		const name = changedTool(change.told);
		if (name === undefined) continue;
		if (change.told["type"] === "tool_removal") withdrawn.add(name);
		else withdrawn.delete(name);
		const definition = definitionIn(change);
		if (!definition) continue;
		offers.remove(name);
		offers.add({ told: definition, at: `${change.at}.tool.definition` });
	}
	for (const name of withdrawn) offers.remove(name);
	return offers.list();
};

const isNewInput = ({ role, content }: WireRecord): boolean =>
	role === "user" && (typeof content === "string" || membersOf(content).some(({ type }) => type !== "tool_result"));

/** The effort that messages ask for: for the user's words that stand before it, else for the next; undefined where none does. */
const effortAmid = (messages: readonly WireRecord[]): unknown => {
	let holds: unknown;
	let waits: unknown;
	let heard = false;
	for (const message of messages) {
		if (message["role"] === "system") {
			const effort = asRecord(message["output_config"])["effort"] ?? undefined;
			if (heard) holds = effort ?? holds;
			else waits = effort ?? waits;
			continue;
		}
		heard = isNewInput(message);
		if (!heard) continue;
		holds = waits ?? holds;
		waits = undefined;
	}
	return holds;
};

/** A place in a conversation: a message, and a block of it. */
export interface Place {
	readonly message: number;
	readonly block: number;
}

/** One that tells nothing is left of a summary that failed. */
const isSummary = (block: unknown): boolean => {
	const { type, content } = asRecord(block);
	return type === "compaction" && asText(content) !== undefined && content !== "";
};

/** The last summary, which stands for all that was said before it; undefined where there is none. */
export const lastSummary = (messages: readonly unknown[]): Place | undefined => {
	for (let message = messages.length - 1; message >= 0; message--) {
		const block = asList(asRecord(messages[message])["content"]).findLastIndex(isSummary);
		if (block !== -1) return { message, block };
	}
	return undefined;
};

/** How things stand when the answer is asked for. */
interface Amid {
	readonly tools: readonly Offer[];
	/** The word of an effort; undefined where no message tells one. */
	readonly effort: unknown;
	/** Messages whose words were for a turn that is past. */
	readonly cleared: ReadonlySet<WireRecord>;
	/** What stands before it is shown to no model. */
	readonly summary: Place | undefined;
}

/** What has changed amid the conversation. */
export const changesAmid = (tools: unknown, messages: readonly WireRecord[]): Amid => {
	const latest = messages.findLastIndex(({ role }) => role === "user");
	const cleared = messages.slice(0, Math.max(0, latest)).filter(({ clear_at }) => clear_at === "next_user_message");
	return {
		tools: offeredTools(tools, messages),
		effort: effortAmid(messages),
		cleared: new Set(cleared),
		summary: lastSummary(messages),
	};
};
