/** What is asked of a model of embeddings, and what it answers, whatever the dialect. */
import { deny, estimateTextTokens, Fault, type Loss, pictureTokens, refuseField, type WireRecord } from "#core";

/** A text, or a list of the ids of tokens that only one vendor's models know. */
export type Input = string | readonly number[];

/** What the vectors are for. */
export type Purpose =
	| "query"
	| "document"
	| "similarity"
	| "classification"
	| "clustering"
	| "question"
	| "fact"
	| "code";

type Setting = "dimensions" | "purpose" | "truncate" | "title";

export interface Asked {
	readonly inputs: readonly Input[];
	readonly dimensions?: number;
	readonly purpose?: Purpose;
	/** Whether what is too long is cut; false: it is refused. */
	readonly truncate?: boolean;
	readonly title?: string;
	/** The client's own names for what it set. */
	readonly words: Readonly<Partial<Record<Setting, string>>>;
	/** Fields that only the client's own dialect has a place for. */
	readonly others: readonly string[];
}

export type Vector = ArrayLike<number>;

export interface Answer {
	/** One for each input, in the order of the inputs. */
	readonly vectors: readonly Vector[];
}

/** Sound and films are no less than so many bytes a token. */
const bytesPerToken = 1000;

const usualTokensOf = (part: unknown): number =>
	Math.max(pictureTokens.usual, Math.ceil((JSON.stringify(part) ?? "").length / bytesPerToken));

/** How many tokens the parts are that are no texts: at most, besides their bytes, and about. */
export const mediaTokens = (parts: readonly unknown[]): { readonly most: number; readonly about: number } => ({
	most: parts.length * pictureTokens.most,
	about: parts.reduce((sum: number, part) => sum + usualTokensOf(part), 0),
});

/** The names of the fields that are set and not among `known`. */
export const otherFields = (body: WireRecord, known: readonly string[]): readonly string[] =>
	Object.keys(body).filter((name) => !known.includes(name) && body[name] !== null && body[name] !== undefined);

/** Parts of the request that the target's dialect, which takes `taken`, has no place for. */
export const lossesOf = (asked: Asked, taken: readonly Setting[]): readonly Loss[] => {
	const lost = (["dimensions", "purpose", "truncate", "title"] as const).filter(
		(setting) => asked[setting] !== undefined && !taken.includes(setting),
	);
	return [...lost.map((setting) => asked.words[setting] ?? setting), ...asked.others].map((path) => ({
		path,
		reason: "this upstream's embeddings have no such setting",
	}));
};

/** The inputs as texts, for vendors to whom other vendors' tokens mean nothing. */
export const textsOf = ({ inputs }: Asked): readonly string[] =>
	inputs.map((input) => {
		if (typeof input === "string") return input;
		throw new Fault(
			deny(
				"unsupported",
				"This model's upstream takes texts; the request has lists of token ids, which only OpenAI's models can read. Send the texts themselves.",
				{ parameter: "input" },
			),
		);
	});

/** Numbers are what all dialects have in common; bits and bytes are each vendor's own. */
export const refuseOtherTypes = (parameter: string, wanted: readonly unknown[]): void => {
	const other = wanted.find((type) => type !== "float" && type !== "base64");
	if (other !== undefined)
		throw new Fault(
			deny(
				"unsupported",
				`This model's upstream speaks another dialect, of which only vectors of type float can be had, not ${JSON.stringify(other).slice(0, 64)}. Ask for float, or ask another model.`,
				{ parameter },
			),
		);
};

/** A list of texts that must not be empty; one text stands for a list of one. */
export const readTexts = (value: unknown, parameter: string): readonly string[] => {
	const texts = typeof value === "string" ? [value] : value;
	if (!Array.isArray(texts) || texts.length === 0)
		throw refuseField(parameter, value, "send a text, or a list of at least one.");
	const odd = texts.findIndex((text) => typeof text !== "string");
	if (odd !== -1) throw refuseField(`${parameter}[${odd}]`, texts[odd], "it must be a text.");
	return texts;
};

interface BatchLimits {
	readonly items: number;
	/** Tokens of all inputs together, by our estimate, which leaves room for being wrong. */
	readonly tokens?: number;
}

/**
 * As many as the client of any vendor may send at once. More would go on as thousands of requests, of which an upstream takes so many
 * a minute from all tokens together, though they are one for its own token's rate.
 */
const mostInputs = 2_048;

const tooMany = (count: number): Fault =>
	new Fault(
		deny(
			"invalid_request",
			`The request has ${count} inputs, and this model's upstream takes fewer at once; send at most ${mostInputs}.`,
		),
	);

const tokensOf = (input: Input): number => (typeof input === "string" ? estimateTextTokens(input) : input.length);

/** The inputs in their order, in pieces of which each fits into one request. Throws `Fault` for too many. */
export const batches = <Item extends Input>(
	inputs: readonly Item[],
	{ items, tokens = Number.POSITIVE_INFINITY }: BatchLimits,
): readonly (readonly Item[])[] => {
	if (inputs.length > mostInputs) throw tooMany(inputs.length);
	const pieces: Item[][] = [];
	let piece: Item[] = [];
	let size = 0;
	for (const input of inputs) {
		const more = tokens === Number.POSITIVE_INFINITY ? 0 : tokensOf(input);
		if (piece.length > 0 && (piece.length === items || size + more > tokens)) {
			pieces.push(piece);
			piece = [];
			size = 0;
		}
		piece.push(input);
		size += more;
	}
	if (piece.length > 0) pieces.push(piece);
	return pieces;
};
