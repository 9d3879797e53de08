/** `portico token …`: a thin client of the admin routes. Options come from the settings of the loaded policies. */
import {
	asList,
	asNumber,
	asRecord,
	type Command,
	type CommandRun,
	didYouMean,
	flagOf,
	parseWords,
	refuseCommand,
	type TokenSetting,
} from "#core";
import { personId, personsById } from "../people/service.ts";
import { idOf, type Listed, listAll } from "./named-token.ts";
import { wordsAsValue } from "./setting-words.ts";
import type { KnownSettings } from "./settings.ts";
import { tableOf } from "./token-table.ts";

const settingFrom = ({ schema, fromWords }: TokenSetting<unknown>, words: string, flag: string): unknown => {
	if (!fromWords || words === "none") return wordsAsValue(schema, words, flag);
	try {
		return fromWords(words);
	} catch (error) {
		return refuseCommand(`--${flag}: ${error instanceof Error ? error.message : "it cannot be read"}`);
	}
};

/** Options of the command itself, as settings would be called that they stand in the way of. */
export const ownOptions: ReadonlySet<string> = new Set(["json", "graceSeconds"]);

const actions = ["create", "list", "show", "update", "disable", "enable", "rotate", "delete"] as const;

export const tokenCommand = (known: () => KnownSettings, now: () => number): Command => {
	const usage = (): string =>
		[
			"portico token create [--name NAME] [--owner PERSON] [settings] [--json]",
			"portico token list [--json]",
			"portico token show|disable|enable|delete ID|NAME|KEY [--json]",
			"portico token rotate ID|NAME|KEY [--grace-seconds N] [--json]",
			"portico token update ID|NAME|KEY [--name NAME] [--owner PERSON] [settings] [--json]",
			"",
			"  KEY                a key that leaked, or what lists show of it",
			"  --owner PERSON     id or name of the person whose token it is; none for nobody's",
			"  --grace-seconds N  for so long the old key is good too",
			"",
			"settings (none removes one):",
			...[...known()].map(([key, { schema }]) => `  --${flagOf(key).padEnd(16)} ${schema.description ?? ""}`),
		].join("\n");

	const parse = (words: readonly string[]) => {
		const settings = Object.fromEntries([...known().keys()].map((key) => [flagOf(key), { type: "string" as const }]));
		return parseWords(
			{
				args: [...words],
				allowPositionals: true,
				options: {
					name: { type: "string" },
					owner: { type: "string" },
					"grace-seconds": { type: "string" },
					json: { type: "boolean" },
					...settings,
				},
			},
			usage(),
		);
	};

	const bodyOf = (values: Readonly<Record<string, unknown>>): Record<string, unknown> => {
		const body: Record<string, unknown> = {};
		if (typeof values["name"] === "string") body["name"] = values["name"];
		if (typeof values["owner"] === "string") body["owner"] = values["owner"] === "none" ? null : values["owner"];
		for (const [key, setting] of known()) {
			const words = values[flagOf(key)];
			if (typeof words === "string") body[key] = settingFrom(setting, words, flagOf(key));
		}
		return body;
	};

	const show = async (
		{ call, print }: CommandRun,
		answer: Readonly<Record<string, unknown>>,
		json: boolean,
	): Promise<void> => {
		if (json) {
			print(JSON.stringify(answer));
			return;
		}
		if (answer["deleted"] === true) print(`${String(answer["id"])} is deleted`);
		else {
			const tokens = Array.isArray(answer["data"]) ? asList(answer["data"]).map(asRecord) : [answer];
			const isOwned = tokens.some(({ owner }) => typeof owner === "string");
			const owners = isOwned ? await personsById(call) : new Map<unknown, Listed>();
			for (const line of tableOf(tokens, known(), owners, now())) print(line);
		}
		if (typeof answer["key"] === "string") print(`key (shown once): ${answer["key"]}`);
	};

	return {
		name: "token",
		summary: "Creates, lists and changes tokens.",
		usage,
		async run(command) {
			const [action, ...rest] = command.words;
			if (!actions.some((one) => one === action)) refuseCommand(unknownAction(action), usage());
			const { values, positionals } = parse(rest);
			const body = action === "rotate" ? graceOf(values["grace-seconds"]) : await withOwner(bodyOf(values), command);
			const json = values["json"] === true;
			refuseWords(String(action), positionals);
			refuseOptions(String(action), values);
			if (action === "update" && Object.keys(asRecord(body)).length === 0) refuseCommand(nothingToChange(known()));
			const path = `/admin/tokens/${encodeURIComponent(await idOf(positionals[0] ?? "", command.call))}`;
			const answer = await callFor(String(action), command, path, body);
			await show(command, asRecord(answer), json);
		},
	};
};

/** With the owner's id where they were named. */
const withOwner = async (
	body: Readonly<Record<string, unknown>>,
	{ call }: CommandRun,
): Promise<Readonly<Record<string, unknown>>> =>
	typeof body["owner"] === "string" ? { ...body, owner: await personId(call, body["owner"]) } : body;

/** A number in words, as JSON; the server says what it may be. */
const graceOf = (words: unknown): Readonly<Record<string, unknown>> | undefined =>
	typeof words === "string" ? { graceSeconds: Number(words) } : undefined;

/** Done in silence, it would look as if something had been changed. */
const nothingToChange = (known: KnownSettings): string => {
	const options = ["name", "owner", ...[...known.keys()].map(flagOf)].map((flag) => `--${flag}`);
	return `portico token update takes what is to be changed, one or more of ${options.join(", ")}; nothing was changed`;
};

/** A word that nobody reads would be taken for one that was obeyed. */
const refuseWords = (action: string, words: readonly string[]): void => {
	const most = action === "create" || action === "list" ? 0 : 1;
	if (words.length < most) refuseCommand(`portico token ${action} takes the token's id or name`);
	const hint = action === "create" ? "; its name is given by --name" : "";
	if (words.length > most) refuseCommand(`portico token ${action} takes no ${JSON.stringify(words[most])}${hint}`);
};

/** Options that are another action's: `token enable alice --quota 5` would look as if it had set the quota. */
const refuseOptions = (action: string, values: Readonly<Record<string, unknown>>): void => {
	const sets = action === "create" || action === "update";
	const takes = (name: string): boolean => {
		if (name === "json") return true;
		return name === "grace-seconds" ? action === "rotate" : sets;
	};
	const unread = Object.keys(values).find((name) => !takes(name));
	if (unread !== undefined) refuseCommand(`portico token ${action} takes no --${unread}`);
};

const unknownAction = (action: string | undefined): string =>
	action === undefined
		? "portico token needs a word"
		: `portico token takes no ${JSON.stringify(action)}${didYouMean(action, actions)}`;

const callFor = async (
	action: string,
	{ call }: CommandRun,
	path: string,
	body: Readonly<Record<string, unknown>> | undefined,
): Promise<unknown> => {
	switch (action) {
		case "create":
			return await call("POST", "/admin/tokens", { name: "unnamed", ...body });
		case "list":
			return { data: newestFirst(await listAll(call)) };
		case "show":
			return await call("GET", path);
		case "update":
			return await call("PATCH", path, body);
		case "delete":
			return await call("DELETE", path);
		case "rotate":
			return await call("POST", `${path}/rotate`, body);
		default:
			return await call("POST", `${path}/${action}`);
	}
};

/** As the console lists them. */
const newestFirst = (tokens: readonly Listed[]): readonly Listed[] =>
	tokens.toSorted(
		(a, b) =>
			(asNumber(b["createdAt"]) ?? 0) - (asNumber(a["createdAt"]) ?? 0) ||
			String(a["name"]).localeCompare(String(b["name"])),
	);
