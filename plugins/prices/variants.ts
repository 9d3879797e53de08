/** Which of a price's variants a task may be: one where it is certain, else all that its request may mean. */
import type { Price, TaskFacts, TaskUnits, Variant, Word } from "./service.ts";

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Fields that are no other name for anything that a price goes by. */
const plain = set(
	"prompt negative_prompt negativePrompt seed user safety_identifier cfg_scale guidance_scale background moderation " +
		"personGeneration enhancePrompt async stream partial_images output_format output_compression response_format " +
		"index botType n sampleCount seconds duration durationSeconds " +
		"image images mask input_reference base64Array aspect_ratio aspectRatio",
);

/** But for these, where a price goes by one of the same row. */
const families: readonly ReadonlySet<string>[] = [
	set("n sampleCount"),
	set("seconds duration durationSeconds"),
	set("image images mask input_reference base64Array"),
	set("aspect_ratio aspectRatio size width height"),
];

/** Whether a field that this price does not name may change what is made. */
const mayChange = (field: string, named: ReadonlyMap<string, unknown>): boolean =>
	!plain.has(field) || families.some((row) => row.has(field) && [...row].some((name) => named.has(name)));

/** OpenAI's GIF holds several frames, each of the size that is named, and its drawings are written by a model besides. */
const largerFormats = set("gif svg");

const isLarger = (field: string, value: unknown): boolean =>
	field === "output_format" && typeof value === "string" && largerFormats.has(value.toLowerCase());

const isWord = (value: unknown): value is Word =>
	typeof value === "string" || typeof value === "number" || typeof value === "boolean";

type Wanted = Variant["when"][string];

const wordsOf = (wanted: Wanted): readonly (Word | null)[] =>
	typeof wanted === "object" && wanted !== null ? wanted : [wanted];

/** The words that prices know, by field. What they do not know may mean anything. */
type Vocabulary = ReadonlyMap<string, ReadonlySet<Word | null>>;

const vocabularies = new WeakMap<readonly Variant[], Vocabulary>();

const vocabularyOf = (variants: readonly Variant[]): Vocabulary => {
	const kept = vocabularies.get(variants);
	if (kept) return kept;
	const found = new Map<string, Set<Word | null>>();
	for (const { when } of variants)
		for (const [field, wanted] of Object.entries(when))
			found.set(field, new Set([...(found.get(field) ?? []), ...wordsOf(wanted).filter((word) => word !== "*")]));
	vocabularies.set(variants, found);
	return found;
};

/** The word that counts for a field, `null` where it was not sent; undefined where that is not known. */
type WordOf = (field: string) => Word | null | undefined;

const readerOf = ({ said, told }: TaskFacts, vocabulary: Vocabulary): WordOf => {
	// One field more than prices know may be another name for one that they know.
	const isOpen = ([name, value]: readonly [string, unknown]): boolean =>
		!vocabulary.has(name) && (mayChange(name, vocabulary) || isLarger(name, value));
	if (!said || Object.entries(said).some(isOpen)) return () => undefined;
	return (field) => {
		const own = Object.hasOwn(said, field) ? said[field] : undefined;
		if (own === null) return undefined;
		const made = told && Object.hasOwn(told, field) ? (told[field] ?? undefined) : undefined;
		const word = made ?? own ?? null;
		return (word === null || isWord(word)) && vocabulary.get(field)?.has(word) ? word : undefined;
	};
};

type Fit = "yes" | "no" | "maybe";

const fitOf = ({ when }: Variant, wordOf: WordOf): Fit => {
	let fit: Fit = "yes";
	for (const [field, wanted] of Object.entries(when)) {
		const words = wordsOf(wanted);
		if (words.includes("*")) continue;
		const word = wordOf(field);
		if (word === undefined) fit = "maybe";
		else if (!words.includes(word)) return "no";
	}
	return fit;
};

/** Those that may fit, up to the first that is certain to. */
const mayBe = (price: Price, variants: readonly Variant[], facts: TaskFacts): readonly Rates[] => {
	const wordOf = readerOf(facts, vocabularyOf(variants));
	const found: Rates[] = [];
	for (const variant of variants) {
		const fit = fitOf(variant, wordOf);
		if (fit !== "no") found.push({ ...price, ...variant });
		if (fit === "yes") return found;
	}
	return [...found, price];
};

type UnitRate = "perImage" | "perSecond" | "perSong";
type Rates = Pick<Price, UnitRate>;

/** What each unit of a task is paid by. */
export const taskUnits: readonly (readonly [
	unit: Exclude<keyof TaskUnits, "partialImages" | "inputImages">,
	rate: UnitRate,
])[] = [
	["images", "perImage"],
	["seconds", "perSecond"],
	["songs", "perSong"],
];

const most = (rates: readonly (number | undefined)[]): number | undefined => {
	const known = rates.filter((rate) => rate !== undefined);
	return known.length === 0 ? undefined : Math.max(...known);
};

/** Dollars for one of a unit: the dearest that the task may be. */
export const taskRate = (
	price: Price,
	variants: readonly Variant[],
	rate: UnitRate,
	facts: TaskFacts,
): number | undefined => most(mayBe(price, variants, facts).map((one) => one[rate]));

/** The dearest of all: a picture that comes another way than by a task is asked for in fields that nobody reads here. */
export const dearestRate = (price: Price, rate: UnitRate): number | undefined =>
	price.variants === undefined ? price[rate] : taskRate(price, price.variants, rate, {});
