/**
 * Promise: no list of a request, and no two of them, cost the square of their length on the way to another protocol. Every
 * list that seeds and published requests have is made long, by itself and with every other that stands beside it.
 */
import { expect, test } from "bun:test";
import { isRecord } from "#core";
import { readSeeds } from "../fuzz/seeds.ts";
import { carry } from "../losses/account.ts";
import { lossyModels } from "../losses/declared.ts";
import { publishedFields } from "../losses/published.ts";
import { loadProtocols } from "../matrix/protocols.ts";
import { type ProtocolName, protocolNames, withoutShared } from "../support/recordings.ts";

type Path = readonly (string | number)[];

interface Found {
	/** Alike for lists that stand in the same place of requests. */
	readonly kind: string;
	readonly path: Path;
	readonly list: readonly unknown[];
}

const listsIn = (value: unknown, path: Path = [], kind = ""): readonly Found[] => {
	if (Array.isArray(value)) {
		const inside = value.flatMap((one, at) => listsIn(one, [...path, at], `${kind}[]`));
		return value.length === 0 ? [] : [{ kind, path, list: value }, ...inside];
	}
	if (!isRecord(value)) return [];
	const sort = String(value["type"] ?? value["role"] ?? "");
	return Object.entries(value).flatMap(([name, one]) => listsIn(one, [...path, name], `${kind}<${sort}>.${name}`));
};

const withAt = (value: unknown, [step, ...rest]: Path, put: unknown): unknown => {
	if (step === undefined) return put;
	if (Array.isArray(value)) return value.with(Number(step), withAt(value[Number(step)], rest, put));
	return isRecord(value) ? { ...value, [step]: withAt(value[step], rest, put) } : value;
};

/** What tells kinds apart, and not one thing from another. */
const fixed = new Set(["type", "role", "status", "effort", "format", "mode", "arguments"]);

/** The same under other names. */
const another = (value: unknown, number: number): unknown => {
	if (typeof value === "string") return value.length > 200 || value.startsWith("{") ? value : `${value}${number}`;
	if (Array.isArray(value)) return value.map((one) => another(one, number));
	if (!isRecord(value)) return value;
	const told = Object.entries(value).map(([name, one]) => [name, fixed.has(name) ? one : another(one, number)]);
	return Object.fromEntries(told) as unknown;
};

const longer = (list: readonly unknown[], bytes: number): readonly unknown[] => {
	const times = Math.ceil(bytes / JSON.stringify(list).length);
	return Array.from({ length: times }, (_, number) => list.map((one) => another(one, number))).flat();
};

const holds = (outer: Path, inner: Path): boolean => outer.every((step, at) => step === inner[at]);

const [short, long] = [60_000, 240_000];
const noticedMs = 150;
/** Of what is four times as long: 4 would be as it should, 16 is the square. */
const tooMuch = 9;
/** The collector's threads count in what a call took: the least of so many is the call's own. */
const repeats = 5;

const protocols = await loadProtocols();

const user = { role: "user", content: "Hi" };
const called = { type: "function", function: { name: "f" } };
const named = { type: "function", name: "f" };
const schema = { type: "object" };

/** Lists that are looked for in each other, which no seed has. */
const own: Readonly<Record<ProtocolName, object>> = {
	"chat-completions": {
		messages: [user],
		tools: [called],
		tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools: [called] } },
	},
	responses: {
		input: [{ ...user, type: "message" }],
		tools: [named],
		tool_choice: { type: "allowed_tools", mode: "required", tools: [named] },
	},
	messages: {
		max_tokens: 16,
		tools: [{ name: "f", input_schema: schema }],
		messages: [
			user,
			{
				role: "system",
				content: [
					{ type: "tool_addition", tool: { type: "tool_definition", definition: { name: "g", input_schema: schema } } },
				],
			},
			user,
		],
	},
	"generate-content": {
		contents: [{ role: "user", parts: [{ text: "Hi" }] }],
		tools: [{ functionDeclarations: [{ name: "f" }] }],
		toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
	},
};

const bodiesOf = (name: ProtocolName): readonly unknown[] => [
	own[name],
	...readSeeds()[name].requests.map((text): unknown => JSON.parse(text)),
	...(withoutShared ? [] : [...publishedFields(name)].map(({ body }) => body)),
];

interface Case {
	readonly kind: string;
	make(bytes: number): unknown;
}

/** Every list of a request, and every two that stand beside each other. */
const casesIn = (body: unknown): readonly Case[] => {
	const lists = listsIn(body);
	const pairs = lists.flatMap((one) => lists.map((other) => [one, other] as const));
	return pairs
		.filter(([one, other]) => one === other || !(holds(one.path, other.path) || holds(other.path, one.path)))
		.map(([one, other]) => ({
			kind: [one.kind, other.kind].sort().join(" and "),
			make: (bytes) => withAt(withAt(body, one.path, longer(one.list, bytes)), other.path, longer(other.list, bytes)),
		}));
};

/** Once of each kind, as the first request has it. */
const casesOf = (name: ProtocolName): readonly Case[] => {
	const small = bodiesOf(name).filter((body) => JSON.stringify(body).length < 8_000);
	return [
		...new Map(
			small
				.flatMap(casesIn)
				.map((one) => [one.kind, one] as const)
				.reverse(),
		).values(),
	];
};

test.each(protocolNames)(
	"requests of %s",
	(name) => {
		const client = protocols.get(name);
		if (!client) throw new Error(`${name} is not there`);
		const grown: string[] = [];
		for (const { kind, make } of casesOf(name))
			for (const upstream of protocolNames.filter((one) => one !== name)) {
				const to = protocols.get(upstream);
				const took = (bytes: number): number => {
					const body = make(bytes);
					if (!to || !isRecord(body)) return 0;
					const began = process.cpuUsage();
					carry(client, to, lossyModels[upstream][0] ?? "m", { model: "m", ...body });
					const { user } = process.cpuUsage(began);
					return user / 1_000;
				};
				let [before, after] = [Number.POSITIVE_INFINITY, took(long)];
				for (let repeat = 0; repeat < repeats && after > noticedMs; repeat++) {
					before = Math.min(before, took(short));
					after = Math.min(after, took(long));
				}
				if (after > noticedMs && after > before * tooMuch)
					grown.push(`${kind} to ${upstream}: ${before} ms, ${after} ms`);
			}
		expect(grown).toEqual([]);
	},
	600_000,
);
