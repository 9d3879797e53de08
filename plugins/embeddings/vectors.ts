/** Vectors as they stand on the wire: lists of numbers, or their bytes as base64 (32 bits each, the lowest byte first). */
import { asList, asRecord, asText, Fault } from "#core";
import type { Answer, Asked, Vector } from "./asked.ts";

const bytesPerNumber = 4;

export const toBase64 = (vector: Vector): string => {
	const bytes = Buffer.alloc(vector.length * bytesPerNumber);
	for (let at = 0; at < vector.length; at++) bytes.writeFloatLE(vector[at] ?? 0, at * bytesPerNumber);
	return bytes.toString("base64");
};

export const fromBase64 = (text: string): Vector => {
	const bytes = Buffer.from(text, "base64");
	const vector = new Float32Array(Math.floor(bytes.length / bytesPerNumber));
	for (let at = 0; at < vector.length; at++) vector[at] = bytes.readFloatLE(at * bytesPerNumber);
	return vector;
};

/** As clients read it: a list of numbers, or base64. */
export const written = (vector: Vector, base64: boolean): readonly number[] | string =>
	base64 ? toBase64(vector) : Array.isArray(vector) ? vector : Array.from(vector);

const odd = (what: string): Fault =>
	new Fault({
		kind: "upstream",
		message: `The upstream's answer ${what}. Ask again, or ask the operator to look at it.`,
	});

/** A vector in either form. Throws `Fault` (`upstream`) for anything else. */
const readVector = (value: unknown): Vector => {
	const vector = typeof value === "string" ? fromBase64(value) : asList(value);
	if (vector.length === 0) throw odd("holds something that is no vector");
	for (let at = 0; at < vector.length; at++)
		if (typeof vector[at] !== "number") throw odd("holds a vector with something in it that is no number");
	return vector as Vector;
};

/** What a vendor's own rounding may be off by. */
const almost = 1e-6;

/** The same direction, of length 1. */
export const ofLengthOne = (vector: Vector): Vector => {
	let squares = 0;
	for (let at = 0; at < vector.length; at++) squares += (vector[at] ?? 0) ** 2;
	const length = Math.sqrt(squares);
	return length === 0 || Math.abs(length - 1) < almost ? vector : Array.from(vector, (value) => value / length);
};

/** The vectors of several answers, one after the other. There must be as many as inputs were sent. */
export const joined = (
	bodies: readonly unknown[],
	{ inputs }: Asked,
	vectorsIn: (body: unknown) => readonly unknown[],
): Answer => {
	const vectors = bodies.flatMap((body) => vectorsIn(body).map(readVector));
	if (vectors.length !== inputs.length) throw odd(`has ${vectors.length} vectors for ${inputs.length} inputs`);
	return { vectors };
};

/** `{data: [{index, embedding}]}`, as OpenAI, Voyage and Jina have it, in the order of the indices. */
export const listedVectors = (body: unknown): readonly unknown[] => {
	const items = asList(asRecord(body)["data"]).map(asRecord);
	const place = (item: Readonly<Record<string, unknown>>, at: number): number =>
		typeof item["index"] === "number" ? item["index"] : at;
	return items
		.map((item, at) => ({ at: place(item, at), vector: item["embedding"] }))
		.sort((one, other) => one.at - other.at)
		.map(({ vector }) => vector);
};

/** The same list for clients. */
export const vectorList = ({ vectors }: Answer, base64: boolean) =>
	vectors.map((vector, index) => ({ object: "embedding", index, embedding: written(vector, base64) }));

/** Whether the client wants bytes; `float` and nothing are numbers. */
export const wantsBase64 = (value: unknown): boolean => asText(value) === "base64";
