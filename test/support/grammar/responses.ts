/** The grammar of a Responses stream, as strict as the strictest official client (openai 7) and Codex. */
import { isDeepStrictEqual } from "node:util";
import { asList, asRecord, isRecord } from "#core";
import { expectRecord, Faults, type Frame, readFrames } from "./frames.ts";

type Event = Readonly<Record<string, unknown>>;

/** What is wrong with the stream; empty when all is well. */
export const responsesFaults = (text: string): string[] => {
	const faults = new Faults();
	const check = new ResponsesCheck(faults);
	for (const [at, frame] of readFrames(text, { names: true, comments: true }, faults).entries()) {
		faults.place = `event ${at} (${frame.name})`;
		check.push(frame);
	}
	faults.place = "end";
	check.end();
	return faults.list;
};

/** One output item from `added` to `done`. */
interface Item {
	readonly id: unknown;
	readonly type: string;
	readonly parts: Part[];
	/** Argument or input text of a call. */
	text: string;
	textDone: boolean;
	done: Event | undefined;
}

interface Part {
	readonly kind: string;
	text: string;
	textDone: boolean;
	done: boolean;
}

const terminals = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Deltas and dones of text within a part: what the part is called and where its number stands. */
const partText: Readonly<Record<string, { readonly number: string; readonly field: string }>> = {
	output_text: { number: "content_index", field: "text" },
	refusal: { number: "content_index", field: "refusal" },
	reasoning_text: { number: "content_index", field: "text" },
	reasoning_summary_text: { number: "summary_index", field: "text" },
};

class ResponsesCheck {
	private readonly faults: Faults;
	private readonly items: Item[] = [];
	private readonly ids = new Set<unknown>();
	/** Of calls, which are no items' own. */
	private readonly callIds = new Set<unknown>();
	private responseId: unknown;
	private sequence = 0;
	private over = false;

	constructor(faults: Faults) {
		this.faults = faults;
	}

	push(frame: Frame): void {
		const event = expectRecord(frame.json, "data", this.faults);
		const type = String(event["type"]);
		this.faults.expect(frame.name === type, `named ${frame.name} but of type ${type}`);
		this.faults.expect(!this.over, "after the end");
		this.faults.expect(
			event["sequence_number"] === this.sequence,
			`sequence_number ${String(event["sequence_number"])}`,
		);
		this.faults.expect(
			(this.sequence === 0) === (type === "response.created") || type === "error",
			"response.created must be first and once",
		);
		this.sequence++;
		if (type === "error") this.error(event);
		else if (terminals.has(type)) this.terminal(type, asRecord(event["response"]));
		else if (isRecord(event["response"])) this.head(asRecord(event["response"]));
		else this.itemEvent(type, event);
	}

	private error(event: Event): void {
		this.faults.expect(typeof event["message"] === "string" && event["message"] !== "", "an error without message");
		this.over = true;
	}

	private head(response: Event): void {
		this.responseId ??= response["id"];
		this.faults.expect(typeof response["id"] === "string" && response["id"] === this.responseId, "another response id");
		this.faults.expect(Array.isArray(response["output"]), "output is not a list");
		this.faults.expect(
			["in_progress", "queued"].includes(String(response["status"])),
			`status ${String(response["status"])}`,
		);
	}

	private terminal(type: string, response: Event): void {
		this.over = true;
		const { id, status, output, usage } = response;
		this.faults.expect(id === this.responseId, "another response id");
		this.faults.expect(type === `response.${String(status)}`, `status ${String(status)}`);
		const items = asList(output).map(asRecord);
		this.faults.expect(Array.isArray(output) && items.length === this.items.length, "output is not all the items");
		for (const [at, item] of this.items.entries()) this.sameItem(at, item, items[at] ?? {}, type);
		if (type === "response.failed") {
			const error = expectRecord(response["error"], "error", this.faults);
			this.faults.expect(
				typeof error["code"] === "string" && typeof error["message"] === "string",
				"no code or message",
			);
			return;
		}
		if (type === "response.incomplete") expectRecord(response["incomplete_details"], "incomplete_details", this.faults);
		if (usage !== null && usage !== undefined) this.usage(asRecord(usage));
	}

	private sameItem(at: number, item: Item, listed: Event, type: string): void {
		this.faults.expect(listed["id"] === item.id, `output[${at}] is another item`);
		if (type === "response.failed") return;
		this.faults.expect(item.done !== undefined, `item ${at} was not done`);
		this.faults.expect(isDeepStrictEqual(listed, item.done), `output[${at}] differs from its done event`);
	}

	private usage(usage: Event): void {
		for (const field of ["input_tokens", "output_tokens", "total_tokens"])
			this.faults.expect(typeof usage[field] === "number", `usage.${field} is missing`);
		this.faults.expect(
			typeof asRecord(usage["input_tokens_details"])["cached_tokens"] === "number",
			"no cached_tokens",
		);
		this.faults.expect(
			typeof asRecord(usage["output_tokens_details"])["reasoning_tokens"] === "number",
			"no reasoning_tokens",
		);
	}

	private itemEvent(type: string, event: Event): void {
		if (type === "response.output_item.added") this.added(event);
		else this.openItemEvent(type, event);
	}

	private openItemEvent(type: string, event: Event): void {
		const item = this.items[Number(event["output_index"])];
		if (!this.faults.expect(item !== undefined && item.done === undefined, "its item is not open") || !item) return;
		if (type === "response.output_item.done") {
			this.doneItem(item, asRecord(event["item"]));
			return;
		}
		this.faults.expect(event["item_id"] === item.id, `item_id ${String(event["item_id"])} is not ${String(item.id)}`);
		const name = type.replace(/^response\./, "");
		if (/_part\.(added|done)$/.test(name)) this.part(item, name, event);
		else this.growth(item, name, event);
	}

	private added(event: Event): void {
		const item = expectRecord(event["item"], "item", this.faults);
		this.faults.expect(event["output_index"] === this.items.length, `output_index ${String(event["output_index"])}`);
		this.faults.expect(
			typeof item["id"] === "string" && !this.ids.has(item["id"]),
			`id ${String(item["id"])} is not new`,
		);
		if (item["call_id"] !== undefined && !String(item["type"]).endsWith("output")) {
			this.faults.expect(!this.callIds.has(item["call_id"]), "call_id is not new");
			this.callIds.add(item["call_id"]);
		}
		this.ids.add(item["id"]);
		const text = String(item["arguments"] ?? item["input"] ?? "");
		this.items.push({ id: item["id"], type: String(item["type"]), parts: [], text, textDone: false, done: undefined });
		this.faults.expect(
			asList(item["content"]).length === 0 && asList(item["summary"]).length === 0,
			"an item does not open empty",
		);
	}

	private doneItem(item: Item, done: Event): void {
		item.done = done;
		this.faults.expect(done["id"] === item.id && done["type"] === item.type, "another id or type than when added");
		this.faults.expect(
			item.parts.every((part) => part.done),
			"a part of it is not done",
		);
		const listed = [...asList(done["summary"]), ...asList(done["content"])].map(asRecord);
		this.faults.expect(
			listed.length === item.parts.length,
			`${listed.length} parts, but ${item.parts.length} were told`,
		);
		const told = item.parts.map((part) => part.text).sort();
		const held = listed.map((part) => String(part["text"] ?? part["refusal"])).sort();
		this.faults.expect(JSON.stringify(told) === JSON.stringify(held), "its text differs from the deltas");
		if (!["function_call", "custom_tool_call"].includes(item.type)) return;
		this.faults.expect(
			String(done["arguments"] ?? done["input"]) === item.text,
			"its arguments differ from the deltas",
		);
		this.faults.expect(item.textDone || done["status"] === "incomplete", "its arguments were not done");
		this.faults.expect(Boolean(done["call_id"]) && Boolean(done["name"]), "no call_id or name");
	}

	private part(item: Item, name: string, event: Event): void {
		const number = Number(name.startsWith("reasoning_summary") ? event["summary_index"] : event["content_index"]);
		const kind = name.startsWith("reasoning_summary") ? "summary" : "content";
		const parts = item.parts.filter((part) => part.kind === kind);
		if (name.endsWith("added")) {
			this.faults.expect(number === parts.length, `part ${number} is out of order`);
			this.faults.expect(
				parts.every((part) => part.done),
				"the part before is not done",
			);
			item.parts.push({ kind, text: "", textDone: false, done: false });
			return;
		}
		const part = parts[number];
		if (!this.faults.expect(part !== undefined && !part.done, "its part is not open") || !part) return;
		part.done = true;
		const held = asRecord(event["part"]);
		this.faults.expect(String(held["text"] ?? held["refusal"]) === part.text, "the part differs from its deltas");
		this.faults.expect(part.textDone, "its text was not done");
	}

	private growth(item: Item, name: string, event: Event): void {
		const [subject = "", verb] = name.split(".");
		const text = partText[subject];
		if (text) this.partText(item, subject, text, verb, event);
		else if (subject === "function_call_arguments" || subject === "custom_tool_call_input")
			this.callText(item, verb, event);
	}

	private partText(
		item: Item,
		subject: string,
		{ number, field }: { number: string; field: string },
		verb: string | undefined,
		event: Event,
	): void {
		const kind = subject === "reasoning_summary_text" ? "summary" : "content";
		const part = item.parts.filter((one) => one.kind === kind)[Number(event[number])];
		if (!this.faults.expect(part !== undefined && !part.done, "its part is not open") || !part) return;
		if (verb === "delta") {
			this.faults.expect(!part.textDone, "a delta after done");
			part.text += String(event["delta"]);
		}
		if (verb !== "done") return;
		part.textDone = true;
		this.faults.expect(event[field] === part.text, "the text differs from its deltas");
	}

	private callText(item: Item, verb: string | undefined, event: Event): void {
		this.faults.expect(!item.textDone, "after done");
		if (verb === "delta") item.text += String(event["delta"]);
		else {
			item.textDone = true;
			this.faults.expect((event["arguments"] ?? event["input"]) === item.text, "the arguments differ from the deltas");
		}
	}

	end(): void {
		this.faults.expect(this.over, "no terminal event");
	}
}
