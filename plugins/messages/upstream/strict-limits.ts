/**
 * Which schemas an upstream can hold a model to. It makes one grammar of all strict tools and the answer's schema. It refuses
 * the whole request if there are too many of them or too many choices in them, or if a schema holds itself.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs#schema-complexity-limits
 */
import { asList, asRecord, asText, isRecord, referredIn, type WireRecord } from "#core";

const mostTools = 20;
const mostOptional = 24;
const mostUnions = 16;

/** What a schema takes of the grammar, all that it refers to included. */
interface Weight {
	readonly optional: number;
	readonly unions: number;
}

/** Why a schema cannot be enforced. */
class Unenforceable extends Error {}

const isPlain = (value: unknown): boolean => value === null || typeof value !== "object" || JSON.isRawJSON(value);

/** An object whose members are not named: closing it would leave nothing that it may hold. */
const isOpen = ({ type, properties, additionalProperties }: WireRecord): boolean => {
	if (additionalProperties !== undefined && additionalProperties !== false) return true;
	const isObject = type === "object" || asList(type).includes("object");
	return isObject && !isRecord(properties) && additionalProperties !== false;
};

class Scale {
	private readonly known = new Map<string, Weight>();
	private readonly open = new Set<string>();

	private readonly root: unknown;

	constructor(root: unknown) {
		this.root = root;
	}

	weigh(schema: unknown): Weight {
		if (!isRecord(schema)) return { optional: 0, unions: 0 };
		const reference = asText(schema["$ref"]);
		if (reference !== undefined) return this.referred(reference);
		if (isOpen(schema)) throw new Unenforceable("an object of it has members that it does not name");
		if (!asList(schema["enum"]).every(isPlain)) throw new Unenforceable("an enum of it holds more than plain values");
		if (asList(schema["allOf"]).some((part) => asRecord(part)["$ref"] !== undefined))
			throw new Unenforceable("an allOf of it holds a reference");
		return this.sum(schema);
	}

	private sum(schema: WireRecord): Weight {
		const properties = asRecord(schema["properties"]);
		const required = new Set(asList(schema["required"]));
		// What each place of a list holds becomes alternatives too.
		const alternatives = ["anyOf", "oneOf", "prefixItems"].flatMap((keyword) => asList(schema[keyword]));
		let optional = Object.keys(properties).filter((name) => !required.has(name)).length;
		let unions = alternatives.length > 0 || Array.isArray(schema["type"]) ? 1 : 0;
		const inner = [...Object.values(properties), schema["items"], ...alternatives, ...asList(schema["allOf"])];
		for (const part of inner) {
			const weight = this.weigh(part);
			optional += weight.optional;
			unions += weight.unions;
		}
		return { optional, unions };
	}

	private referred(reference: string): Weight {
		const known = this.known.get(reference);
		if (known) return known;
		if (!reference.startsWith("#")) throw new Unenforceable("it refers to another document");
		if (this.open.has(reference)) throw new Unenforceable("it holds itself");
		this.open.add(reference);
		const weight = this.weigh(reference === "#" ? this.root : referredIn(this.root, reference));
		this.open.delete(reference);
		this.known.set(reference, weight);
		return weight;
	}
}

/** What one request may still have enforced. */
export class StrictRoom {
	private tools = mostTools;
	private optional = mostOptional;
	private unions = mostUnions;

	/** Takes the room for a schema; gives why it must stay unenforced where it cannot be had. */
	take(schema: unknown, isTool: boolean): string | undefined {
		try {
			const { optional, unions } = new Scale(schema).weigh(schema);
			if (optional > this.optional) return `all that it enforces may have ${mostOptional} optional members`;
			if (unions > this.unions) return `all that it enforces may have ${mostUnions} members of several types`;
			if (isTool && this.tools === 0) return `it enforces the schemas of ${mostTools} tools at most`;
			this.optional -= optional;
			this.unions -= unions;
			if (isTool) this.tools--;
			return undefined;
		} catch (error) {
			if (error instanceof Unenforceable) return error.message;
			throw error;
		}
	}
}
