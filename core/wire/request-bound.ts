/**
 * Adds up the bound of a request, for the protocols that walk theirs. A token stands for at least one byte, so the bytes
 * of a body are a bound for all that is text; what is not is told apart by its media type and its first bytes.
 */
import type { Fees, RequestBound } from "../contract/facts.ts";
import type { JsonBody } from "../contract/json-body.ts";
import { asRecord, asText, isRecord, type WireRecord } from "../neutral/json.ts";
import { dataUrlHead } from "./data-url.ts";
import { kindOfBytes } from "./media-bytes.ts";
import { isSpelledOtherwise, usualSpelling } from "./references.ts";

/** What providers wrap around a conversation, and the instructions they put before tools, and before each of their own. */
const aroundConversation = 16;
const aroundTools = 1_024;
/** Rounds of a hosted tool where the request does not limit them. */
const usualRounds = 10;

const pictures = new Set(
	["png", "jpeg", "jpg", "gif", "webp", "heic", "heif", "avif", "bmp", "tiff"].map((type) => `image/${type}`),
);
const words =
	/^(text\/|application\/(json|xml|javascript|x-javascript|typescript|x-yaml|yaml|toml|x-ndjson|jsonl)\b)|[+](json|xml)$/;
/** Names of files at an address that is given for a picture's. */
const pictureless =
	/\.(pdf|txt|md|csv|tsv|html?|xml|json|docx?|xlsx?|pptx?|mp[34g]|m4[av]|mov|avi|mkv|webm|wav|ogg|opus|flac|aac)$/i;
/** Gemini looks at films there by the address of their page. */
const filmPage = /youtu\.?be/i;

const typeOf = (mediaType: unknown): string => (asText(mediaType) ?? "").split(";")[0]?.trim().toLowerCase() ?? "";

const noFees = () => ({ webSearches: 0, fileSearches: 0, codeSessions: 0, images: 0 });

/** Tells records with a field that a server in Go takes for one of these, so that what it brings was not counted. */
export const spelledOtherwise =
	(names: ReadonlySet<string>) =>
	(value: Readonly<Record<string, unknown>>): boolean => {
		for (const name in value)
			if (!names.has(name) && isSpelledOtherwise(name) && names.has(usualSpelling(name))) return true;
		return false;
	};

/** One bound while it is added up. */
export class BoundReader {
	private readonly bytes: number;
	private readonly fees = noFees();
	/** The same where limits are not told. */
	private readonly unlimited = noFees();
	private isLimited = false;
	private images = 0;
	private around = aroundConversation;
	/** Bytes of pictures, which count by themselves. */
	private apart = 0;
	private open = false;
	private turns = 1;
	private compaction: { readonly above: number; readonly output: number } | undefined;
	private predicted: number | undefined;
	private thoughts: number | undefined;
	private thoughtsBy: Record<string, number> | undefined;
	private readonly caching: Caching;
	private unpriced: string | undefined;
	private dear: string | undefined;

	constructor({ bytes, value }: JsonBody) {
		this.bytes = bytes.length;
		this.caching = cachingIn(value, "none");
	}

	/** More is read than stands here, as much as the model can take. */
	reachesOut(does = true): void {
		this.open ||= does;
	}

	/** A picture that is not in the body. */
	picture(): void {
		this.images++;
	}

	/** Bytes of this media type, as base64. Whatever is neither a picture nor text may count for more than its bytes. */
	inline(mediaType: unknown, data: unknown): void {
		const type = typeOf(mediaType);
		const base64 = asText(data) ?? "";
		const kind = kindOfBytes(base64);
		if (kind === "file") this.open = true;
		if (pictures.has(type)) {
			this.images++;
			if (kind === "picture") this.apart += base64.length;
		} else if (!words.test(type)) this.open = true;
	}

	/** A picture's address: one that leads elsewhere, or one that holds its bytes, of whatever type those are. */
	address(url: unknown): void {
		const text = asText(url) ?? "";
		const head = dataUrlHead(text);
		if (head) {
			this.inline(head.mime, head.isBase64 ? text.slice(head.end) : "");
			return;
		}
		this.images++;
		const isPicture = !pictureless.test(text.split(/[?#]/)[0] ?? "") && !filmPage.test(text);
		if (!/^\s*https?:/i.test(text) || !isPicture) this.open = true;
	}

	/** Tools of the client's own: instructions of the provider's go with them. */
	tools(providersOwn: number): void {
		this.around += aroundTools * (1 + providersOwn);
	}

	/**
	 * A tool that the upstream runs: it reads what it likes, and the model reads everything again after each round. A limit
	 * of no rounds is none: some upstreams take it so.
	 */
	hosted(fee: keyof Fees | undefined, limit = 0): void {
		const rounds = limit || usualRounds;
		this.open = true;
		this.turns = Math.max(this.turns, rounds + 1);
		const more = Math.max(0, usualRounds - rounds);
		this.isLimited ||= more > 0;
		if (fee === "codeSessions") this.fees.codeSessions++;
		else if (fee !== undefined) {
			this.fees[fee] += rounds;
			this.unlimited[fee] += rounds + more;
		}
	}

	/** A summary of at most `output` tokens is written first where the input may have more tokens than `above`. */
	compacts(above: number, output: number): void {
		this.compaction = { above, output };
	}

	/** It may think so many tokens, none where it is told not to; `field` where only some upstreams read what says so. */
	thinks(tokens: number, field?: string): void {
		if (field === undefined) this.thoughts = tokens;
		else this.thoughtsBy = { ...this.thoughtsBy, [field]: tokens };
	}

	/** An answer is predicted, as this text; what holds it otherwise counts as the whole body. */
	predicts(content: unknown): void {
		const text = asText(content);
		this.predicted = text === undefined ? this.bytes : Buffer.byteLength(text);
	}

	/** Billed in a way that nobody here knows. */
	unknownPrice(name: string): void {
		this.unpriced ??= name;
	}

	/** Of a field like this a hosted tool makes pictures that cost more than ordinary ones. */
	dearPictures(name: string): void {
		this.dear ??= name;
	}

	/** How a model reasons: in OpenAI's mode `pro` it answers as often as it likes before one answer is given, and all is billed. */
	reasons(reasoning: unknown): void {
		const { mode = null } = asRecord(reasoning);
		if (mode !== null && mode !== "standard") this.unknownPrice("reasoning.mode");
	}

	result(): RequestBound {
		const { images, open, turns, fees, thoughts, thoughtsBy, predicted, caching, unpriced, dear } = this;
		const tokens = this.bytes - this.apart + this.around;
		const { above = Number.POSITIVE_INFINITY, output } = this.compaction ?? {};
		const summary = open || images > 0 || tokens > above ? output : undefined;
		const bound: { -readonly [K in keyof RequestBound]: RequestBound[K] } = {
			tokens,
			images,
			open,
			turns,
			fees,
			caches: caching !== "none",
			longCache: caching === "long",
		};
		if (this.isLimited)
			bound.unlimited = {
				turns: Math.max(turns, usualRounds + 1),
				fees: { ...this.unlimited, codeSessions: fees.codeSessions },
			};
		if (summary !== undefined) bound.summary = summary;
		if (thoughts !== undefined) bound.thinks = thoughts;
		if (thoughtsBy !== undefined) bound.thinksBy = thoughtsBy;
		if (predicted !== undefined) bound.predicted = predicted;
		if (unpriced !== undefined) bound.unpriced = unpriced;
		if (dear !== undefined) bound.dearPictures = dear;
		return bound;
	}
}

/** OpenAI's word for all of its own marks, which no other vendor is told; half an hour is its usual. */
const forAllMarks = "prompt_cache_options";

/** Marks of Anthropic's and of OpenAI's protocols, which translation makes of each other. */
const cacheMarks = new Set(["cache_control", "prompt_cache_breakpoint", forAllMarks]);

type Caching = "none" | "usual" | "long";

/** The longest that anything is marked to be kept in a cache, or was `before`; marks may stand anywhere, also on a tool. */
const cachingIn = (value: unknown, before: Caching): Caching => {
	let found = before;
	if (Array.isArray(value)) for (const each of value) found = cachingIn(each, found);
	if (found === "long" || !isRecord(value)) return found;
	for (const name in value) {
		const member = value[name];
		if (typeof member !== "object" || member === null) continue;
		found = cacheMarks.has(name) ? markedBy(name, asRecord(member)["ttl"], found) : cachingIn(member, found);
	}
	return found;
};

const markedBy = (name: string, ttl: unknown, before: Caching): Caching => {
	if (name === forAllMarks) return ttl === "12h" ? "long" : before;
	return before === "long" || (ttl !== undefined && ttl !== "5m") ? "long" : "usual";
};

const noMembers: readonly WireRecord[] = [];
const noTiers: readonly string[] = [];

/** Members of a list; of a lone object, which some upstreams take for a list of one, that object. */
export const membersOf = (value: unknown): readonly WireRecord[] => {
	if (Array.isArray(value)) return value.every(isRecord) ? value : value.filter(isRecord);
	return isRecord(value) ? [value] : noMembers;
};

/** Words for what every provider does anyway. */
const plainTiers = new Set(["", "auto", "default", "standard", "standard_only", "on_demand", "unspecified", "global"]);

/** What a tier's field says, in lower case; `prefix` for words that mean nothing without it. Empty for what changes nothing. */
export const tierWords = (value: unknown, prefix = ""): readonly string[] => {
	if (value === undefined || value === null) return noTiers;
	const word = (typeof value === "string" ? value : "unreadable")
		.trim()
		.toLowerCase()
		.replace(/^service_tier_/, "")
		.slice(0, 32);
	return plainTiers.has(word) ? noTiers : [prefix + word];
};

/** The tiers that requests choose by the fields which OpenAI's and Anthropic's protocols have in common: the service tier, the speed, the place. */
export const tiersNamed = (body: Readonly<Record<string, unknown>>): readonly string[] => {
	const { service_tier: tier, speed, inference_geo: place } = body;
	if (tier === undefined && speed === undefined && place === undefined) return noTiers;
	return [...serviceWords(tier), ...tierWords(speed), ...tierWords(place, "inference_geo:")];
};

/** OpenAI takes two names for one tier; a speed of that name is Anthropic's, and another price. */
export const serviceWords = (value: unknown): readonly string[] =>
	tierWords(value).map((word) => (word === "fast" ? "priority" : word));
