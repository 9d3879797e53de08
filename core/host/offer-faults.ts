/** What is wrong with one thing that a plugin offers: a compiler would have said most of it, but nobody need have asked one. */
import { commands, coreWords } from "../contract/command.ts";
import { endpoints } from "../contract/endpoint.ts";
import { policies } from "../contract/policy.ts";
import { protocols } from "../contract/protocol.ts";
import { routes } from "../contract/route.ts";
import type { Offer } from "../contract/token.ts";
import { asRecord, isRecord, type WireRecord } from "../neutral/json.ts";

const methods: readonly unknown[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
const accesses: readonly unknown[] = ["public", "token", "admin", "person"];

const isPath = (path: unknown): boolean => typeof path === "string" && path.startsWith("/");
const arePaths = (paths: unknown): boolean => Array.isArray(paths) && paths.every(isPath);

const routeFaults = ({ method, path, access }: WireRecord): readonly string[] => [
	...(isPath(path) ? [] : [`the path of a route must begin with "/", and "${path}" does not`]),
	...(methods.includes(method) ? [] : [`the route ${path} has the method "${method}": use ${methods.join(", ")}`]),
	...(accesses.includes(access) ? [] : [`the route ${path} has the access "${access}": use ${accesses.join(", ")}`]),
];

const protocolFaults = ({ name, client }: WireRecord): readonly string[] =>
	arePaths(asRecord(client)["paths"]) ? [] : [`the protocol "${name}" has no paths that begin with "/"`];

const endpointFaults = ({ name, dialects }: WireRecord): readonly string[] => {
	if (!Array.isArray(dialects) || dialects.length === 0) return [`the endpoint "${name}" has no dialects`];
	const wrong = dialects.map(asRecord).filter(({ paths }) => !arePaths(paths));
	return wrong.map((dialect) => `the dialect "${dialect["name"]}" of "${name}" has no paths that begin with "/"`);
};

const policyFaults = ({ setting }: WireRecord): readonly string[] => {
	if (setting === undefined) return [];
	const { key } = asRecord(setting);
	return typeof key === "string" && /^[a-z][A-Za-z0-9]*$/.test(key)
		? []
		: [`the token setting "${key}" must be a word of letters and digits that begins with a small letter`];
};

const commandFaults = ({ name }: WireRecord): readonly string[] =>
	coreWords.some((word) => word === name) ? [`the command "${name}" is Portico's own; choose another word`] : [];

const judges: Readonly<Record<string, (value: WireRecord) => readonly string[]>> = {
	[routes.id]: routeFaults,
	[protocols.id]: protocolFaults,
	[endpoints.id]: endpointFaults,
	[policies.id]: policyFaults,
	[commands.id]: commandFaults,
};

/** Complaints about it, none where it is sound or of a kind that others judge. */
export const offerFaults = ({ token, value }: Offer): readonly string[] => {
	const judge = token.kind === "slot" && Object.hasOwn(judges, token.id) ? judges[token.id] : undefined;
	if (!judge) return [];
	return isRecord(value) ? judge(value) : [`what it offers to the slot "${token.id}" is no object`];
};
