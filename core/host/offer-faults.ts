/** What is wrong with one thing that a plugin offers: a compiler would have said most of it, but nobody need have asked one. */
import { TypeGuard } from "@sinclair/typebox";
import { everyCommandTakes, flagOf } from "../config/command-words.ts";
import { didYouMean } from "../config/complaint.ts";
import { isSchedule } from "../config/shape.ts";
import { authenticators } from "../contract/authenticator.ts";
import type { ClientSide } from "../contract/client-side.ts";
import { commands, warnings } from "../contract/command.ts";
import { type Dialect, endpoints } from "../contract/endpoint.ts";
import type { RequestFacts } from "../contract/facts.ts";
import { guards } from "../contract/guard.ts";
import { jobs } from "../contract/job.ts";
import { auditors, doorkeepers } from "../contract/operator.ts";
import { type Costs, costs, recorders } from "../contract/outcome.ts";
import type { Passthrough } from "../contract/passthrough.ts";
import { policies } from "../contract/policy.ts";
import { protocols } from "../contract/protocol.ts";
import { routes } from "../contract/route.ts";
import { type Router, router } from "../contract/router.ts";
import { tables } from "../contract/store.ts";
import type { Offer, Slot } from "../contract/token.ts";
import { type Tracer, tracer } from "../contract/trace.ts";
import { upstreams } from "../contract/upstream.ts";
import type { UpstreamSide } from "../contract/upstream-side.ts";
import { asList, asRecord, isRecord, type WireRecord } from "../neutral/json.ts";
import { tablesFaults, warningFaults } from "./offered-data.ts";

/** First words that are Portico's own, which no plugin can add. */
export const coreWords = [
	"serve",
	"init",
	"check",
	"connect",
	"schema",
	"plugins",
	"plugin",
	"print-config",
	"version",
	"help",
	"db",
	"status",
	"reload",
	"bun",
	"deno",
] as const;

const methods: readonly unknown[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const accesses: readonly unknown[] = ["public", "token", "admin", "person"];

const isPath = (path: unknown): boolean => typeof path === "string" && path.startsWith("/");
const arePaths = (paths: unknown): boolean => Array.isArray(paths) && paths.every(isPath);

const routeFaults = ({ method, path, access }: WireRecord): readonly string[] => [
	...(isPath(path) ? [] : [`the path of a route must begin with "/", and "${path}" does not`]),
	...(methods.includes(method) ? [] : [`the route ${path} has the method "${method}": use ${methods.join(", ")}`]),
	...(accesses.includes(access) ? [] : [`the route ${path} has the access "${access}": use ${accesses.join(", ")}`]),
];

const isCalled = (value: unknown): boolean => typeof value === "function";

/** Which of these functions a part of it lacks, by their places: `client.read`. */
const lacking = <Part>(
	part: string,
	value: unknown,
	functions: readonly (keyof Part & string)[],
): readonly string[] => {
	const members = asRecord(value);
	return functions.filter((name) => !isCalled(members[name])).map((name) => (part === "" ? name : `${part}.${name}`));
};

const lackingFaults = (what: string, functions: readonly string[]): readonly string[] =>
	functions.length === 0 ? [] : [`${what} lacks the functions ${functions.join(", ")}`];

const protocolFaults = ({ name, client, upstream, passthrough, facts }: WireRecord): readonly string[] => {
	if (!isRecord(client))
		return [
			`the protocol "${name}" lacks its client, the side that answers clients: use upstreamOnly where there is none`,
		];
	if (!arePaths(client["paths"])) return [`the protocol "${name}" has no paths that begin with "/"`];
	return lackingFaults(`the protocol "${name}"`, [
		...lacking<ClientSide>("client", client, ["read", "decodeRequest", "encodeResponse", "streamEncoder"]),
		...lacking<ClientSide>("client", client, ["renderDenial", "renderStreamDenial", "streamType"]),
		...lacking<UpstreamSide>("upstream", upstream, ["path", "headers", "encodeRequest", "decodeResponse"]),
		...lacking<UpstreamSide>("upstream", upstream, ["streamDecoder", "decodeError"]),
		...lacking<Passthrough>("passthrough", passthrough, ["request", "observe", "restore", "observer", "editor"]),
		...lacking<RequestFacts>("facts", facts, ["bound", "tiers", "steering"]),
	]);
};

const dialectFaults = (endpoint: unknown, dialect: WireRecord): readonly string[] => {
	const what = `the dialect "${dialect["name"]}" of "${endpoint}"`;
	if (!arePaths(dialect["paths"])) return [`${what} has no paths that begin with "/"`];
	const { body } = dialect;
	const reads = body === "json" || body === "form" ? [] : [`${what} has the body "${body}": use json or form`];
	const functions = ["read", "path", "headers", "renderDenial", "decodeError", "observe"] as const;
	return [...reads, ...lackingFaults(what, lacking<Dialect>("", dialect, functions))];
};

/** Where it names dialects that it has not, nobody is ever served by them. */
const namingFaults = ({ name, usual, defaults }: WireRecord, dialects: readonly WireRecord[]): readonly string[] => {
	const names = dialects.map((dialect) => String(dialect["name"]));
	const twice = names.filter((one, place) => names.indexOf(one) !== place);
	if (!isRecord(defaults))
		return [`the endpoint "${name}" has no defaults: write {} where no protocol brings a dialect`];
	const strange = Object.entries({ usual, ...defaults }).filter(([, one]) => !names.includes(String(one)));
	return [
		...twice.map((one) => `the endpoint "${name}" has two dialects called "${one}"`),
		...strange.map(
			([place, one]) =>
				`the endpoint "${name}" has no dialect "${one}", which ${place === "usual" ? place : `defaults["${place}"]`} names${didYouMean(String(one), names)}`,
		),
	];
};

const endpointFaults = (endpoint: WireRecord): readonly string[] => {
	const { name } = endpoint;
	const dialects = asList(endpoint["dialects"]).map(asRecord);
	if (dialects.length === 0) return [`the endpoint "${name}" has no dialects`];
	const faults = dialects.flatMap((dialect) => dialectFaults(name, dialect));
	return faults.length > 0 ? faults : namingFaults(endpoint, dialects);
};

/** Options that no setting of a token can have: they are taken out of the words before a command has them. */
const ownOptions: ReadonlySet<string> = new Set([...everyCommandTakes, "worker", "help"]);

/** When a policy may be asked. */
const moments = ["admit", "beforeBody", "check", "shows"];

const policyFaults = (policy: WireRecord): readonly string[] => {
	const { name, setting } = policy;
	if (setting === undefined)
		return moments.some((moment) => isCalled(policy[moment]))
			? []
			: [`the policy "${name}" refuses nothing: give it a setting or one of the functions ${moments.join(", ")}`];
	const { key, schema, compile } = asRecord(setting);
	if (typeof key !== "string" || !/^[a-z][A-Za-z0-9]*$/.test(key))
		return [`the token setting "${key}" must be a word of letters and digits that begins with a small letter`];
	if (ownOptions.has(flagOf(key)))
		return [`the token setting "${key}" cannot be set: every command takes --${flagOf(key)} for itself; rename it`];
	if (!isRecord(schema) || !isCalled(compile))
		return [`the token setting "${key}" needs a schema and a compile function`];
	return TypeGuard.IsSchema(schema)
		? []
		: [`the schema of the token setting "${key}" is not made by t: write t.String(), t.Array(t.String()) or the like`];
};

const commandFaults = ({ name }: WireRecord): readonly string[] => {
	if (coreWords.some((word) => word === name)) return [`the command "${name}" is Portico's own; choose another word`];
	return typeof name === "string" && /^[^\s-]\S*$/.test(name)
		? []
		: [`the command "${name}" must be one word that begins with no hyphen: nobody could call it`];
};

const jobFaults = ({ name, schedule }: WireRecord): readonly string[] =>
	typeof schedule === "string" && isSchedule(schedule)
		? []
		: [`the schedule of its job "${name}" is not one such as "0 3 * * *": "${schedule}"`];

const judges: Readonly<Record<string, (value: WireRecord) => readonly string[]>> = {
	[routes.id]: routeFaults,
	[protocols.id]: protocolFaults,
	[endpoints.id]: endpointFaults,
	[policies.id]: policyFaults,
	[commands.id]: commandFaults,
	[jobs.id]: jobFaults,
	[tables.id]: tablesFaults,
};

const calledIn = <T>(
	{ id }: Slot<T>,
	...names: readonly (keyof T & string)[]
): readonly [id: string, names: readonly string[]] => [id, names];

/** The functions without which nothing can be done with what a slot holds. */
const called: ReadonlyMap<string, readonly string[]> = new Map([
	calledIn(routes, "handle"),
	calledIn(guards, "inspect"),
	calledIn(recorders, "record"),
	calledIn(commands, "usage", "run"),
	calledIn(jobs, "run"),
	calledIn(upstreams, "send"),
	calledIn(authenticators, "identify"),
	calledIn(doorkeepers, "admit"),
	calledIn(auditors, "did"),
]);

/** The same of services that Portico itself asks. */
const askedOf: ReadonlyMap<string, readonly string[]> = new Map([
	[router.id, ["plan", "models", "model", "mayFollow", "report"] satisfies readonly (keyof Router)[]],
	[costs.id, ["chargeOf"] satisfies readonly (keyof Costs)[]],
	[tracer.id, ["begin", "spanId"] satisfies readonly (keyof Tracer)[]],
]);

const serviceFaults = (id: string, value: unknown): readonly string[] => {
	const functions = askedOf.get(id) ?? [];
	const lacks = functions.filter((name) => !isCalled(asRecord(value)[name]));
	return lackingFaults(`what it offers as the service "${id}"`, lacks);
};

/** What is kept by its name, here and in the database. */
const named: ReadonlySet<string> = new Set(
	[authenticators, doorkeepers, guards, jobs, policies, recorders, upstreams].map(({ id }) => id),
);

const nameFaults = (id: string, { name }: WireRecord): readonly string[] =>
	named.has(id) && (typeof name !== "string" || name === "")
		? [`what it offers to the slot "${id}" has no name: give it the name that setup is given, or one of its own`]
		: [];

/** Complaints about it, none where it is sound or of a kind that others judge. */
export const offerFaults = ({ token: { kind, id }, value }: Offer): readonly string[] => {
	if (kind !== "slot") return serviceFaults(id, value);
	if (id === warnings.id) return warningFaults(value);
	const judge = Object.hasOwn(judges, id) ? judges[id] : undefined;
	const functions = called.get(id);
	if (!judge && !functions) return [];
	if (!isRecord(value)) return [`what it offers to the slot "${id}" is no object`];
	const lacks = functions?.filter((name) => !isCalled(value[name])) ?? [];
	return [
		...nameFaults(id, value),
		...(judge?.(value) ?? []),
		...lackingFaults(`what it offers to the slot "${id}"`, lacks),
	];
};

const isOffer = (value: unknown): boolean => {
	const { kind, id } = asRecord(asRecord(value)["token"]);
	return (kind === "slot" || kind === "service") && typeof id === "string";
};

const wordFor = (value: unknown): string => {
	if (value === undefined || value === null) return "nothing";
	return Array.isArray(value) ? "a list" : `a ${typeof value}`;
};

/** What is wrong with what a set-up returned, whatever it offers. */
export const contributionFaults = (returned: unknown): readonly string[] => {
	if (!isRecord(returned))
		return [`its setup returned ${wordFor(returned)}: return { offers: [add(…)] }, or {} where it offers nothing`];
	const { offers = [] } = returned;
	if (!Array.isArray(offers)) return [`the "offers" that its setup returned are no list: write [add(…), provide(…)]`];
	return [
		...offers.flatMap((offer, place) => (isOffer(offer) ? [] : [`offers[${place}] is not made by add or provide`])),
		...["check", "start", "stop"].flatMap((name) =>
			returned[name] === undefined || isCalled(returned[name]) ? [] : [`its "${name}" must be a function`],
		),
	];
};
