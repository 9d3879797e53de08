/** Items of the answer for work the upstream did itself: searches, pictures, and items that only this protocol knows. */
import {
	asList,
	asRecord,
	asText,
	definedOnly,
	type ImageBlock,
	type ServerCallBlock,
	type ServerResultBlock,
	type WireRecord,
} from "#core";
import { ownFields } from "../origin.ts";
import { announce, conclude, type ItemWriter, type Output } from "./item-writers.ts";
import { itemMembers, type Wire } from "./wire.ts";

const actionOf = ({ tool, arguments: given }: ServerCallBlock): WireRecord => {
	const { query, queries, url, pattern } = asRecord(given);
	if (tool === "web_fetch")
		return pattern === undefined ? { type: "open_page", url } : { type: "find_in_page", url, pattern };
	const asked = asList(queries).filter((text) => typeof text === "string");
	return { type: "search", query: asText(query) ?? asked[0] ?? "", ...(asked.length > 0 && { queries: asked }) };
};

/** A web search, or a page that was read for one. It ends when its result is known, or when something else begins. */
export class SearchWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly members: string;
	private readonly tellSources: boolean;
	private call: ServerCallBlock;
	private sources: readonly WireRecord[] = [];
	private status: "in_progress" | "completed" | "failed" = "in_progress";
	private failed = false;

	/** `tellSources`: the client asked for the pages that were found. */
	constructor(output: Output, call: ServerCallBlock, tellSources: boolean) {
		const { index, id } = output.place("ws");
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.call = call;
		this.tellSources = tellSources;
		this.members = itemMembers(id, index);
		announce(this.wire, index, this.item());
		this.wire.emit("response.web_search_call.in_progress", this.members);
		this.wire.emit("response.web_search_call.searching", this.members);
	}

	get callId(): string {
		return this.call.id;
	}

	get ended(): boolean {
		return this.status !== "in_progress";
	}

	know(call: ServerCallBlock): void {
		this.call = call;
	}

	found({ result, isError }: ServerResultBlock): void {
		this.failed = isError === true;
		this.sources = asList(result).flatMap((source) => {
			const { url } = asRecord(source);
			return typeof url === "string" ? [{ type: "url", url }] : [];
		});
	}

	end(): void {
		if (this.ended) return;
		this.status = this.failed ? "failed" : "completed";
		this.wire.emit("response.web_search_call.completed", this.members);
		conclude(this.wire, this.index, this.item());
	}

	item(): WireRecord {
		const action = actionOf(this.call);
		const tells = this.tellSources && action["type"] === "search" && this.sources.length > 0;
		return {
			id: this.id,
			type: "web_search_call",
			status: this.status,
			action: tells ? { ...action, sources: this.sources } : action,
		};
	}
}

/** What the item told besides the picture, where another of this protocol made it. */
const itemOf = (block: ImageBlock): WireRecord => asRecord(ownFields(block)["item"]);

/** A picture the model made. */
export class ImageWriter implements ItemWriter {
	private readonly wire: Wire;
	private readonly index: number;
	private readonly id: string;
	private readonly members: string;
	private block: ImageBlock;
	private more = "";
	private status: "in_progress" | "completed" = "in_progress";

	constructor(output: Output, block: ImageBlock) {
		const { index, id } = output.place("ig", asText(itemOf(block)["id"]));
		this.wire = output.wire;
		this.index = index;
		this.id = id;
		this.block = block;
		this.members = itemMembers(id, index);
		const { result: _none, ...begun } = this.item();
		announce(this.wire, index, { ...begun, result: null });
		this.wire.emit("response.image_generation_call.in_progress", this.members);
		this.wire.emit("response.image_generation_call.generating", this.members);
	}

	grow(base64: string): void {
		this.more += base64;
	}

	know(block: ImageBlock): void {
		this.block = block;
		this.more = "";
	}

	end(): void {
		if (this.status === "completed") return;
		this.status = "completed";
		this.wire.emit("response.image_generation_call.completed", this.members);
		conclude(this.wire, this.index, this.item());
	}

	item(): WireRecord {
		const { media } = this.block;
		const format = media.by === "bytes" ? /^image\/(png|webp|jpeg)$/.exec(media.mime)?.[1] : undefined;
		return {
			...definedOnly({ output_format: format }),
			...itemOf(this.block),
			id: this.id,
			type: "image_generation_call",
			status: this.status,
			result: media.by === "bytes" ? media.base64 + this.more : null,
		};
	}
}

/** An item that this protocol wrote itself, as it was. */
export class RawWriter implements ItemWriter {
	private readonly raw: WireRecord;

	constructor(output: Output, raw: WireRecord) {
		const { index, id } = output.place("item", asText(raw["id"]));
		this.raw = { ...raw, id };
		announce(output.wire, index, this.raw);
		conclude(output.wire, index, this.raw);
	}

	end(): void {
		// It was whole from the start.
	}

	item(): WireRecord {
		return this.raw;
	}
}
