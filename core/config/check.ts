/** Checks settings against a schema, says all that is wrong in words, and fills in defaults. */
import type { TObject } from "@sinclair/typebox";
import { isRecord, type WireRecord } from "../neutral/json.ts";
import { type Complaint, didYouMean, type Path, type Place, whatThereIs, whereText } from "./complaint.ts";
import { convert, isOfType, itemOf, lackOf, literalsOf, memberOf, optionsOf, type Shape, wantedBy } from "./shape.ts";

/** `label` begins the `where` of each complaint (`plugins[2] quota`); `place` finds the nodes below the value. */
export interface Where {
	readonly label: string;
	readonly place: Place;
}

/** The value with defaults filled in, a copy; to be used only when there are no complaints, or to find what else is wrong. */
interface Checked {
	readonly value: unknown;
	readonly complaints: readonly Complaint[];
	/** Its shape is right: what was complained of, or could not be made out, is left out, and may be. */
	readonly usable: boolean;
}

/** Stands for a value that does not fit, and for whatever cannot do without it. */
const unfit = Symbol("unfit");

/** Stands in for an address that could not be made out, so that whatever else is wrong is found as well. */
const addressStandIn = "http://missing.invalid";

/**
 * A value that is missing or empty counts as `{}`. A text that held `${…}` becomes a number, an integer or a boolean
 * where the schema wants one and the text reads as one; it stays a text wherever the schema takes a text.
 */
export const checkSettings = (schema: TObject, value: unknown, where: Where): Checked =>
	new Check(where, new Map()).run(schema, value ?? {}, []);

class Check {
	readonly #where: Where;
	readonly #named: Map<string, Shape>;
	readonly #complaints: Complaint[] = [];
	#usable = true;

	constructor(where: Where, named: Map<string, Shape>) {
		this.#where = where;
		this.#named = named;
	}

	run(shape: Shape, value: unknown, path: Path): Checked {
		const checked = this.#any(shape, value, path);
		const usable = this.#usable && checked !== unfit;
		return { value: checked === unfit ? value : checked, complaints: this.#complaints, usable };
	}

	#complain(path: Path, message: string, about?: Shape | "key"): void {
		const spot = this.#where.place(path);
		const { line, column } = about === "key" ? spot.key : spot;
		const description = typeof about === "object" && about.description ? ` (${about.description})` : "";
		const where = whereText(this.#where.label, path);
		this.#complaints.push({ line, column, where, message: message + description });
	}

	/** What came from the environment is not shown: the text as it stands in the file is. Nor is a secret. */
	#expected(wanted: string, shape: Shape, value: unknown, path: Path): unknown {
		const { template, missing } = this.#where.place(path);
		if (missing !== undefined) {
			const instead = this.#inPlaceOf(shape, value);
			if (instead === unfit) this.#complain(path, missing, shape);
			return instead;
		}
		let found = template === undefined ? JSON.stringify(value) : `the value of ${JSON.stringify(template)}`;
		if (value === null) found = "nothing";
		else if (typeof value === "object") found = Array.isArray(value) ? "a list" : "a mapping";
		else if (shape.secret === true && template === undefined) found = `a ${typeof value}`;
		if (found.length > 80) found = `${found.slice(0, 80)}…`;
		const near = typeof value === "string" && template === undefined ? didYouMean(value, literalsOf(shape)) : "";
		this.#complain(path, `expected ${wanted}, found ${found}${near}`, shape);
		return unfit;
	}

	#any(given: Shape, value: unknown, path: Path): unknown {
		if (given.$id !== undefined) this.#named.set(given.$id, given);
		const shape = given.$ref === undefined ? given : (this.#named.get(given.$ref) ?? {});
		if (optionsOf(shape).length > 1) return this.#union(shape, value, path);
		if (shape.allOf === undefined) return this.#one(shape, value, path);
		const opened = shape.allOf.map((part) => ({ ...part, additionalProperties: part.additionalProperties || true }));
		return opened.reduce((last: unknown, part) => (last === unfit ? unfit : this.#any(part, last, path)), value);
	}

	#one(shape: Shape, value: unknown, path: Path): unknown {
		const { template, failed } = this.#where.place(path);
		const read = typeof value === "string" && template !== undefined ? convert(shape, value) : value;
		const literals = literalsOf(shape);
		const fits = literals.length > 0 ? literals.includes(read) : !shape.type || isOfType(read, String(shape.type));
		const lack = fits ? lackOf(shape, read) : wantedBy(shape);
		if (lack !== undefined && failed) return this.#inPlaceOf(shape, read);
		if (lack !== undefined) return this.#expected(lack, shape, read, path);
		if (Array.isArray(read)) {
			const items = read.map((item, index) => this.#any(itemOf(shape, index), item, [...path, index]));
			return items.includes(unfit) ? unfit : items;
		}
		return isRecord(read) && shape.type === "object" ? this.#members(shape, read, path) : read;
	}

	#inPlaceOf(shape: Shape, failed: unknown): unknown {
		const isAddress = typeof failed === "string" && isText(shape) && shape.pattern !== undefined;
		return isAddress && lackOf(shape, addressStandIn) === undefined ? addressStandIn : unfit;
	}

	/** A member that does not fit is left out, and defaults are filled in; without one that must be there all of it is unfit. */
	#members(shape: Shape, given: WireRecord, path: Path): unknown {
		const members = this.#fitting(shape, given, path);
		// Without one of its own settings a plugin finds wrong what is not.
		const lost = Object.keys(given).some((key) => given[key] !== null && !Object.hasOwn(members, key));
		const { properties = {}, required = [] } = shape;
		for (const [key, member] of Object.entries(properties)) {
			if (Object.hasOwn(members, key)) continue;
			const place = [...path, key];
			if (member.default !== undefined) members[key] = this.#any(member, structuredClone(member.default), place);
			else if (required.includes(key) && !Object.hasOwn(given, key))
				this.#complain(place, `missing, expected ${wantedBy(member)}`, member);
		}
		const lacks = required.some((key) => !Object.hasOwn(members, key));
		if (path.length > 0) return lacks ? unfit : members;
		this.#usable &&= !lost && !lacks;
		return members;
	}

	#fitting(shape: Shape, given: WireRecord, path: Path): Record<string, unknown> {
		const members: Record<string, unknown> = {};
		for (const [key, value] of Object.entries(given)) {
			const member = memberOf(shape, key);
			if (member === undefined) this.#strange(shape, [...path, key], key);
			else if (!isLeftOut(member, value)) {
				const checked = this.#any(member, value, [...path, key]);
				if (checked !== unfit) members[key] = checked;
			}
		}
		return members;
	}

	#strange(shape: Shape, path: Path, key: string): void {
		const near = whatThereIs(key, Object.keys(shape.properties ?? {}));
		// JSON is read as YAML, to which a comment of JSON's dialects is the beginning of the next key.
		const hint = key.startsWith("//") ? ': a comment begins with "# "' : near;
		this.#complain(path, `not a setting here${hint}`, "key");
	}

	/** The first option that fits, text first; else what is wrong with the option that was most likely meant. */
	#union(shape: Shape, value: unknown, path: Path): unknown {
		const options = optionsOf(shape).toSorted((one, other) => Number(isText(other)) - Number(isText(one)));
		const tries = options.map((option) => ({
			option,
			...new Check(this.#where, this.#named).run(option, value, path),
		}));
		const fitting = tries.find(({ complaints }) => complaints.length === 0);
		if (fitting !== undefined) {
			this.#usable &&= fitting.usable;
			return fitting.value;
		}
		const given = isRecord(value) ? value : {};
		const alike = tries.filter(({ option }) => typeof value === "object" && isOfType(value, String(option.type)));
		const meant = alike.filter(({ option }) => strangeKey(option, given) === undefined);
		const kind = meant.length === 0 && alike[0] !== undefined ? strangeKey(alike[0].option, given) : undefined;
		if (kind !== undefined && alike.every(({ option }) => strangeKey(option, given) === kind)) {
			const kinds = { enum: alike.flatMap(({ option }) => literalsOf(option.properties?.[kind] ?? {})) };
			return this.#expected(wantedBy(kinds), kinds, given[kind], [...path, kind]);
		}
		const [nearest] = (meant.length > 0 ? meant : alike).toSorted(
			(one, other) => one.complaints.length - other.complaints.length,
		);
		if (nearest === undefined) return this.#expected(wantedBy(shape), unionOf(shape), value, path);
		this.#complaints.push(...nearest.complaints);
		return nearest.usable ? nearest.value : unfit;
	}
}

/** `server:` with nothing behind it. */
const isLeftOut = (member: Shape, value: unknown): boolean =>
	value === null && member.default !== undefined && !optionsOf(member).some(({ type }) => type === "null");

const isText = (shape: Shape): boolean => shape.type === "string" && !("const" in shape);

/** The key whose literal tells the kind of a mapping, when the mapping given is of another kind. */
const strangeKey = (option: Shape, given: WireRecord): string | undefined =>
	Object.keys(option.properties ?? {}).find((key) => {
		const literals = literalsOf(option.properties?.[key] ?? {});
		return key in given && literals.length > 0 && !literals.includes(given[key]);
	});

/** The union as one enumeration, for the hint, with its own description. */
const unionOf = (shape: Shape): Shape => ({ ...shape, enum: optionsOf(shape).flatMap(literalsOf) });
