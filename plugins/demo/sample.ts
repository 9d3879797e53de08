/** The plainest value that a JSON Schema accepts, so that tools and schemas can be tried without a provider. */
import { asList, asNumber, asRecord, asText, isRecord, type WireRecord } from "#core";

/** How deep a schema that refers to itself is followed. */
const deepest = 12;

const resolve = (schema: unknown, root: WireRecord): WireRecord => {
	let current = asRecord(schema);
	for (let step = 0; step < deepest; step++) {
		const reference = asText(current["$ref"]);
		if (!reference?.startsWith("#/")) return current;
		let found: unknown = root;
		for (const part of reference.slice(2).split("/"))
			found = asRecord(found)[part.replaceAll("~1", "/").replaceAll("~0", "~")];
		current = asRecord(found);
	}
	return current;
};

const typeOf = (schema: WireRecord): string => {
	const { type } = schema;
	const named = Array.isArray(type) ? type.find((one) => one !== "null") : type;
	if (typeof named === "string") return named.toLowerCase();
	if (isRecord(schema["properties"])) return "object";
	return schema["items"] === undefined ? "string" : "array";
};

const formats: Readonly<Record<string, string>> = {
	"date-time": "2027-01-31T12:00:00Z",
	date: "2027-01-31",
	time: "12:00:00Z",
	email: "demo@example.com",
	uri: "https://example.com/",
	uuid: "00000000-0000-4000-8000-000000000000",
};

const textFor = (schema: WireRecord, hint: string): string => {
	const text = formats[asText(schema["format"]) ?? ""] ?? hint;
	const longest = asNumber(schema["maxLength"]) ?? text.length;
	return text
		.padEnd(asNumber(schema["minLength"]) ?? 0, ".")
		.slice(0, Math.max(longest, asNumber(schema["minLength"]) ?? 0));
};

const numberFor = (schema: WireRecord, whole: boolean): number => {
	const above = asNumber(schema["exclusiveMinimum"]);
	const low = asNumber(schema["minimum"]) ?? (above === undefined ? undefined : above + 1);
	const high = asNumber(schema["maximum"]) ?? asNumber(schema["exclusiveMaximum"]);
	const step = asNumber(schema["multipleOf"]) ?? 1;
	const value = low ?? Math.min(1, high ?? 1);
	const stepped = Math.ceil(value / step) * step;
	return whole ? Math.ceil(stepped) : stepped;
};

/** A value the schema accepts; `hint` stands where any text would do. Patterns are not solved. */
export const sample = (schema: unknown, hint: string, root: WireRecord = asRecord(schema), depth = 0): unknown => {
	const one = resolve(schema, root);
	if ("const" in one) return one["const"];
	const [first] = asList(one["enum"]);
	if (first !== undefined) return first;
	const [branch] = [...asList(one["anyOf"]), ...asList(one["oneOf"])].filter(
		(option) => asRecord(option)["type"] !== "null",
	);
	if (branch !== undefined)
		return sample({ ...one, anyOf: undefined, oneOf: undefined, ...resolve(branch, root) }, hint, root, depth + 1);
	const parts = asList(one["allOf"]);
	if (parts.length > 0) return Object.assign({}, ...parts.map((part) => sample(part, hint, root, depth + 1)));
	switch (typeOf(one)) {
		case "object":
			return objectFor(one, hint, root, depth);
		case "array":
			return Array.from({ length: depth > deepest ? 0 : (asNumber(one["minItems"]) ?? 1) }, () =>
				sample(one["items"], hint, root, depth + 1),
			);
		case "integer":
			return numberFor(one, true);
		case "number":
			return numberFor(one, false);
		case "boolean":
			return true;
		case "null":
			return null;
		default:
			return textFor(one, hint);
	}
};

const objectFor = (schema: WireRecord, hint: string, root: WireRecord, depth: number): Record<string, unknown> => {
	const required = new Set(asList(schema["required"]));
	const members = Object.entries(asRecord(schema["properties"])).filter(([name]) => depth < 2 || required.has(name));
	return Object.fromEntries(members.map(([name, member]) => [name, sample(member, hint, root, depth + 1)]));
};
