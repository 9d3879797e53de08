/** Small readers for data from the wire, which is `unknown` until one of these has looked at it. */

/** A JSON object. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object (not null, not an array). */
export const isRecord = (value: unknown): value is WireRecord =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** The object, or an empty one for anything else. */
export const asRecord = (value: unknown): WireRecord => (isRecord(value) ? value : {});

/** The array, or an empty one for anything else. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The string, or undefined for anything else. */
export const asText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The finite number, or undefined for anything else. */
export const asNumber = (value: unknown): number | undefined =>
	typeof value === "number" && Number.isFinite(value) ? value : undefined;

/** The count: a whole number from 0 on, or undefined for anything else. */
export const asCount = (value: unknown): number | undefined =>
	typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** The boolean, or undefined for anything else. */
export const asBoolean = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** The object without its undefined members: what `exactOptionalPropertyTypes` and JSON both want. */
export const definedOnly = <T extends Record<string, unknown>>(value: T): Partial<Defined<T>> => {
	const kept: Record<string, unknown> = {};
	for (const key in value) if (value[key] !== undefined) kept[key] = value[key];
	return kept as Partial<Defined<T>>;
};

/** JSON text as its value, or undefined when it is not JSON. */
export const parseJson = (text: string): unknown => {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
};
