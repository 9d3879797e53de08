/** What is wrong with a kind or an upstream that a plugin gives: a compiler would have said it, but nobody need have asked one. */
import { asRecord, isRecord } from "#core";
import type { TaskKind, TaskUpstream } from "./service.ts";

type IsSound = (value: unknown) => boolean;

const text: IsSound = (value) => typeof value === "string" && value !== "";
const called: IsSound = (value) => typeof value === "function";
const aboveZero: IsSound = (value) => typeof value === "number" && value > 0 && value < 1e9;
const amount: IsSound = (value) => typeof value === "number" && value >= 0 && value < 1e9;
const whole: IsSound = (value) => Number.isInteger(value) && aboveZero(value);
const texts: IsSound = (value) => Array.isArray(value) && value.every(text);
const amounts: IsSound = (value) => Array.isArray(value) && value.every(amount);
const textsByName: IsSound = (value) => isRecord(value) && Object.values(value).every(text);
const orNone =
	(isSound: IsSound): IsSound =>
	(value) =>
		value === undefined || isSound(value);

const ofKind: Readonly<Partial<Record<keyof TaskKind, IsSound>>> = {
	name: text,
	defaultModel: text,
	timeoutMinutes: aboveZero,
	read: called,
	callback: called,
	units: called,
};

const ofUpstream: Readonly<Partial<Record<keyof TaskUpstream, IsSound>>> = {
	name: text,
	kind: text,
	url: orNone(text),
	models: texts,
	rename: orNone(textsByName),
	actions: orNone(texts),
	concurrency: amount,
	pollDelaysMs: amounts,
	pollsTogether: orNone(whole),
	timeoutMinutes: orNone(aboveZero),
	submit: called,
	poll: orNone(called),
	find: orNone(called),
	cancel: orNone(called),
};

const faults = (what: string, offered: unknown, members: Readonly<Record<string, IsSound>>): readonly string[] => {
	const given = asRecord(offered);
	const wrong = Object.entries(members).flatMap(([name, isSound]) => (isSound(given[name]) ? [] : [name]));
	if (wrong.length === 0) return [];
	return [`the ${what} "${String(given["name"])}" lacks, or has in a form that cannot be, ${wrong.join(", ")}`];
};

export const kindFaults = (kind: TaskKind): readonly string[] => faults("task kind", kind, ofKind);

export const upstreamFaults = (upstream: TaskUpstream): readonly string[] =>
	faults("task upstream", upstream, ofUpstream);
