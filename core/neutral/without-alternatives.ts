/** A schema whose root has alternatives, put together as one object: what any of them allows is allowed, what all demand is demanded. */
import { asList, asRecord, isRecord, type WireRecord } from "./json.ts";

type Draft = Record<string, unknown>;

/**
 * Members, demands and alternatives that are looked at. Schemas that people write have some hundred; one that names itself
 * several times, or one large definition many times, has no end, however short it is.
 */
const mostLooks = 20_000;

/** Alternatives may have alternatives of their own. */
const deepest = 8;

const alternatives = ["anyOf", "oneOf", "allOf"];

export const hasAlternatives = (schema: WireRecord): boolean =>
	alternatives.some((keyword) => schema[keyword] !== undefined);

class Flattening {
	private readonly resolve: (schema: unknown) => WireRecord;
	private left = mostLooks;
	/** Of members that were compared: one that several alternatives refer to is written once. */
	private readonly texts = new Map<unknown, string>();

	constructor(resolve: (schema: unknown) => WireRecord) {
		this.resolve = resolve;
	}

	get isSpent(): boolean {
		return this.left < 0;
	}

	/** False when there were too many. */
	private look(): boolean {
		this.left--;
		return this.left >= 0;
	}

	flat(schema: WireRecord, depth = 0): Draft {
		const { anyOf, oneOf, allOf, ...rest } = schema;
		const all = this.branches(asList(allOf), depth);
		const any = this.branches([...asList(anyOf), ...asList(oneOf)], depth);
		const properties = this.either(any);
		for (const branch of [...all, rest])
			this.each(branch["properties"], (name, member) => Object.defineProperty(properties, name, own(member)));
		const [first, ...others] = any.map((branch) => this.demands(branch));
		const common = [...(first ?? [])].filter((name) => others.every((names) => names.has(name)));
		const required = new Set([...this.demands(rest), ...all.flatMap((branch) => [...this.demands(branch)]), ...common]);
		return { ...rest, type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
	}

	private branches(given: readonly unknown[], depth: number): readonly WireRecord[] {
		const branches: WireRecord[] = [];
		for (const one of given) {
			if (!this.look()) break;
			const branch = this.resolve(one);
			branches.push(depth < deepest && hasAlternatives(branch) ? this.flat(branch, depth + 1) : branch);
		}
		return branches;
	}

	/** Members of alternatives under one name: each may be meant. */
	private either(branches: readonly WireRecord[]): Draft {
		const found = new Map<string, Map<string, unknown>>();
		for (const branch of branches)
			this.each(branch["properties"], (name, member) => {
				const known = found.get(name) ?? new Map<string, unknown>();
				found.set(name, known.set(this.textOf(member), member));
			});
		return Object.fromEntries(
			[...found].map(([name, known]) => {
				const [first, ...others] = known.values();
				return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
			}),
		);
	}

	private each(members: unknown, take: (name: string, member: unknown) => void): void {
		if (!isRecord(members)) return;
		for (const name in members) {
			if (!this.look()) return;
			take(name, members[name]);
		}
	}

	private demands(branch: WireRecord): ReadonlySet<string> {
		const names = new Set<string>();
		for (const name of asList(branch["required"])) {
			if (!this.look()) break;
			if (typeof name === "string") names.add(name);
		}
		return names;
	}

	private textOf(member: unknown): string {
		const text = this.texts.get(member) ?? JSON.stringify(member);
		this.texts.set(member, text);
		return text;
	}
}

const own = (value: unknown): PropertyDescriptor => ({ value, enumerable: true, configurable: true, writable: true });

/** `resolve`: the schema that a branch refers to. Undefined for one in which there is too much to look at. */
export const withoutAlternatives = (
	schema: WireRecord,
	resolve: (schema: unknown) => WireRecord,
): WireRecord | undefined => {
	const flattening = new Flattening((branch) => asRecord(resolve(branch)));
	const flat = flattening.flat(schema);
	return flattening.isSpent ? undefined : flat;
};
